import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** One Kafka broker in this process: formats its folder once, serves, and says when produce and consume work. */
public final class LocalKafka {
  private static final String TOPIC = "orbweaver-probe";
  private static final int TIMEOUT_MS = 10_000;

  /** Arguments: server.properties, client.properties, the data folder named in the former, the file to create when ready. */
  public static void main(String[] args) throws Exception {
    String properties = args[0];
    Properties client = new Properties();
    try (InputStream file = Files.newInputStream(Path.of(args[1]))) {
      client.load(file);
    }
    Path data = Path.of(args[2]);
    Object user = client.remove("scram");  // its name and password; none where nobody is asked for them
    if (!Files.exists(data.resolve("meta.properties"))) {
      String id = org.apache.kafka.common.Uuid.randomUuid().toString();
      List<String> format = new ArrayList<>(List.of("format", "-t", id, "-c", properties, "--ignore-formatted"));
      if (user != null) {
        format.addAll(List.of("--add-scram", user.toString()));
      }
      int failed = kafka.tools.StorageTool.execute(format.toArray(new String[0]), System.err);
      if (failed != 0) {
        System.exit(failed);
      }
    }
    Readiness.serve("kafka", () -> kafka.Kafka.main(new String[] {properties}));
    Readiness.keep(Path.of(args[3]), () -> probe(client));
  }

  private static Properties with(Properties properties, Object... more) {
    Properties all = new Properties();
    all.putAll(properties);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  /** Produces one record and consumes that very record. */
  private static void probe(Properties broker) throws Exception {
    Properties client = with(broker, "request.timeout.ms", TIMEOUT_MS, "default.api.timeout.ms", TIMEOUT_MS);
    try (Admin admin = Admin.create(client)) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
    String sent = "probe " + System.nanoTime();
    long offset;
    Properties producing =
        with(
            broker,
            "acks", "all",
            "request.timeout.ms", TIMEOUT_MS / 2,
            "delivery.timeout.ms", TIMEOUT_MS,
            "max.block.ms", TIMEOUT_MS);
    try (var producer = new KafkaProducer<>(producing, new StringSerializer(), new StringSerializer())) {
      var record = new ProducerRecord<String, String>(TOPIC, sent);
      offset = producer.send(record).get(TIMEOUT_MS, TimeUnit.MILLISECONDS).offset();
    }
    try (var consumer = new KafkaConsumer<>(client, new StringDeserializer(), new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(TOPIC, 0);
      consumer.assign(List.of(partition));
      consumer.seek(partition, offset);
      for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(TIMEOUT_MS))) {
        if (record.offset() == offset && record.value().equals(sent)) {
          return;
        }
      }
    }
    throw new IllegalStateException("the record produced at offset " + offset + " did not come back");
  }
}
