// The console's first view, and its table of domains, of a folder at rest with 100,000 domains and
// with a million; asked as a browser asks, by the API, JSON included.
//
// Times are CPU; a view is one request. `open` is over before the console says its address. The
// first view of 100,000 domains may take half a second: where it takes longer the benchmark fails.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/console/console_api.h"
#include "cli/console/folder_look.h"
#include "cli/frontier/outcomes_file.h"
#include "cli/frontier/recent_outcomes.h"
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
constexpr uint64_t kJudged = 100'000;  // domains
constexpr double kMostFirstViewSeconds = 0.5;

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
                           std::string_view limit = "CPU: RocksDB, decoding") -> double {
    const std::string row = fmt::format("{}_{}", name, what);
    const CpuTimer timer;
    const AdminResponse answer = api.Handle({.method = "GET", .target = target});
    if (answer.status != 200) report.Fail(row, answer.body);
    const double cpu_s = timer.CpuSeconds();
    report.Add(row, cpu_s * 1000, "ms", cpu_s, timer.WallSeconds(), limit);
    return cpu_s;
  };
  measure("open", "/api/v1/dead-letters", "reading the write-ahead log");
  const double overview = measure("overview", "/api/v1/overview");
  const double table = measure("table", "/api/v1/domains?sort=waiting");
  if (domains == kJudged && std::max(overview, table) > kMostFirstViewSeconds) {
    report.Fail(name, "the first view is slower than wanted: half a second");
  }
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

// The work for a crawl's last outcomes, whether anybody looks or not: the thread that follows the
// crawl notes each, and writes them all every half a minute.
void OutcomesBench(BenchReport& report) {
  const ScratchFolder scratch;
  RecentOutcomes recent;
  const std::string url = "http://site-4711.example/a/path/of/usual/length/page-123456.html";
  const SpiderLogEntry page{.domain = "site-4711.example",
                            .event = PageFetched{.request = {.url = url}, .status = 200}};
  constexpr size_t kCount = 10 * RecentOutcomes::kMost;
  const CpuTimer noting;
  for (size_t i = 0; i < kCount; ++i) recent.Add(page);
  const double noted_s = noting.CpuSeconds();
  report.Add("note", noted_s * 1e6 / kCount, "us", noted_s, noting.WallSeconds(),
             "CPU: copies of texts");
  const CpuTimer keeping;
  const absl::Status kept = KeepOutcomes(OutcomesFile(scratch.path()), recent);
  if (!kept.ok()) return report.Fail("keep", MessageOf(kept));
  report.Add("keep", keeping.CpuSeconds() * 1000, "ms", keeping.CpuSeconds(), keeping.WallSeconds(),
             "CPU: encoding; a file of some megabytes");
}

ORBWEAVER_BENCH("console", ConsoleBench);
ORBWEAVER_BENCH("outcomes", OutcomesBench);

}  // namespace
}  // namespace orbweaver
