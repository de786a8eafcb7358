// `orbweaver crawl` whole: all workers in this process, durable, on a web that another process
// serves. CPU and memory are this process's, the kernel's work for its sockets and files included.
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <string>
#include <string_view>

#include "cli/crawl/crawl_watch.h"
#include "cli/crawl/local_crawl.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "tests/bench/bench.h"
#include "tests/bench/served_web.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(1);
constexpr Duration kPatience = std::chrono::minutes(20);
constexpr Duration kFollow = std::chrono::milliseconds(50);

// `field` is VmRSS for now, VmHWM for the most so far.
double MemoryMb(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) * 1024 / 1e6;
  }
  return 0;
}

uint64_t BytesOf(const std::filesystem::path& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// One crawl without delays, of the served web, in a folder of its own.
class Crawl {
 public:
  explicit Crawl(const ServedWeb& web) {
    SetLocalDefaults(&options_);
    options_.spider.scope.kind = ScopeKind::kEverything;
    options_.spider.politeness.delay = {};
    options_.spider.network.allow_networks = {"127.0.0.0/8"};
    options_.spider.network.proxy = fmt::format("http://127.0.0.1:{}", web.port());
  }

  absl::Status Start(const std::string& seed) {
    ASSIGN_OR_RETURN(crawl_, LocalCrawl::Open(options_, folder()));
    ASSIGN_OR_RETURN(watch_, CrawlWatch::Create(*crawl_, /*recorder=*/nullptr, {}));
    UrlResolver resolver(options_.spider.url, crawl_->suffixes());
    ASSIGN_OR_RETURN(const auto writer,
                     SeedWriter::Create(crawl_->bus(), SystemClock(), resolver, kTimeout));
    if (writer->Add(seed) != UrlError::kNone) return FatalError("seed {}", seed);
    RETURN_IF_ERROR(writer->Finish());
    crawl_->Start();
    return absl::OkStatus();
  }

  // Until so many pages have come; what was in memory meanwhile, on average, in MB.
  absl::StatusOr<double> RunTo(uint64_t pages) {
    double sum = 0;
    int looks = 0;
    const SteadyTime deadline = SystemClock().Now() + kPatience;
    while (watch_->tally().pages() < pages) {
      RETURN_IF_ERROR(watch_->Follow(kFollow));
      sum += MemoryMb("VmRSS");
      ++looks;
      const SteadyTime now = SystemClock().Now();
      if (now >= deadline || crawl_->failed().requested()) {
        return FatalError("{} of {} pages", watch_->tally().pages(), pages);
      }
    }
    return looks == 0 ? 0 : sum / looks;
  }

  // The share of the spider log that the strategy worker has not come to: what a figure of a crawl
  // leaves out.
  absl::StatusOr<double> Backlog() {
    std::vector<PartitionId> partitions;
    for (int i = 0; i < crawl_->partitions(); ++i) partitions.emplace_back(i);
    ASSIGN_OR_RETURN(const auto offsets, crawl_->bus().NewOffsetReader());
    ASSIGN_OR_RETURN(const auto committed, offsets->Committed(kStrategyWorkerGroup, kSpiderLogTopic,
                                                              partitions, kTimeout));
    ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(kSpiderLogTopic, partitions, kTimeout));
    double written = 0, left = 0;
    for (size_t i = 0; i < bounds.size(); ++i) {
      const Offset read = committed[i].has_value() ? committed[i]->offset : Offset(0);
      written += static_cast<double>(bounds[i].end.value());
      left += static_cast<double>(bounds[i].end - read);
    }
    return left / written;
  }

  absl::Status Stop() { return crawl_->Stop(); }
  std::filesystem::path folder() const { return scratch_.path() / "crawl"; }
  uint64_t pages() const { return watch_->tally().pages(); }

 private:
  const ScratchFolder scratch_;
  ProductOptions options_;
  std::unique_ptr<LocalCrawl> crawl_;
  std::unique_ptr<CrawlWatch> watch_;
};

