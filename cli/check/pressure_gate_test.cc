#include "cli/check/pressure_gate.h"

#include <algorithm>
#include <map>
#include <set>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

IpAddress Address(int number) {
  return *IpAddress::Parse(fmt::format("10.0.{}.{}", number / 256, number % 256));
}

constexpr PressureLimit kAny{.at_once = 0, .per_second = 0};

// Requests that last a fixed time, in virtual time.
class PressureGateTest : public testing::Test {
 protected:
  struct Run {
    std::string host, domain;
    IpAddress address;
    SteadyTime began, ended;
  };

  void Make() { gate_ = std::make_unique<PressureGate>(limits_); }

  std::optional<SteadyTime> Add(const std::string& host, const std::string& domain, int address) {
    const VisitorId id(runs_.size());
    const auto refused =
        gate_->Add({.id = id, .host = host, .domain = domain, .address = Address(address)}, now_);
    if (!refused) runs_.push_back({.host = host, .domain = domain, .address = Address(address)});
    return refused;
  }

  // Until nothing waits or runs; `lasts` by number of the request.
  template <typename Lasts>
  void RunAll(const Lasts& lasts) {
    std::multimap<SteadyTime, VisitorId> ends;
    while (true) {
      while (const auto id = gate_->Start(now_)) {
        runs_[id->value()].began = now_;
        ends.emplace(now_ + lasts(id->value()), *id);
      }
      SteadyTime next = gate_->NextWakeup();
      if (!ends.empty()) next = std::min(next, ends.begin()->first);
      if (next == SteadyTime::max()) break;
      ASSERT_GT(next, now_) << "a look that brings nothing";
      now_ = next;
      while (!ends.empty() && ends.begin()->first <= now_) {
        runs_[ends.begin()->second.value()].ended = now_;
        gate_->Ended(ends.begin()->second, now_);
        ends.erase(ends.begin());
      }
    }
    EXPECT_EQ(gate_->waiting(), 0u);
    EXPECT_EQ(gate_->running(), 0u);
  }
  void RunAllFor(Duration lasts) {
    RunAll([lasts](size_t) { return lasts; });
  }

  // The largest number at once, and the shortest time between two starts, for each key.
  template <typename Key>
  void ExpectShare(const PressureLimit& limit, const Key& key) {
    std::map<std::string, std::vector<const Run*>> by_key;
    for (const Run& run : runs_) by_key[key(run)].push_back(&run);
    for (auto& [name, runs] : by_key) {
      std::ranges::sort(runs, {}, &Run::began);
      std::multiset<SteadyTime> open;
      for (size_t i = 0; i < runs.size(); ++i) {
        open.erase(open.begin(), open.upper_bound(runs[i]->began));
        open.insert(runs[i]->ended);
        if (limit.at_once > 0) {
          EXPECT_LE(open.size(), limit.at_once) << name;
        }
        if (i > 0 && limit.per_second > 0) {
          EXPECT_GE(std::chrono::duration<double>(runs[i]->began - runs[i - 1]->began).count(),
                    0.999 / limit.per_second)
              << name;
        }
      }
    }
  }
  void ExpectShares() {
    ExpectShare(limits_.host, [](const Run& run) { return run.host; });
    ExpectShare(limits_.domain, [](const Run& run) { return run.domain; });
    ExpectShare(limits_.address, [](const Run& run) { return run.address.Text(); });
  }

  PressureLimits limits_{.max_wait = std::chrono::hours(10)};
  std::unique_ptr<PressureGate> gate_;
  SteadyTime now_{seconds(1000)};
  std::vector<Run> runs_;
};

TEST_F(PressureGateTest, NobodyHasMoreThanItsShare) {
  limits_.domain = {.at_once = 3, .per_second = 4};
  limits_.address = {.at_once = 4, .per_second = 10};
  Make();
  Random random(7);
  for (int i = 0; i < 600; ++i) {
    const auto host = random.Below(60);
    ASSERT_FALSE(
        Add(fmt::format("h{}", host), fmt::format("d{}", host / 4), static_cast<int>(host / 10)));
  }
  RunAll([&](size_t number) { return milliseconds(10 + number * 37 % 1900); });
  ExpectShares();
}

TEST_F(PressureGateTest, OneThatIsSlowHoldsNobodyElseUp) {
  Make();
  for (int i = 0; i < 4; ++i) ASSERT_FALSE(Add("slow", "slow", 1));
  for (int i = 0; i < 4; ++i) ASSERT_FALSE(Add("quick", "quick", 2));
  RunAll([&](size_t number) { return number < 4 ? Duration(seconds(100)) : milliseconds(1); });
  EXPECT_EQ(runs_[7].began, SteadyTime(seconds(1003)));
}

