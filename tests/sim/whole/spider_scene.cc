// A spider alone, for an hour, on a web with every trouble there is: each request has one outcome,
// no site a reason to complain, and nothing that is kept grows.
#include <charconv>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "tests/sim/whole/scene.h"
#include "tests/sim/whole/troubled_sites.h"
#include "tests/support/heap_bytes.h"
#include "tests/support/spider_logs.h"

namespace orbweaver::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr size_t kRequestsPerSecond = 40;
// Half of the requests go to sites that are there for the whole time, the others to sites that turn
// up and are done with after ten minutes: what is remembered of them must go, too.
constexpr size_t kLastingSites = 300;
constexpr size_t kNewSitesPerMinute = 300;
constexpr size_t kLifeMinutes = 10;
// The chance of each second that the feed's owner is replaced.
constexpr double kReplacements = 0.02;
constexpr Duration kCheckInterval = minutes(10);
constexpr Duration kBusTimeout = seconds(10);

class SpiderScene : public Scene {
 public:
  SpiderScene(SimRun& run, uint64_t seed)
      : run_(run),
        random_(seed),
        feed_(run.world.bus, run.shape.partitions, *run.world.suffixes, kBusTimeout),
        sites_(run.world.clock, run.shape.politeness, run.shape.robots,
               kLastingSites + static_cast<size_t>(run.shape.spider_minutes + 1 + kLifeMinutes) *
                                   kNewSitesPerMinute,
               seed),
        end_(Now() + minutes(run.shape.spider_minutes)),
        next_second_(Now()),
        next_check_(Now() + kCheckInterval) {
    outcomes_.reserve(static_cast<size_t>(run.shape.spider_minutes) * 60 * kRequestsPerSecond);
  }

  void Act(bool) override {
    if (is_done_ || !breach_.empty()) return;
    const SteadyTime now = Now();
    if (now >= end_) {
      is_done_ = Committed() == Fed();
      if (is_done_) CloseBooks();
      return;
    }
    if (now >= next_second_) {
      FeedRequests();
      next_second_ = now + seconds(1);
    }
    if (now >= next_check_) {
      Check();
      next_check_ += kCheckInterval;
    }
  }
  bool HasMore() const override { return !is_done_; }
  uint64_t Visits() const override { return sites_.requests(); }
  SimWeb& web() override { return sites_; }
  std::string Breach() override { return breach_; }

  std::string Audit() override {
    if (sites_.complained() > 0) {
      return fmt::format("{} complaints of sites: {}", sites_.complained(), sites_.complaints()[0]);
    }
    size_t missing = 0, repeated = 0;
    for (size_t number = 0; number < outcomes_.size(); ++number) {
      const uint32_t times = outcomes_[number];
      missing += times == 0 && !strays_.contains(number);
      repeated += times > 1 ? times - 1 : 0;
    }
    if (missing > 0) return fmt::format("{} of {} requests have no outcome", missing, fed_);
    // The last spider was ended when it had nothing in hand.
    const auto losses = static_cast<size_t>(std::max(run_.spider_losses - 1, 0));
    if (repeated > losses * run_.shape.crawl.window) {
      return fmt::format("{} outcomes too many, {} spiders were lost", repeated, losses);
    }
    // The run must have been worth something.
    if (sites_.pages_served() < fed_ / 10 || handed_back_ < fed_ / 100) {
      return fmt::format("an idle life: {} requests, {} pages, {} handed back", fed_,
                         sites_.pages_served(), handed_back_);
    }
    return {};
  }

 private:
  SteadyTime Now() const { return run_.world.clock.Now(); }

  void FeedRequests() {
    for (size_t i = 0; i < kRequestsPerSecond; ++i) {
      CHECK_OK(feed_.Add({.url = sites_.UrlOf(DrawSite(), fed_)}));
      ++fed_;
    }
    if (random_.Chance(kReplacements)) ReplaceDbWorker();
    CHECK_OK(feed_.Flush());
  }

