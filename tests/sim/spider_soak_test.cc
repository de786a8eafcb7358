// An hour of a spider's life on a web with every trouble there is, in virtual time: its core, its
// parser, a bus that fails, and a fetcher without a network.
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/log.h"
#include "common/base/random.h"
#include "common/bus/topics.h"
#include "tests/sim/troubled_sites.h"
#include "tests/support/expect_ok.h"
#include "tests/support/heap_bytes.h"
#include "tests/support/spider_world.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr size_t kMinutes = 60;
constexpr size_t kRequestsPerSecond = 40;
// Half of the requests go to sites that are there for the whole hour, the others to sites that turn
// up and are done with after ten minutes: what is remembered of them must go, too.
constexpr size_t kLastingSites = 300;
constexpr size_t kNewSitesPerMinute = 300;
constexpr size_t kLifeMinutes = 10;
constexpr size_t kSites = kLastingSites + (kMinutes + 1 + kLifeMinutes) * kNewSitesPerMinute;
constexpr Duration kCheckInterval = minutes(10);
constexpr size_t kMaxRequests = 1'000;
// Of 21,000 that are asked. They are forgotten in bulk, when they are a thousand or twice what is
// needed.
constexpr size_t kMaxDomains = 2'500;
// The last file that was read is kept whatever its size.
constexpr size_t kHugeRobotsBytes = size_t{2} << 20;
constexpr Duration kBusTimeout = seconds(10);

// Whatever is kept for a time comes to its end several times in the hour.
PolitenessOptions ShortMemory() {
  PolitenessOptions options;
  options.back_off = {.first = seconds(10), .most = minutes(4), .forgiven_after = minutes(3)};
  return options;
}

RobotsOptions ShortCache() {
  return {.max_age = minutes(8),
          .retry_min = seconds(5),
          .retry_max = minutes(2),
          .cache_bytes = size_t{1} << 20};
}