TEST_F(PressureGateTest, AFullAddressLetsTheOthersOfItsDomainPass) {
  limits_.address = {.at_once = 1, .per_second = 0};
  limits_.domain = kAny;
  Make();
  for (int i = 0; i < 5; ++i) ASSERT_FALSE(Add(fmt::format("h{}", i), "d", 1));
  ASSERT_FALSE(Add("other", "d", 2));
  RunAllFor(seconds(10));
  EXPECT_EQ(runs_[5].began, SteadyTime(seconds(1000)));
  EXPECT_EQ(runs_[4].began, SteadyTime(seconds(1040)));
}

TEST_F(PressureGateTest, AHostThatIsSlowGetsAsMuchRest) {
  Make();
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(Add("h", "h", 1));
  RunAll([](size_t number) { return number == 0 ? seconds(4) : seconds(60); });
  EXPECT_EQ(runs_[1].began, SteadyTime(seconds(1008)));
  // Of a minute only ten seconds.
  EXPECT_EQ(runs_[2].began, SteadyTime(seconds(1078)));
}

TEST_F(PressureGateTest, ACrawlDelayIsKeptUpToItsBound) {
  Make();
  for (int i = 0; i < 3; ++i) {
    const VisitorId id(runs_.size());
    runs_.push_back({.host = "h"});
    ASSERT_FALSE(gate_->Add({.id = id,
                             .host = "h",
                             .domain = "h",
                             .address = Address(1),
                             .crawl_delay = std::chrono::hours(i == 0 ? 0 : 9)},
                            now_));
  }
  RunAllFor(milliseconds(10));
  EXPECT_EQ(runs_[2].began, SteadyTime(seconds(1120)));
}

TEST_F(PressureGateTest, ADomainThatComplainsIsLeftAlone) {
  Make();
  ASSERT_FALSE(Add("a", "d", 1));
  ASSERT_FALSE(Add("b", "d", 2));
  EXPECT_EQ(gate_->Complain("d", seconds(90), now_), now_ + seconds(90));
  RunAllFor(milliseconds(10));
  EXPECT_EQ(runs_[0].began, SteadyTime(seconds(1090)));
  EXPECT_GT(runs_[1].began, SteadyTime(seconds(1090)));
}

TEST_F(PressureGateTest, ThoseThatWouldWaitTooLongComeAgainOneAfterTheOther) {
  limits_.max_wait = seconds(10);
  limits_.address = {.at_once = 1, .per_second = 2};
  Make();
  std::vector<SteadyTime> again;
  int taken = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string host = fmt::format("h{}", i);
    if (const auto refused = Add(host, host, 1)) {
      again.push_back(*refused);
    } else {
      ++taken;
    }
  }
  EXPECT_EQ(taken, 21);
  ASSERT_EQ(again.size(), 19u);
  for (size_t i = 1; i < again.size(); ++i) EXPECT_EQ(again[i] - again[i - 1], milliseconds(500));
  RunAllFor(milliseconds(10));
  EXPECT_LE(now_, again[1]);
  now_ = again.back();
  EXPECT_FALSE(Add("h39", "h39", 1)) << "its turn has come";
  RunAllFor(milliseconds(10));
}

TEST_F(PressureGateTest, TheWholeHasItsLimitToo) {
  limits_.at_once = 3;
  Make();
  for (int i = 0; i < 9; ++i) ASSERT_FALSE(Add(fmt::format("h{}", i), fmt::format("d{}", i), i));
  RunAllFor(seconds(1));
  EXPECT_EQ(now_, SteadyTime(seconds(1003)));
}

TEST_F(PressureGateTest, WithoutLimitsNothingWaits) {
  limits_.host = limits_.domain = limits_.address = kAny;
  Make();
  for (int i = 0; i < 200; ++i) ASSERT_FALSE(Add("h", "d", 1));
  RunAllFor(seconds(5));
  EXPECT_EQ(now_, SteadyTime(seconds(1005)));
}

TEST_F(PressureGateTest, HostsThatAreOverAreForgotten) {
  Make();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1000; ++i) {
      const std::string host = fmt::format("h{}-{}", round, i);
      ASSERT_FALSE(Add(host, host, round * 1000 + i));
    }
    RunAllFor(milliseconds(10));
    now_ += std::chrono::hours(1);
  }
  EXPECT_LT(gate_->lanes(), 10'000u);
}

}  // namespace
}  // namespace orbweaver
