import java.io.File;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.thrift2.ThriftServer;
import org.apache.hadoop.hbase.thrift2.generated.TColumnFamilyDescriptor;
import org.apache.hadoop.hbase.thrift2.generated.TColumnValue;
import org.apache.hadoop.hbase.thrift2.generated.TGet;
import org.apache.hadoop.hbase.thrift2.generated.THBaseService;
import org.apache.hadoop.hbase.thrift2.generated.TPut;
import org.apache.hadoop.hbase.thrift2.generated.TTableDescriptor;
import org.apache.hadoop.hbase.thrift2.generated.TTableName;
import org.apache.hadoop.util.ToolRunner;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.transport.THttpClient;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.layered.TFramedTransport;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * All of HBase in this process: ZooKeeper, master, region server and the Thrift2 server; says when put and get work.
 * hbase-site.xml, on the class path, holds the ports and folders.
 */
public final class LocalHBase {
  private static final int TICK_MS = 2000;
  private static final int INITIALISED_POLL_MS = 50;
  private static final int TIMEOUT_MS = 30_000;
  private static final ByteBuffer TABLE = bytes("orbweaver_probe");
  private static final ByteBuffer FAMILY = bytes("f");

  /**
   * Arguments: the folder for ZooKeeper, the Thrift port, the file to create when ready, and where the Thrift server speaks TLS the
   * authority of its certificate.
   */
  public static void main(String[] args) {
    try {
      serve(args);
    } catch (Throwable e) {
      // The servers' threads would go on without this one, and nobody would ever hear that they are ready.
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void serve(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    startZooKeeper(new File(args[0]), conf.getInt("hbase.zookeeper.property.clientPort", 2181));

    LocalHBaseCluster cluster = new LocalHBaseCluster(conf, 1, 1);
    cluster.startup();
    Readiness.serve("hbase", cluster::join);

    int port = Integer.parseInt(args[1]);
    boolean framed = conf.getBoolean("hbase.regionserver.thrift.framed", false);
    boolean compact = conf.getBoolean("hbase.regionserver.thrift.compact", false);
    // The server takes what its command line does not name for refused, whatever the configuration says.
    String address = conf.get("hbase.regionserver.thrift.ipaddress", "127.0.0.1");
    List<String> thrift = new ArrayList<>(List.of("-b", address, "-p", args[1], "--infoport", "-1"));
    if (framed) {
      thrift.add("-f");
    }
    if (compact) {
      thrift.add("-c");
    }
    thrift.add("start");
    while (cluster.getActiveMaster() == null || !cluster.getActiveMaster().isInitialized()) {
      Thread.sleep(INITIALISED_POLL_MS);
    }
    HMaster master = cluster.getActiveMaster();
    if (args.length > 3) {
      HttpsURLConnection.setDefaultSSLSocketFactory(trusting(Path.of(args[3])));
    }
    Readiness.serve("thrift2", () -> ToolRunner.run(conf, new ThriftServer(conf), thrift.toArray(new String[0])));
    Readiness.keep(
        Path.of(args[2]),
        () -> {
          checkRegions(master);
          probe(args.length > 3 ? overHttps(port) : overSocket(port, framed), compact);
        });
  }

  /** HBase's own MiniZooKeeperCluster listens on every interface and takes another port when its own is taken. */
  private static void startZooKeeper(File dir, int port) throws Exception {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
    int maxConnectionsPerHost = 1000;
    ServerCnxnFactory.createFactory(address, maxConnectionsPerHost)
        .startup(new ZooKeeperServer(dir, dir, TICK_MS));
  }

  /** After a kill the probe's region may be back before others: ready means that every table can be read. */
  private static void checkRegions(HMaster master) {
    if (master.getServerManager().areDeadServersInProgress()) {
      throw new IllegalStateException("the logs of the killed server are still being replayed");
    }
    int moving = master.getAssignmentManager().getRegionStates().getRegionsInTransitionCount();
    if (moving > 0) {
      throw new IllegalStateException(moving + " regions are not open yet");
    }
  }

  private static SSLSocketFactory trusting(Path authority) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream file = Files.newInputStream(authority)) {
      trusted.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context.getSocketFactory();
  }

  private static TTransport overSocket(int port, boolean framed) throws Exception {
    TSocket socket = new TSocket(new TConfiguration(), "127.0.0.1", port, TIMEOUT_MS);
    return framed ? new TFramedTransport(socket) : socket;
  }

  private static TTransport overHttps(int port) throws Exception {
    THttpClient client = new THttpClient("https://127.0.0.1:" + port + "/");
    client.setConnectTimeout(TIMEOUT_MS);
    client.setReadTimeout(TIMEOUT_MS);
    return client;
  }

  /** Puts a value and gets that very value, through the Thrift port. */
  private static void probe(TTransport transport, boolean compact) throws Exception {
    try (transport) {
      transport.open();
      THBaseService.Client client =
          new THBaseService.Client(compact ? new TCompactProtocol(transport) : new TBinaryProtocol(transport));
      TTableName name = new TTableName(TABLE.duplicate());
      if (!client.tableExists(name)) {
        TTableDescriptor table = new TTableDescriptor(name);
        table.setColumns(List.of(new TColumnFamilyDescriptor(FAMILY.duplicate())));
        client.createTable(table, List.of());
      }
      ByteBuffer value = ByteBuffer.allocate(8).putLong(0, System.nanoTime());
      ByteBuffer row = bytes("row");
      TColumnValue cell = new TColumnValue(FAMILY.duplicate(), bytes("q"), value.duplicate());
      client.put(TABLE.duplicate(), new TPut(row.duplicate(), List.of(cell)));
      var found = client.get(TABLE.duplicate(), new TGet(row.duplicate())).getColumnValues();
      if (found.size() != 1 || !value.equals(ByteBuffer.wrap(found.get(0).getValue()))) {
        throw new IllegalStateException("the value put did not come back");
      }
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }
}
