// The console's first view, and its table of domains, of a folder with 100,000 domains.
//
// Each domain has a record with twenty link states, and a queue with a chunk of ten requests; all
// stands in table files. The cases ask as a browser does: by the API, JSON included.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console/console_api.h"
#include "fmt/format.h"
#include "rocksdb/db.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/shard.h"
#include "tests/bench/bench.h"
#include "tests/bench/store_rows.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr size_t kDomains = 100'000;
constexpr size_t kBatch = 1000;
constexpr size_t kStateBytes = 400;
constexpr size_t kChunkBytes = 1000;
constexpr Duration kTimeout = std::chrono::minutes(1);

struct DomainBytes {
  std::string row, record_row, record, head, chunk_column, chunk;
};

DomainBytes BytesOf(size_t i, Random& random) {
  DomainBytes bytes;
  bytes.row = DomainRow(fmt::format("site-{}.example", i * 7919));
  bytes.record_row = ShardRow(bytes.row, 0);
  DomainRecord record{.fetched = random.Below(1000),
                      .scheduled = random.Below(2000),
                      .failed = random.Below(10),
                      .known_urls = 20,
                      .robots_status = 200,
                      .strategy_name = "breadth_first",
                      .strategy_data = std::string(16, 'x')};
  bytes.record = EncodeDomainRecord(record) + BenchValue(random, kStateBytes);
  Head head;
  head.bands[random.Below(kBands)].Append(10, 1);
  for (Band& band : head.bands) band.waiting = band.empty() ? 0 : 10;
  EncodeHead(head, &bytes.head);
  for (int band = 0; band < kBands; ++band) {
    if (!head.bands[static_cast<size_t>(band)].empty()) {
      bytes.chunk_column = BandColumn(head, band, 0);
    }
  }
  bytes.chunk = BenchValue(random, kChunkBytes);
  return bytes;
}

absl::Status Fill(Database& database, RocksdbStore& store) {
  Random random(1);
  std::vector<DomainBytes> bytes(kBatch);
  std::vector<std::array<CellPut, 3>> cells(kBatch);
  std::vector<RowPut> records(kBatch), queues(kBatch);
  std::vector<uint32_t> remaining;
  for (size_t first = 0; first < kDomains; first += kBatch) {
    for (size_t i = 0; i < kBatch; ++i) {
      bytes[i] = BytesOf(first + i, random);
      cells[i] = {CellPut{kRecordColumn, bytes[i].record}, CellPut{kHeadColumn, bytes[i].head},
                  CellPut{bytes[i].chunk_column, bytes[i].chunk}};
      records[i] = {bytes[i].record_row, Version(1), {&cells[i][0], 1}};
      queues[i] = {bytes[i].row, Version(1), {&cells[i][1], 2}};
    }
    RETURN_IF_ERROR(store.Write(Table::kDomains, records, kTimeout, &remaining));
    RETURN_IF_ERROR(store.Write(Table::kQueue, queues, kTimeout, &remaining));
  }
  for (const Table table : {Table::kDomains, Table::kQueue}) {
    RETURN_IF_ERROR(
        database.ToStatus(database.db().Flush({}, database.table(table)), "flush a table"));
  }
  return absl::OkStatus();
}

void ConsoleBench(BenchReport& report) {
  const ScratchFolder folder;
  auto database = Database::Open({.folder = folder.path() / "data"});
  if (!database.ok()) return report.Fail("open", MessageOf(database.status()));
  RocksdbStore store(**database);
  auto bus = EmbeddedBus::Open(**database, SystemClock());
  if (!bus.ok()) return report.Fail("open", MessageOf(bus.status()));
  TopicOptions topics;
  topics.partitions = 4;
  if (const auto made = (*bus)->EnsureTopics(*ProductTopics(topics), kTimeout); !made.ok()) {
    return report.Fail("topics", MessageOf(made.status()));
  }
  if (const absl::Status filled = Fill(**database, store); !filled.ok()) {
    return report.Fail("fill", MessageOf(filled));
  }
  const Frontier frontier(**bus, store);
  const ProductOptions options;
  const auto suffixes = PublicSuffixes::Load({});
  if (!suffixes.ok()) return report.Fail("suffixes", MessageOf(suffixes.status()));
  ConsoleApi api(options, **suffixes, SystemClock(),
                 {.kind = "folder",
                  .name = "bench",
                  .look = [&frontier]() -> absl::StatusOr<const Frontier*> { return &frontier; },
                  .queue = {},
                  .write_run = {}});
  const auto ask = [&](std::string_view name, std::string_view target) {
    const CpuTimer timer;
    const AdminResponse answer = api.Handle({.method = "GET", .target = target});
    if (answer.status != 200) return report.Fail(name, answer.body);
    report.AddRate(name, kDomains, "domains/cpu_s", timer, "CPU: RocksDB, decoding");
  };
  ask("overview", "/api/v1/overview");
  ask("table", "/api/v1/domains?sort=waiting");
  ask("table, other order", "/api/v1/domains?sort=fetched");
  ask("table, a name", "/api/v1/domains?contains=site-77");
  ask("overview again", "/api/v1/overview");
}

ORBWEAVER_BENCH("console", ConsoleBench);

}  // namespace
}  // namespace orbweaver
