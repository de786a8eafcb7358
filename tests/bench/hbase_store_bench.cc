// The cost of the store on HBase for its client and for the server: batches of 1000 rows of one
// cell of 500 bytes, as the strategy worker's flushes and loads are. Needs the services of `./run
// services`.
#include <cstdlib>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/store/hbase/hbase_store.h"
#include "common/store/hbase/hbase_tables.h"
#include "tests/bench/bench.h"
#include "tests/bench/service_cpu.h"
#include "tests/bench/store_rows.h"

namespace orbweaver {
namespace {

constexpr size_t kRows = 200'000;
constexpr size_t kBatch = 1000;
constexpr size_t kValueBytes = 500;
constexpr Duration kTimeout = std::chrono::minutes(2);

class HBaseBench {
 public:
  HBaseBench(BenchReport& report, HBaseStore& store) : report_(report), store_(store) {
    for (size_t i = 0; i < kRows; ++i) rows_.push_back(BenchRow(i));
    Random random(1);
    for (int i = 0; i < 1024; ++i) values_.push_back(BenchValue(random, kValueBytes));
  }

  void Put(Version version) {
    Measure("hbase_put", [&](size_t first) {
      for (size_t i = 0; i < kBatch; ++i) {
        cells_[i] = {"r", values_[(first + i) % values_.size()]};
        puts_[i] = {rows_[first + i], version, {&cells_[i], 1}};
      }
      return store_.Write(Table::kDomains, puts_, kTimeout, &remaining_);
    });
  }

  void Get() {
    Measure("hbase_get", [&](size_t first) {
      for (size_t i = 0; i < kBatch; ++i) gets_[i] = {rows_[first + i], {}};
      absl::Status status = store_.MultiGet(Table::kDomains, gets_, kTimeout, &found_);
      for (size_t i = 0; status.ok() && i < kBatch; ++i) {
        if (found_[i].size() != 1 || found_[i][0].value.size() != kValueBytes) {
          return FatalError("row {} is not as it was put", first + i);
        }
      }
      return status;
    });
  }

 private:
  template <typename Batch>
  void Measure(std::string_view name, Batch batch) {
    const double server_before = server_.Seconds();
    const CpuTimer timer;
    for (size_t first = 0; first < kRows; first += kBatch) {
      if (const absl::Status status = batch(first); !status.ok()) {
        return report_.Fail(name, MessageOf(status));
      }
    }
    report_.AddRate(name, kRows, "rows/cpu_s", timer, "server CPU");
    const double server_s = server_.Seconds() - server_before;
    if (server_.found()) {
      report_.Add(fmt::format("{}_server", name), server_s / kRows * 1e6, "server_us/row", server_s,
                  timer.WallSeconds(), "server CPU");
    }
  }

  BenchReport& report_;
  HBaseStore& store_;
  const ServiceCpu server_{"hbase"};
  std::vector<std::string> rows_, values_;
  std::vector<CellPut> cells_{kBatch};
  std::vector<RowPut> puts_{kBatch};
  std::vector<RowGet> gets_{kBatch};
  std::vector<uint32_t> remaining_;
  Rows found_;
};

void HBaseStoreBench(BenchReport& report) {
  const char* const thrift = std::getenv("ORBWEAVER_THRIFT");
  if (thrift == nullptr) {
    return report.Fail("hbase_put",
                       "ORBWEAVER_THRIFT is not set. Start HBase with `./run services up`.");
  }
  HBaseOptions options;
  options.hosts = {thrift};
  options.table_prefix = "bench_";
  const auto tables = HBaseTables::Create(options);
  if (!tables.ok()) return report.Fail("hbase_put", MessageOf(tables.status()));
  const absl::Status made = (*tables)->Make(Table::kDomains, kTimeout);
  if (!made.ok()) return report.Fail("hbase_put", MessageOf(made));
  const auto store = HBaseStore::Create(options);
  HBaseBench bench(report, **store);
  // Above the versions of earlier runs.
  const auto version = static_cast<uint64_t>(SystemClock().Wall().time_since_epoch().count());
  bench.Put(Version(version));
  bench.Get();
}

ORBWEAVER_BENCH("store", HBaseStoreBench);

}  // namespace
}  // namespace orbweaver
