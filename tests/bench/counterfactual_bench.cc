// Counterfactual crawls: a recorded web of pages with 60 links, 55 of them to the page's own site
// and the others to five more, is read and crawled in virtual time by breadth_first. All pages are
// recorded, so the crawl fetches each. Memory is that of the process, the allocator's and the
// recorded web's index with it; recorded pages lie in a file, which the system may keep in memory
// beside it.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_broker.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/spider_log.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "lab/crawl/recorded_source.h"
#include "lab/crawl/recorded_web.h"
#include "lab/crawl/virtual_crawl.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording.h"
#include "lab/recording/recording_folder.h"
#include "lab/report/evaluation.h"
#include "lab/report/page_value.h"
#include "lab/report/recorded_pages.h"
#include "strategy_worker/host/loader.h"
#include "tests/bench/bench.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;
constexpr int kSpiders = 4;
constexpr int kPagesOfASite = 100;
constexpr int kLinksInside = 55;
constexpr int kLinksOutside = 5;
constexpr int kPagesOfAFile = 5'000;
constexpr Duration kTimeout = std::chrono::seconds(60);

struct Size {
  int sites;
  uint64_t pages() const { return static_cast<uint64_t>(sites) * kPagesOfASite; }
};

std::string DomainOf(int site) { return fmt::format("site{}.example", site); }
std::string UrlOf(int site, int page) {
  return fmt::format("https://www.{}/articles/section-{}/page-{}.html", DomainOf(site), page % 7,
                     page);
}

// Makes the recording, a part of the log after the other, so that it needs little memory.
class WebWriter {
 public:
  explicit WebWriter(const std::filesystem::path& folder) : suffixes_(*PublicSuffixes::Load({})) {
    TopicOptions topics;
    topics.partitions = kPartitions;
    CHECK_OK(bus_.EnsureTopics(*ProductTopics(topics), kTimeout).status());
    producer_ = *bus_.NewProducer({.max_bytes = size_t{1} << 30},
                                  [](const Ack& ack) { CHECK_OK(ack.status); });
    offsets_ = *bus_.NewOffsetReader();
    folder_ = *lab::RecordingFolder::Open(folder, {}, 1, time_);
    recorder_ = std::make_unique<lab::Recorder>(folder_.get(), *suffixes_, lab::RecorderOptions());
  }

  void Write(const Size& size) {
    for (int site = 0; site < size.sites; ++site) {
      const std::string url = UrlOf(site, 0);
      const Seed seed{.url = url};
      Send(DomainOf(site), Seeds{.seeds = {&seed, 1}});
    }
    int written = 0;
    for (int page = 0; page < kPagesOfASite; ++page) {
      for (int site = 0; site < size.sites; ++site) {
        SendPage(size, site, page);
        if (++written % kPagesOfAFile == 0) Record();
      }
    }
    Record();
  }

 private:
  template <typename Event>
  void Send(const std::string& domain, Event event) {
    const auto value =
        Encode({.domain = domain, .event = std::move(event), .time = time_}, &buffer_);
    CHECK_OK(value.status());
    CHECK_OK(producer_->Send({.topic = kSpiderLogTopic,
                              .partition = PartitionOf(SlotOf(domain), kPartitions),
                              .key = domain,
                              .value = *value},
                             0));
  }

  void SendPage(const Size& size, int site, int page) {
    time_ += std::chrono::milliseconds(2);
    const std::string url = UrlOf(site, page);
    const std::string domain = DomainOf(site);
    Send(domain, PageFetched{.request = {.url = url, .domain = domain, .depth = 3},
                             .status = 200,
                             .fetched_at = time_,
                             .total = std::chrono::milliseconds(50 + page),
                             .content_hash = {.high = static_cast<uint64_t>(site),
                                              .low = static_cast<uint64_t>(page)},
                             .content_type = "text/html",
                             .title = "A page of a site, and its title",
                             .links_inside = kLinksInside,
                             .links_outside = kLinksOutside});
    const SourcePage source{.url = url, .depth = 3, .link_count = kLinksInside + kLinksOutside};
    std::vector<std::string> targets;
    for (int i = 1; i <= kLinksInside; ++i) {
      targets.push_back(UrlOf(site, (page + i) % kPagesOfASite));
    }
    std::vector<Link> links;
    for (const std::string& target : targets) {
      links.push_back({.url = target, .anchor = "some words"});
    }
    Send(domain, LinksFound{.source = source, .links = links});
    for (int i = 1; i <= kLinksOutside; ++i) {
      const int other = (site * 31 + page * 7 + i * 13) % size.sites;
      const std::string target = UrlOf(other, (page + i) % kPagesOfASite);
      const Link link{.url = target, .anchor = "some words"};
      Send(DomainOf(other), LinksFound{.source = source, .links = {&link, 1}});
    }
  }