class SpiderSoak : public ::testing::Test {
 protected:
  SpiderSoak() {
    ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1});
    options_.crawl.window = 20'000;
    options_.crawl.max_requests = kMaxRequests;
    options_.crawl.max_fetches = 300;
    options_.politeness = ShortMemory();
    options_.robots = ShortCache();
    // Longer than an outage, so that who has a partition keeps it.
    options_.session_timeout = minutes(5);
    outcomes_.reserve(kMinutes * 60 * kRequestsPerSecond);
    world_.on_begin = [this](FetchId id, std::string_view) { sites_.OnBegin(id); };
    world_.web = [this](std::string_view url) { return sites_.Answer(url); };
    world_.on_end = [this](FetchId id) { sites_.OnEnd(id); };
  }

  void LiveFor(Duration life, double deaths_per_second) {
    const SteadyTime begin = world_.clock.Now();
    SteadyTime next_second = begin;
    SteadyTime next_check = begin + kCheckInterval;
    while (next_check <= begin + life) {
      const SteadyTime now = world_.clock.Now();
      if (now >= next_second) {
        ASSERT_NO_FATAL_FAILURE(NextSecond());
        next_second += seconds(1);
        if (spider_ != nullptr && random_.Chance(deaths_per_second)) Die();
      }
      if (spider_ == nullptr) {
        options_.faults.seed = random_();
        spider_ = std::make_unique<SimulatedSpider>(world_, options_);
      }
      spider_->Step(milliseconds(20));
      ASSERT_FALSE(HasFatalFailure());
      if (now < next_check || outage_left_s_ > 0) continue;
      next_check += kCheckInterval;
      ASSERT_NO_FATAL_FAILURE(Check());
    }
    spider_->StepUntil([this] { return world_.AllCommitted(); });
    ASSERT_NO_FATAL_FAILURE(CloseBooks());
    RecordProperty("requests", static_cast<int>(fed_));
    RecordProperty("pages", static_cast<int>(sites_.pages_served()));
    RecordProperty("handed_back", static_cast<int>(handed_back_));
    RecordProperty("deaths", deaths_);
  }

  // Checks that the run was worth something.
  void ExpectALifeWorthTheName() {
    EXPECT_GT(fed_, size_t{kMinutes * 60 * kRequestsPerSecond / 3});
    EXPECT_GT(sites_.pages_served(), fed_ / 10);
    EXPECT_GT(handed_back_, fed_ / 100);
  }

  void ExpectNoComplaint() {
    EXPECT_EQ(sites_.complained(), 0u);
    for (const std::string& complaint : sites_.complaints()) ADD_FAILURE() << complaint;
  }

  // How many requests have no outcome, and how many outcomes there are beyond one for each.
  struct Outcomes {
    size_t missing = 0;
    size_t repeated = 0;
  };
  Outcomes CountOutcomes() const {
    Outcomes count;
    for (const uint32_t times : outcomes_) {
      count.missing += times == 0;
      count.repeated += times > 1 ? times - 1 : 0;
    }
    return count;
  }

  SimulatedSpider::Options options_;

 private:
  void Die() {
    ++deaths_;
    spider_.reset();
    sites_.OnSpiderDied();
  }

  // Its requests; or the broker goes away, or is away.
  void NextSecond() {
    if (outage_left_s_ > 0) {
      if (--outage_left_s_ == 0) world_.broker.SetAvailable(true);
      return;
    }
    if (random_.Chance(1.0 / 240)) {
      outage_left_s_ = 5 + static_cast<int>(random_.Below(40));
      world_.broker.SetAvailable(false);
      return;
    }
    for (size_t i = 0; i < kRequestsPerSecond; ++i) {
      ASSERT_OK(world_.feed().Add({.url = sites_.UrlOf(DrawSite(), fed_)}));
      ++fed_;
    }
    ASSERT_OK(world_.feed().Flush());
  }

  size_t DrawSite() {
    if (random_.Chance(0.5)) return random_.Below(kLastingSites);
    const auto minute = std::chrono::floor<minutes>(world_.clock.Now().time_since_epoch()).count();
    return kLastingSites + static_cast<size_t>(minute) * kNewSitesPerMinute +
           random_.Below(kLifeMinutes * kNewSitesPerMinute);
  }

  // Nothing may grow, and the commit must follow, whatever the sites do.
  void Check() {
    const RequestFlow& flow = spider_->core().flow();
    EXPECT_LE(flow.held(), kMaxRequests);
    EXPECT_LE(flow.robots_fetches(), flow.held());
    EXPECT_LE(flow.politeness().domains(), kMaxDomains);
    EXPECT_LE(flow.robots().held_bytes(), options_.robots.cache_bytes + kHugeRobotsBytes);
    // The requests of ten minutes ago are done with.
    EXPECT_GE(static_cast<size_t>(world_.Committed()), fed_at_last_check_);
    fed_at_last_check_ = fed_;
    ASSERT_NO_FATAL_FAILURE(CloseBooks());
    // Of the whole test, which drops its logs too.
    const size_t heap_bytes = HeapBytes();
    if (++checks_ == 2) heap_bytes_ = heap_bytes;
    if (checks_ > 2) {
      EXPECT_LE(heap_bytes, heap_bytes_ + heap_bytes_ / 4) << "after check " << checks_;
    }
    RecordProperty(fmt::format("check_{}", checks_),
                   fmt::format("{} held, {} domains, {} KB of robots.txt, {} KB of heap",
                               flow.held(), flow.politeness().domains(),
                               flow.robots().held_bytes() >> 10, heap_bytes >> 10));
  }

  // Counts what has come into the log, and drops it and what is committed of the feed.
  void CloseBooks() {
    outcomes_.resize(fed_);
    for (const auto& [url, outcome] : world_.Log().by_url) {
      size_t number = 0;
      const std::string_view digits = std::string_view(url).substr(url.rfind('/') + 1);
      ASSERT_EQ(std::from_chars(digits.data(), digits.data() + digits.size(), number).ec,
                std::errc());
      ASSERT_LT(number, fed_) << url;
      outcomes_[number] += static_cast<uint32_t>(outcome.all());
      handed_back_ += static_cast<size_t>(outcome.handed_back);
    }
    world_.asked.clear();
    const auto offsets = world_.bus.NewOffsetReader().value();
    for (int p = 0; p < SpiderWorld::kPartitions; ++p) {
      const PartitionId partition(p);
      const auto log = offsets->Bounds(kSpiderLogTopic, {&partition, 1}, kBusTimeout);
      ASSERT_OK(log);
      ASSERT_OK(world_.broker.CutLog(kSpiderLogTopic, partition, (*log)[0].end));
      const auto committed =
          offsets->Committed(kSpiderGroup, kSpiderFeedTopic, {&partition, 1}, kBusTimeout);
      ASSERT_OK(committed);
      ASSERT_TRUE((*committed)[0]);
      ASSERT_OK(world_.broker.CutLog(kSpiderFeedTopic, partition, (*committed)[0]->offset));
    }
  }

  Random random_{7};
  SpiderWorld world_;
  TroubledSites sites_{world_.clock, ShortMemory(), ShortCache(), kSites, 11};
  std::unique_ptr<SimulatedSpider> spider_;
  int outage_left_s_ = 0;
  size_t fed_ = 0;
  size_t fed_at_last_check_ = 0;
  std::vector<uint32_t> outcomes_;  // of each request of the feed
  size_t handed_back_ = 0;
  int deaths_ = 0;
  int checks_ = 0;
  size_t heap_bytes_ = 0;
};

TEST_F(SpiderSoak, AnHourOfEveryFaultGivesEachRequestOneOutcomeAndLeavesNothingBehind) {
  options_.faults = {.max_append_delay = milliseconds(300),
                     .max_ack_delay = milliseconds(300),
                     .max_latency = milliseconds(20),
                     .unavailable = 0.01,
                     .lost_answer = 0.02,
                     .mix_partitions = true};
  ASSERT_NO_FATAL_FAILURE(LiveFor(minutes(kMinutes), /*deaths_per_second=*/0));
  ExpectALifeWorthTheName();
  ExpectNoComplaint();
  const Outcomes outcomes = CountOutcomes();
  EXPECT_EQ(outcomes.missing, 0u);
  EXPECT_EQ(outcomes.repeated, 0u);
}

TEST_F(SpiderSoak, HalfAnHourOfDeathsAndRebalancesLosesNothingAndHarmsNobody) {
  options_.faults = {.max_append_delay = milliseconds(300),
                     .max_ack_delay = milliseconds(300),
                     .lost_record = 1e-5,
                     .max_latency = milliseconds(20),
                     .unavailable = 0.01,
                     .lost_answer = 0.02,
                     .rebalance = 1e-5,
                     .eviction = 1e-5,
                     .mix_partitions = true};
  ASSERT_NO_FATAL_FAILURE(LiveFor(minutes(kMinutes) / 2, /*deaths_per_second=*/1.0 / 200));
  ExpectALifeWorthTheName();
  ExpectNoComplaint();
  EXPECT_EQ(CountOutcomes().missing, 0u);
}

}  // namespace
}  // namespace orbweaver
