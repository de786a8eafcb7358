// The cost of each block size of HBase's files for its server: the same rows in a table of each
// size, put, flushed to files, got for the first time and got again, in turn and three times over,
// medians.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
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

constexpr int kBlockKiB[] = {8, 16, 32, 64};
constexpr size_t kRounds = 3;
constexpr size_t kBatch = 1000;
constexpr size_t kBytes = size_t{8} << 20;  // of rows of one size, in each round
constexpr Duration kTimeout = std::chrono::minutes(2);

// One table, by its block size.
class Blocks {
 public:
  static absl::StatusOr<std::unique_ptr<Blocks>> Make(const char* thrift, int kib) {
    HBaseOptions options;
    options.hosts = {thrift};
    options.table_prefix = fmt::format("bench_blocks_{}k_", kib);
    options.tables.block_bytes = kib << 10;
    options.tables.regions = 1;
    ASSIGN_OR_RETURN(const auto tables, HBaseTables::Create(options));
    RETURN_IF_ERROR((*tables).Make(Table::kDomains, kTimeout));
    ASSIGN_OR_RETURN(auto store, HBaseStore::Create(options));
    return std::unique_ptr<Blocks>(new Blocks(options.table_prefix + "domains", std::move(store)));
  }

  absl::Status Put(std::span<const std::string> rows, const std::string& value) {
    const CellPut cell{"r", value};
    const auto version = static_cast<uint64_t>(SystemClock().Wall().time_since_epoch().count());
    std::vector<RowPut> puts;
    for (const std::string& row : rows) puts.push_back({row, Version(version), {&cell, 1}});
    std::vector<uint32_t> remaining;
    return store_->Write(Table::kDomains, puts, kTimeout, &remaining);
  }

  absl::Status Get(std::span<const std::string> rows) {
    std::vector<RowGet> gets;
    for (const std::string& row : rows) gets.push_back({row, {}});
    RETURN_IF_ERROR(store_->MultiGet(Table::kDomains, gets, kTimeout, &found_));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (found_[i].size() != 1) return FatalError("a row is missing");
    }
    return absl::OkStatus();
  }

  const std::string& table() const { return table_; }

 private:
  Blocks(std::string table, std::unique_ptr<HBaseStore> store)
      : table_(std::move(table)), store_(std::move(store)) {}

  const std::string table_;
  const std::unique_ptr<HBaseStore> store_;
  Rows found_;
};

// Closing a region writes what it has in memory to a file.
absl::Status Flush(std::span<const std::unique_ptr<Blocks>> tables) {
  std::string command = fmt::format("'{}' regions move", std::getenv("ORBWEAVER_SERVICES"));
  for (const auto& table : tables) command += " " + table->table();
  if (std::system(command.c_str()) == 0) return absl::OkStatus();
  return FatalError("{} failed", command);
}

// Rows of one size, and by case the server's microseconds a row in each round.
class Rounds {
 public:
  Rounds(std::span<const std::unique_ptr<Blocks>> tables, size_t row_bytes)
      : tables_(tables), row_bytes_(row_bytes) {}

  absl::Status Put(uint64_t first) {
    rows_.clear();
    for (uint64_t i = 0; i < kBytes / row_bytes_ / kBatch * kBatch; ++i) {
      rows_.push_back(BenchRow(first + i));
    }
    random_ = Random(first);
    const std::string value = BenchValue(random_, row_bytes_);
    return Measure("put", [&](Blocks& table, auto batch) { return table.Put(batch, value); });
  }

  absl::Status Get() {
    // In no order, as a worker's domains come.
    for (size_t i = rows_.size(); i > 1; --i) std::swap(rows_[i - 1], rows_[random_.Below(i)]);
    const auto get = [](Blocks& table, auto batch) { return table.Get(batch); };
    RETURN_IF_ERROR(Measure("get_first", get));
    return Measure("get_again", get);
  }

  // Forgets the rounds so far.
  void Restart() { costs_.clear(); }

  void Report(const CpuTimer& timer, BenchReport& report) {
    for (auto& [name, values] : costs_) {
      std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
      report.Add(name, values[kRounds / 2], "server_us/row", timer.CpuSeconds(),
                 timer.WallSeconds(), "server CPU");
    }
  }

 private:
  template <typename Call>
  absl::Status Measure(std::string_view name, Call call) {
    for (size_t i = 0; i < tables_.size(); ++i) {
      const double before = server_.Seconds();
      for (size_t at = 0; at < rows_.size(); at += kBatch) {
        RETURN_IF_ERROR(call(*tables_[i], std::span(rows_).subspan(at, kBatch)));
      }
      costs_[fmt::format("hbase_{}_{}_bytes_{}k", name, row_bytes_, kBlockKiB[i])].push_back(
          (server_.Seconds() - before) / static_cast<double>(rows_.size()) * 1e6);
    }
    return absl::OkStatus();
  }

  const std::span<const std::unique_ptr<Blocks>> tables_;
  const size_t row_bytes_;
  const ServiceCpu server_{"hbase"};
  Random random_{0};
  std::vector<std::string> rows_;
  std::map<std::string, std::vector<double>> costs_;
};

absl::Status Measure(const char* thrift, BenchReport& report) {
  std::vector<std::unique_ptr<Blocks>> tables;
  for (const int kib : kBlockKiB) {
    ASSIGN_OR_RETURN(auto blocks, Blocks::Make(thrift, kib));
    tables.push_back(std::move(blocks));
  }
  // Rows that no earlier run has put.
  auto first = static_cast<uint64_t>(SystemClock().Wall().time_since_epoch().count()) << 20;
  const CpuTimer timer;
  Rounds sizes[] = {{tables, 500}, {tables, 4000}};
  // A round before the first warms the server up.
  for (size_t round = 0; round <= kRounds; ++round) {
    for (Rounds& rounds : sizes) {
      if (round == 1) rounds.Restart();
      RETURN_IF_ERROR(rounds.Put(first));
      first += uint64_t{1} << 20;
    }
    RETURN_IF_ERROR(Flush(tables));
    for (Rounds& rounds : sizes) RETURN_IF_ERROR(rounds.Get());
  }
  for (Rounds& rounds : sizes) rounds.Report(timer, report);
  return absl::OkStatus();
}

void HBaseBlocksBench(BenchReport& report) {
  const char* const thrift = std::getenv("ORBWEAVER_THRIFT");
  if (thrift == nullptr || !ServiceCpu("hbase").found()) {
    return report.Fail("hbase_blocks",
                       "HBase does not run on this machine. Start it with `./run services up`.");
  }
  const absl::Status status = Measure(thrift, report);
  if (!status.ok()) report.Fail("hbase_blocks", MessageOf(status));
}

ORBWEAVER_BENCH("hbase_blocks", HBaseBlocksBench);

}  // namespace
}  // namespace orbweaver
