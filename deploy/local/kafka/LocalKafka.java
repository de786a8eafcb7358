import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

  /** Arguments: server.properties, the data folder named in it, the port, the file to create when ready. */
  public static void main(String[] args) throws Exception {
    String properties = args[0];
    Path data = Path.of(args[1]);
    String address = "127.0.0.1:" + args[2];
    if (!Files.exists(data.resolve("meta.properties"))) {
      String id = org.apache.kafka.common.Uuid.randomUuid().toString();
      int failed =
          kafka.tools.StorageTool.execute(
              new String[] {"format", "-t", id, "-c", properties, "--ignore-formatted"}, System.err);
      if (failed != 0) {
        System.exit(failed);
      }
    }
    Readiness.serve("kafka", () -> kafka.Kafka.main(new String[] {properties}));
    Readiness.keep(Path.of(args[3]), () -> probe(address));
  }

  /** Produces one record and consumes that very record. */
  private static void probe(String address) throws Exception {
    Map<String, Object> client =
        Map.of(
            "bootstrap.servers", address,
            "request.timeout.ms", TIMEOUT_MS,
            "default.api.timeout.ms", TIMEOUT_MS);
    try (Admin admin = Admin.create(client)) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
    String sent = "probe " + System.nanoTime();
    long offset;
    Map<String, Object> producing =
        Map.of(
            "bootstrap.servers", address,
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
