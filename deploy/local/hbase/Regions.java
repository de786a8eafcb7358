import java.util.List;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;

/** Splits and moves a table's regions on demand, as a busy cluster does by itself: for tests of readers and writers meanwhile. */
public final class Regions {
  /** Arguments: `split` or `move`, and the tables. Returns when it is done. */
  public static void main(String[] args) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
        Admin admin = connection.getAdmin()) {
      for (String table : List.of(args).subList(1, args.length)) {
        change(admin, TableName.valueOf(table), args[0].equals("split"));
      }
    }
  }

  private static void change(Admin admin, TableName table, boolean split) throws Exception {
    List<RegionInfo> regions = admin.getRegions(table);
    for (RegionInfo region : regions) {
      if (split) {
        admin.splitRegionAsync(region.getRegionName(), middle(region)).get();
      } else {
        // There is one region server: the region is closed, and opened again in the same place.
        admin.unassign(region.getRegionName());
        admin.assign(region.getRegionName());
      }
    }
    if (split && admin.getRegions(table).size() != 2 * regions.size()) {
      throw new IllegalStateException("not every region was split");
    }
  }

  /** Rows begin with a slot, 0 to 4095 in two bytes. */
  private static byte[] middle(RegionInfo region) {
    byte[] last = {0x10, 0};
    byte[] first = {0, 0};
    return Bytes.split(region.getStartKey().length == 0 ? first : region.getStartKey(),
        region.getEndKey().length == 0 ? last : region.getEndKey(), 1)[1];
  }
}
