// The world around spiders in memory and in virtual time: a web, a feed, a log, and spiders that
// can be killed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/simulated_process.h"
#include "common/bus/memory/memory_bus.h"
#include "common/metrics/metric_registry.h"
#include "common/url/domain.h"
#include "spider/crawl/spider_core.h"
#include "tests/support/simulated_fetcher.h"
#include "tests/support/spider_logs.h"

namespace orbweaver {

class SpiderWorld;

// A spider process: dies with its object, without a word to the group or the log.
class SimulatedSpider {
 public:
  struct Options {
    std::string name = "spider";
    BusFaults faults;
    CrawlOptions crawl;
    PolitenessOptions politeness;
    RobotsOptions robots;
    PublishOptions publish;
    Duration session_timeout = std::chrono::seconds(10);
    // Crash points, as SimulatedProcess has them.
    SimulatedProcess::Hook dies_at;
  };
  SimulatedSpider(SpiderWorld& world, Options options);
  ~SimulatedSpider();

  // A step, as the process's loop makes it: joins first, joins anew after a fence. A fatal error
  // fails the test.
  void Step(Duration wait = std::chrono::milliseconds(50));
  // Steps until `done`; a failure of the test after `most` of virtual time.
  void StepUntil(const std::function<bool()>& done, Duration most = std::chrono::hours(2));
  // Drains and leaves.
  void Close();

  // It met a crash point. Only to be destroyed.
  bool dead() const { return process_.dead(); }

  SpiderCore& core() { return *core_; }
  MetricRegistry& metrics() { return metrics_; }

 private:
  void StepAlive(Duration wait);

  SpiderWorld& world_;
  SimulatedProcess process_;
  std::unique_ptr<MemoryBus> bus_;
  MetricRegistry metrics_;
  CrawlMetrics crawl_metrics_{metrics_};
  std::unique_ptr<SpiderCore> core_;
  bool joined_ = false;
  int still_ = 0;  // steps without time passing
};

class SpiderWorld {
 public:
  static constexpr int kPartitions = 4;

  SpiderWorld();

  // The web's answers; a page without links where this is not set. robots.txt: 404.
  std::function<SimulatedAnswer(std::string_view url)> web;
  // As SimulatedFetcher::no_names.
  std::function<std::optional<OwnSide>(std::string_view host)> no_names;
  // Told of every request as it begins and as it ends.
  std::function<void(FetchId id, std::string_view url)> on_begin;
  std::function<void(FetchId id)> on_end;
  // URLs that were asked, robots.txt included, in order, with when that began.
  std::vector<std::pair<std::string, SteadyTime>> asked;
  int AskedTimes(std::string_view url) const;

  FeedWriter& feed() { return *feed_; }
  SpiderLogContents Log();
  // How far the spiders' commits stand, all partitions together, against what the feed holds.
  bool AllCommitted();
  int64_t Committed();

  ManualClock clock;
  MemoryBroker broker{&clock};
  MemoryBus bus{&broker, {}};
  std::unique_ptr<const PublicSuffixes> suffixes;
  std::map<std::string, IpAddress, std::less<>> addresses;

 private:
  std::unique_ptr<FeedWriter> feed_;
};

}  // namespace orbweaver