  // One that does not know that it was replaced sends a request, which does not count.
  void ReplaceDbWorker() {
    const std::string url = sites_.UrlOf(DrawSite(), fed_);
    const PartitionId partition = feed_.PartitionOfUrl(url);
    const Offset replaced = feed_.epoch(partition);
    CHECK_OK(feed_.TakeOver(partition));
    CHECK_OK(feed_.AddAsOf(replaced, {.url = url}));
    strays_.insert(fed_++);
  }

  size_t DrawSite() {
    if (random_.Chance(0.5)) return random_.Below(kLastingSites);
    const auto minute = std::chrono::floor<minutes>(Now().time_since_epoch()).count();
    return kLastingSites + static_cast<size_t>(minute) * kNewSitesPerMinute +
           random_.Below(kLifeMinutes * kNewSitesPerMinute);
  }

  // Sums of all partitions' offsets.
  int64_t Fed() {
    int64_t sum = 0;
    for (int p = 0; p < run_.shape.partitions; ++p) {
      sum += run_.world.EndOf(kSpiderFeedTopic, PartitionId(p)).value();
    }
    return sum;
  }
  int64_t Committed() {
    int64_t sum = 0;
    for (int p = 0; p < run_.shape.partitions; ++p) sum += CommittedIn(PartitionId(p)).value();
    return sum;
  }
  Offset CommittedIn(PartitionId partition) {
    absl::MutexLock lock(&run_.world.broker.mutex);
    const auto& committed =
        (*run_.world.broker.Group(kSpiderGroup, kSpiderFeedTopic))->committed(partition);
    return committed ? committed->offset : Offset(0);
  }

  // Nothing may grow, and the commit must follow, whatever the sites do.
  void Check() {
    if (static_cast<size_t>(Committed()) < fed_at_last_check_) {
      breach_ = fmt::format("of {} requests of ten minutes ago {} are committed",
                            fed_at_last_check_, Committed());
    }
    fed_at_last_check_ = fed_;
    CloseBooks();
    const size_t heap_bytes = HeapBytes();
    if (++checks_ == 2) heap_bytes_ = heap_bytes;
    if (checks_ > 2 && heap_bytes > heap_bytes_ + heap_bytes_ / 4) {
      breach_ = fmt::format("the heap has grown from {} to {} bytes", heap_bytes_, heap_bytes);
    }
  }

  // Counts what has come into the log, and drops it and what is committed of the feed.
  void CloseBooks() {
    outcomes_.resize(fed_);
    SpiderLogContents log;
    CHECK_OK(ReadSpiderLog(run_.world.bus, run_.shape.partitions, kBusTimeout, &log));
    for (const auto& [url, outcome] : log.by_url) {
      size_t number = 0;
      const std::string_view digits = std::string_view(url).substr(url.rfind('/') + 1);
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (read.ec != std::errc() || number >= fed_) {
        breach_ = "an outcome of what was not asked for: " + url;
        continue;
      }
      if (strays_.contains(number)) breach_ = "fetched for a db worker that was replaced: " + url;
      outcomes_[number] += static_cast<uint32_t>(outcome.all());
      handed_back_ += static_cast<size_t>(outcome.handed_back);
    }
    for (int p = 0; p < run_.shape.partitions; ++p) {
      const PartitionId partition(p);
      MemoryBroker& broker = run_.world.broker;
      CHECK_OK(
          broker.CutLog(kSpiderLogTopic, partition, run_.world.EndOf(kSpiderLogTopic, partition)));
      CHECK_OK(broker.CutLog(kSpiderFeedTopic, partition, CommittedIn(partition)));
    }
  }

  SimRun& run_;
  Random random_;
  FeedWriter feed_;
  TroubledSites sites_;
  const SteadyTime end_;
  SteadyTime next_second_;
  SteadyTime next_check_;
  bool is_done_ = false;
  std::string breach_;
  size_t fed_ = 0;
  size_t fed_at_last_check_ = 0;
  std::vector<uint32_t> outcomes_;  // of each request of the feed
  std::set<size_t> strays_;         // of replaced db workers
  size_t handed_back_ = 0;
  int checks_ = 0;
  size_t heap_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Scene> NewSpiderScene(SimRun& run, uint64_t seed) {
  return std::make_unique<SpiderScene>(run, seed);
}

}  // namespace orbweaver::sim
