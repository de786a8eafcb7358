// The console's first view, and its table of domains, of a folder at rest with 100,000 domains and
// with a million; asked as a browser asks, by the API, JSON included.
//
// Times are CPU; a view is one request. `open` is over before the console says its address.
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/console/console_api.h"
#include "cli/console/folder_look.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "tests/bench/bench.h"
#include "tests/bench/heap.h"
#include "tests/support/many_domains.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(1);

absl::Status Fill(const std::filesystem::path& folder, uint64_t domains) {
  ASSIGN_OR_RETURN(const auto database, Database::Open({.folder = folder}));
  ASSIGN_OR_RETURN(const auto bus, EmbeddedBus::Open(*database, SystemClock()));
  TopicOptions topics;
  topics.partitions = 4;
  ASSIGN_OR_RETURN(const auto made, ProductTopics(topics));
  RETURN_IF_ERROR(bus->EnsureTopics(made, kTimeout).status());
  RocksdbStore store(*database);
  return PutManyDomains(store, domains);
}

void Look(BenchReport& report, std::string_view name, uint64_t domains) {
  const ScratchFolder scratch;
  const std::filesystem::path folder = scratch.path() / "data";
  if (const absl::Status filled = Fill(folder, domains); !filled.ok()) {
    return report.Fail("fill", MessageOf(filled));
  }
  const size_t heap = HeapBytes();
  const ProductOptions options;
  const auto suffixes = PublicSuffixes::Load({});
  if (!suffixes.ok()) return report.Fail("suffixes", MessageOf(suffixes.status()));
  FolderLook look(options, folder, SystemClock());
  ConsoleApi api(options, **suffixes, SystemClock(),
                 {.kind = "folder",
                  .name = "bench",
                  .look = [&look] { return look.Look(); },
                  .queue = {},
                  .write_run = {}});
  const auto measure = [&](std::string_view what, std::string_view target,
                           std::string_view limit = "CPU: RocksDB, decoding") {
    const std::string row = fmt::format("{}_{}", name, what);
    const CpuTimer timer;
    const AdminResponse answer = api.Handle({.method = "GET", .target = target});
    if (answer.status != 200) return report.Fail(row, answer.body);
    const double cpu_s = timer.CpuSeconds();
    report.Add(row, cpu_s * 1000, "ms", cpu_s, timer.WallSeconds(), limit);
  };
  measure("open", "/api/v1/dead-letters", "reading the write-ahead log");
  measure("overview", "/api/v1/overview");
  measure("table", "/api/v1/domains?sort=waiting");
  measure("other_order", "/api/v1/domains?sort=fetched");
  measure("a_name", "/api/v1/domains?contains=site-77");
  measure("overview_again", "/api/v1/overview");
  report.Add(fmt::format("{}_memory", name), static_cast<double>(HeapBytes() - heap) / 1e6, "MB", 0,
             0, "the table; RocksDB's blocks and indexes");
}

void ConsoleBench(BenchReport& report) {
  Look(report, "100k", 100'000);
  Look(report, "1m", 1'000'000);
}

ORBWEAVER_BENCH("console", ConsoleBench);

}  // namespace
}  // namespace orbweaver