// False, and reported, when `status` is an error.
bool Good(BenchReport& report, std::string_view name, const absl::Status& status) {
  if (!status.ok()) report.Fail(name, MessageOf(status));
  return status.ok();
}

void ManyHosts(BenchReport& report) {
  constexpr std::string_view kName = "web_1000x10000";
  constexpr uint64_t kHalf = 100'000;
  constexpr uint64_t kBefore = 40'000;  // pages over which what comes and goes is averaged
  const ServedWeb web({.hosts = 1000, .pages_per_host = 10'000});
  Crawl crawl(web);
  const CpuTimer timer;
  if (!Good(report, kName, crawl.Start(web.Url(0, 0)))) return;
  double peaks[2], means[2];
  for (const size_t i : {0, 1}) {
    const uint64_t end = (i + 1) * kHalf;
    if (!Good(report, kName, crawl.RunTo(end - kBefore).status())) return;
    const absl::StatusOr<double> mean = crawl.RunTo(end);
    if (!Good(report, kName, mean.status())) return;
    means[i] = *mean;
    peaks[i] = MemoryMb("VmHWM");
  }
  const double cpu_s = timer.CpuSeconds(), wall_s = timer.WallSeconds();
  const auto pages = static_cast<double>(crawl.pages());
  const auto backlog = crawl.Backlog();
  if (!Good(report, kName, backlog.status())) return;
  if (!Good(report, kName, crawl.Stop())) return;
  report.Add(kName, pages / cpu_s, "pages/cpu_s", cpu_s, wall_s, "CPU: parsing, links, states");
  report.Add("web_1000x10000_wall", pages / wall_s, "pages/s", cpu_s, wall_s,
             "CPU: strategy worker and spider, a thread each, beside the web's own process");
  report.Add("web_1000x10000_backlog", *backlog * 100, "%", cpu_s, wall_s,
             "of the spider log, not read by the strategy worker at that moment: fsyncs");
  report.Add("web_1000x10000_memory_100k", peaks[0], "MB", cpu_s, wall_s,
             "peak: caches of store and states, write buffers, requests in flight");
  report.Add("web_1000x10000_memory_200k", peaks[1], "MB", cpu_s, wall_s, "peak: likewise");
  report.Add("web_1000x10000_memory_mean_100k", means[0], "MB", cpu_s, wall_s,
             "of the 40,000 pages before");
  report.Add("web_1000x10000_memory_mean_200k", means[1], "MB", cpu_s, wall_s, "likewise");
  report.Add("web_1000x10000_disk", static_cast<double>(BytesOf(crawl.folder())) / pages,
             "bytes/page", cpu_s, wall_s, "states and queue of all URLs seen");
}

void OneSite(BenchReport& report) {
  constexpr uint64_t kPages = 5000;
  const ServedWeb web({.hosts = 1, .pages_per_host = 10'000, .outside_links = 0});
  Crawl crawl(web);
  const CpuTimer timer;
  if (!Good(report, "first_page", crawl.Start(web.Url(0, 0)))) return;
  if (!Good(report, "first_page", crawl.RunTo(1).status())) return;
  report.Add("first_page", timer.WallSeconds() * 1000, "ms", timer.CpuSeconds(),
             timer.WallSeconds(), "waiting: a new folder's fsyncs, the way round through all logs");
  const CpuTimer rest;
  if (!Good(report, "single_site", crawl.RunTo(kPages).status())) return;
  report.Add("single_site", static_cast<double>(kPages) / rest.WallSeconds(), "pages/s",
             rest.CpuSeconds(), rest.WallSeconds(), "one request after the other");
  Good(report, "single_site", crawl.Stop());
}

void CrawlBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  OneSite(report);
  ManyHosts(report);
}

}  // namespace

ORBWEAVER_BENCH("crawl", CrawlBench);

}  // namespace orbweaver