  void Record() {
    CHECK_OK(producer_->Flush(kTimeout));
    for (int i = 0; i < kPartitions; ++i) {
      const PartitionId id(i);
      const auto bounds = (*offsets_->Bounds(kSpiderLogTopic, {&id, 1}, kTimeout))[0];
      const Offset end = bounds.end;
      CHECK_OK(recorder_->Record(
          bus_, {std::string(kSpiderLogTopic), id, recorded_[static_cast<size_t>(i)], end},
          [] { return true; }));
      // The last record stays: a recording knows its log by it.
      CHECK_OK(broker_.CutLog(kSpiderLogTopic, id, Offset(end.value() - 1)));
      recorded_[static_cast<size_t>(i)] = end;
    }
  }

  MemoryBroker broker_;
  MemoryBus bus_{&broker_, {}};
  const std::unique_ptr<const PublicSuffixes> suffixes_;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<OffsetReader> offsets_;
  std::unique_ptr<lab::RecordingFolder> folder_;
  std::unique_ptr<lab::Recorder> recorder_;
  std::vector<Offset> recorded_ = std::vector<Offset>(kPartitions, Offset(0));
  WallTime time_{std::chrono::hours(24 * 365 * 50)};
  EncodeBuffer buffer_;
};

// `field` is VmRSS for now, VmHWM for the most since ResetPeak.
double MemoryMb(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) * 1024 / 1e6;
  }
  return 0;
}
void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void MeasureCrawl(BenchReport& report, const std::string& name, const Size& size,
                  std::chrono::milliseconds delay) {
  const ScratchFolder scratch;
  const auto folder = scratch.path() / "recording";
  WebWriter(folder).Write(size);
  const auto recording = *lab::Recording::Open(folder);
  const auto suffixes = *PublicSuffixes::Load({});
  const auto strategy = *LoadStrategy({.name = "breadth_first"}, 1);
  const auto pages = static_cast<double>(size.pages());

  ResetPeak();
  const double before = MemoryMb("VmRSS");
  const CpuTimer read_timer;
  const auto web =
      *lab::RecordedWeb::Read(*recording, scratch.path(), [](uint64_t) { return true; });
  report.AddRate(name + "_web", pages, "pages/cpu_s", read_timer,
                 "CPU: zstd, decoding, copying to a file");
  CHECK(web->links() == size.pages() * (kLinksInside + kLinksOutside));
  report.Add(name + "_web_memory", MemoryMb("VmHWM") - before, "MB", 0, 0,
             "peak above what was there: entries by page and time");

  // As the command does: before the crawls, and held while they run.
  const CpuTimer judging_timer;
  const lab::PageValue value;
  const auto judged = *lab::RecordedPages::Read(*web, value, [](uint64_t) { return true; });
  report.AddRate(name + "_judged", pages, "pages/cpu_s", judging_timer, "CPU: decoding, PageRank");

  const CpuTimer timer;
  lab::RecordedSource source(*web);
  RequestFlowOptions flow;
  flow.robots.product_token = "bench";
  flow.scope = *CrawlScope::Make({}, *suffixes);
  flow.politeness.delay = delay;
  auto crawl = *lab::VirtualCrawl::Create({.source = source,
                                           .strategy = *strategy,
                                           .suffixes = *suffixes,
                                           .partitions = kPartitions,
                                           .spiders = kSpiders,
                                           .flow = flow});
  const auto trace = crawl->Run([](const lab::CrawlTrace&) { return true; });
  CHECK_OK(trace.status());
  CHECK(trace->fetches.size() == size.pages());
  report.AddRate(name + "_crawl", pages, "pages/cpu_s", timer,
                 "CPU: strategy worker, db worker, entries of the spider log made anew");
  crawl.reset();
  const lab::CrawlFetches fetches = judged->FetchesOf(*trace);
  const CpuTimer report_timer;
  const lab::Report result = lab::Evaluate(judged->table(), {&fetches, 1}, {});
  CHECK(result.strategies.size() == 1);
  report.AddRate(name + "_report", pages, "pages/cpu_s", report_timer, "CPU: resampling");
  report.Add(name + "_memory", MemoryMb("VmHWM"), "MB", 0, 0,
             "peak of the process: the web's index, the links' graph, link states, queue");
  report.Add(name + "_virtual", std::chrono::duration<double>(trace->took).count(), "virtual s", 0,
             0, "of virtual time: delays");
}

void CounterfactualBench(BenchReport& report) {
  MeasureCrawl(report, "pages_20k", {.sites = 200}, std::chrono::seconds(1));
}
ORBWEAVER_BENCH("counterfactual", CounterfactualBench);

void LargeCounterfactualBench(BenchReport& report) {
  MeasureCrawl(report, "links_20m", {.sites = 3'334}, std::chrono::seconds(1));
}
ORBWEAVER_BENCH("counterfactual_large", LargeCounterfactualBench);

}  // namespace
}  // namespace orbweaver
