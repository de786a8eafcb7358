// One case a rule, on one simulated clock and its helpers: a little past 400 lines for that.
#include "spider/politeness/politeness.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/support/synthetic_web/judge.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

SteadyTime At(int64_t ms) { return SteadyTime(hours(1)) + milliseconds(ms); }

class PolitenessTest : public ::testing::Test {
 protected:
  explicit PolitenessTest(const PolitenessOptions& options = {.delay = milliseconds(1000),
                                                              .max_crawl_delay = seconds(60),
                                                              .back_off = {.jitter = 0}})
      : politeness_(options) {}

  void Add(uint64_t id, std::string_view domain, SteadyTime now, std::string_view address = "") {
    politeness_.Add({.id = TurnId(id), .domain = domain, .address = address}, now);
  }
  // 0: none.
  uint64_t Start(SteadyTime now) { return politeness_.Start(now).value_or(TurnId(0)).value(); }
  void End(uint64_t id, SteadyTime now, int status = 200,
           std::optional<Duration> retry_after = std::nullopt) {
    EXPECT_TRUE(politeness_.Ended(TurnId(id), {.status = status, .retry_after = retry_after}, now));
  }

  Politeness politeness_;
};

class AddressTest : public PolitenessTest {
 protected:
  AddressTest()
      : PolitenessTest({.delay = milliseconds(1000), .address_delay = milliseconds(300)}) {}
};

TEST_F(PolitenessTest, TheDelayCountsFromTheEndOfTheRequestBefore) {
  Add(1, "a.test", At(0));
  Add(2, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  EXPECT_EQ(Start(At(5000)), 0u);
  End(1, At(5000));
  EXPECT_EQ(politeness_.NextLook(), At(6000));
  EXPECT_EQ(Start(At(6000) - Duration(1)), 0u);
  EXPECT_EQ(Start(At(6000)), 2u);
}

TEST_F(PolitenessTest, DomainsDoNotWaitForEachOther) {
  Add(1, "a.test", At(0));
  Add(2, "a.test", At(0));
  Add(3, "b.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  EXPECT_EQ(Start(At(0)), 3u);
  EXPECT_EQ(Start(At(0)), 0u);
  EXPECT_EQ(politeness_.running(), 2u);
  EXPECT_EQ(politeness_.waiting(), 1u);
}

TEST_F(PolitenessTest, RobotsGoBeforeTheOthersAndCountAsRequests) {
  Add(1, "a.test", At(0));
  politeness_.Add({.id = TurnId(2), .domain = "a.test", .urgent = true}, At(0));
  EXPECT_EQ(Start(At(0)), 2u);
  End(2, At(10));
  EXPECT_EQ(Start(At(1009)), 0u);
  EXPECT_EQ(Start(At(1010)), 1u);
}

TEST_F(PolitenessTest, ACrawlDelayHoldsForWhatWaitsAlreadyUpToItsBound) {
  Add(1, "a.test", At(0));
  Add(2, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  politeness_.Add({.id = TurnId(9), .domain = "a.test", .crawl_delay = seconds(5)}, At(10));
  // Another host of the domain asks for less: that does not undo it.
  politeness_.Add({.id = TurnId(10), .domain = "a.test", .crawl_delay = seconds(2)}, At(10));
  End(1, At(10));
  EXPECT_EQ(Start(At(5009)), 0u);
  EXPECT_EQ(Start(At(5010)), 2u);
  politeness_.Add({.id = TurnId(3), .domain = "b.test", .crawl_delay = hours(5)}, At(10));
  EXPECT_EQ(Start(At(5010)), 3u);
  End(3, At(5010));
  // A minute is the most, but this one does not wait that long.
  Add(4, "b.test", At(5010));
  const auto deferred = politeness_.TakeDeferred();
  ASSERT_TRUE(deferred.has_value());
  EXPECT_EQ(deferred->not_before, At(65'010));
}

TEST_F(PolitenessTest, ACrawlDelayHoldsAlsoWhenNoPageOfItsHostMayBeAsked) {
  Add(1, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  End(1, At(10));
  politeness_.SetCrawlDelay("a.test", milliseconds(2500), At(10));
  Add(2, "a.test", At(10));
  EXPECT_EQ(Start(At(2510) - Duration(1)), 0u);
  EXPECT_EQ(Start(At(2510)), 2u);
}

TEST_F(PolitenessTest, ADomainTakenOverCountsAsAskedUntilThen) {
  politeness_.OthersAsked("a.test", At(500), At(600));
  Add(1, "a.test", At(600));
  EXPECT_EQ(Start(At(1499)), 0u);
  EXPECT_EQ(Start(At(1500)), 1u);
  End(1, At(1600));
  // The spider's own request was later.
  politeness_.OthersAsked("a.test", At(500), At(1600));
  Add(2, "a.test", At(1600));
  EXPECT_EQ(Start(At(2599)), 0u);
  EXPECT_EQ(Start(At(2600)), 2u);
}

TEST_F(PolitenessTest, ADomainThatComesBackCountsAsAskedByItsOwnerMeanwhile) {
  Add(1, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  End(1, At(100));
  politeness_.OthersAsked("a.test", At(5000), At(5010));
  Add(2, "a.test", At(5010));
  EXPECT_EQ(Start(At(5999)), 0u);
  EXPECT_EQ(Start(At(6000)), 2u);
}

TEST_F(PolitenessTest, WhoWaitsAlreadyWaitsForWhatOthersAskedToo) {
  Add(1, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  End(1, At(100));
  Add(2, "a.test", At(100));  // a redirect of a robots.txt, say; its partition goes and comes back
  politeness_.OthersAsked("a.test", At(900), At(1000));
  EXPECT_EQ(Start(At(1100)), 0u);
  EXPECT_EQ(Start(At(1899)), 0u);
  EXPECT_EQ(Start(At(1900)), 2u);
}

TEST_F(PolitenessTest, WhoAskedAnotherSpiderForRestHasIt) {
  Add(1, "a.test", At(0));
  Add(2, "b.test", At(0));
  politeness_.Rest("a.test", At(5000), At(0));
  politeness_.Rest("a.test", At(4000), At(0));  // never brought forward
  politeness_.Rest("b.test", At(60'000), At(0));
  EXPECT_EQ(politeness_.RestsUntil("a.test"), At(5000));
  EXPECT_LT(politeness_.RestsUntil("c.test"), At(0));
  const auto late = politeness_.TakeDeferred();
  ASSERT_TRUE(late.has_value()) << "that is longer than may be waited";
  EXPECT_EQ(late->id, TurnId(2));
  EXPECT_EQ(late->not_before, At(60'000));
  EXPECT_EQ(late->reason, DeferReason::kBackOff);
  EXPECT_EQ(Start(At(4999)), 0u);
  EXPECT_EQ(Start(At(5000)), 1u);
}

TEST_F(PolitenessTest, WhatEndsABegunFetchIsNotHandedBackForTheDelayAlone) {
  // Two requests, and 40 seconds between them, but no more than 30 to wait.
  politeness_.Add({.id = TurnId(1), .domain = "a.test", .delay = seconds(40)}, At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  End(1, At(100));
  politeness_.Add({.id = TurnId(1), .domain = "a.test", .delay = seconds(40), .urgent = true},
                  At(100));
  EXPECT_FALSE(politeness_.TakeDeferred().has_value());
  EXPECT_EQ(Start(At(40'099)), 0u);
  EXPECT_EQ(Start(At(40'100)), 1u);
}

TEST_F(PolitenessTest, AnAnswerThatWasBrokenOffCountsAsLastingLonger) {
  Add(1, "a.test", At(0));
  Add(2, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  EXPECT_TRUE(politeness_.Ended(TurnId(1), {.broken_off = true}, At(100)));
  EXPECT_EQ(Start(At(2099)), 0u);
  EXPECT_EQ(Start(At(2100)), 2u);
}

TEST_F(PolitenessTest, ReportsTheSlowestAndTheBackedOff) {
  for (uint64_t id = 1; id <= 4; ++id) {
    Add(id, fmt::format("d{}.test", id), At(0));
    EXPECT_EQ(Start(At(0)), id);
  }
  End(1, At(100));
  End(2, At(300));
  End(3, At(200), 429, seconds(20));
  const auto slowest = politeness_.Report(Politeness::Worst::kSlowest, 2, At(1000));
  ASSERT_EQ(slowest.size(), 2u);
  EXPECT_EQ(slowest[0].domain, "d2.test");
  EXPECT_EQ(slowest[0].took, milliseconds(300));
  EXPECT_EQ(slowest[1].domain, "d3.test");
  const auto resting = politeness_.Report(Politeness::Worst::kBackedOff, 2, At(1000));
  ASSERT_EQ(resting.size(), 1u);
  EXPECT_EQ(resting[0].domain, "d3.test");
  EXPECT_EQ(resting[0].blocked_for, milliseconds(19'200));
}

TEST_F(PolitenessTest, ALongerDelayOfTheFeedCountsAndAShorterDoesNot) {
  for (const auto& [delay, wanted] :
       {std::pair(milliseconds(3000), 3000), std::pair(milliseconds(1), 1000)}) {
    const std::string domain = fmt::format("d{}.test", wanted);
    const auto id = static_cast<uint64_t>(wanted);
    politeness_.Add({.id = TurnId(id), .domain = domain, .delay = delay}, At(0));
    politeness_.Add({.id = TurnId(id + 1), .domain = domain, .delay = delay}, At(0));
    EXPECT_EQ(Start(At(0)), id);
    End(id, At(0));
    EXPECT_EQ(politeness_.NextLook(), At(wanted));
    EXPECT_EQ(Start(At(wanted)), id + 1);
    End(id + 1, At(wanted));
  }
}

TEST_F(PolitenessTest, WhatWouldWaitTooLongIsHandedBackAtOnceWithItsTime) {
  // Thirty-one fit into half a minute.
  for (uint64_t id = 1; id <= 33; ++id) Add(id, "a.test", At(0));
  for (const uint64_t id : {32, 33}) {
    const auto deferred = politeness_.TakeDeferred();
    ASSERT_TRUE(deferred.has_value());
    EXPECT_EQ(deferred->id, TurnId(id));
    EXPECT_EQ(deferred->not_before, At(31'000));
    EXPECT_EQ(deferred->reason, DeferReason::kPoliteness);
  }
  EXPECT_FALSE(politeness_.TakeDeferred().has_value());
  EXPECT_EQ(politeness_.waiting(), 31u);
}

TEST_F(PolitenessTest, ARequestBehindASlowOneIsHandedBackAtItsDeadline) {
  Add(1, "a.test", At(0));
  Add(2, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  EXPECT_EQ(politeness_.NextLook(), At(30'000));
  EXPECT_EQ(Start(At(30'000)), 0u);
  const auto deferred = politeness_.TakeDeferred();
  ASSERT_TRUE(deferred.has_value());
  EXPECT_EQ(deferred->id, TurnId(2));
  EXPECT_GT(deferred->not_before, At(30'000));
  EXPECT_EQ(politeness_.NextLook(), SteadyTime::max());
  End(1, At(40'000));
}

TEST_F(PolitenessTest, ADomainThatComplainsRestsAMinuteAndHandsBackWhatWaited) {
  for (uint64_t id = 1; id <= 3; ++id) Add(id, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  End(1, At(100), 429);
  for (const uint64_t id : {2, 3}) {
    const auto deferred = politeness_.TakeDeferred();
    ASSERT_TRUE(deferred.has_value());
    EXPECT_EQ(deferred->id, TurnId(id));
    EXPECT_EQ(deferred->not_before, At(60'100));
    EXPECT_EQ(deferred->reason, DeferReason::kBackOff);
  }
  Add(4, "a.test", At(50'000));
  EXPECT_EQ(Start(At(60'099)), 0u);
  EXPECT_EQ(Start(At(60'100)), 4u);
}

TEST_F(PolitenessTest, AShortRetryAfterIsWaitedForAndNotHandedBack) {
  Add(1, "a.test", At(0));
  Add(2, "a.test", At(0));
  EXPECT_EQ(Start(At(0)), 1u);
  End(1, At(100), 503, seconds(7));
  EXPECT_FALSE(politeness_.TakeDeferred().has_value());
  EXPECT_EQ(Start(At(7'099)), 0u);
  EXPECT_EQ(Start(At(7'100)), 2u);
}

TEST_F(PolitenessTest, ALateAnswerOfARequestThatDoesNotRunIsNotCounted) {
  Add(1, "a.test", At(0));
  EXPECT_FALSE(politeness_.Ended(TurnId(1), {}, At(0)));
  EXPECT_EQ(Start(At(0)), 1u);
  End(1, At(0));
  EXPECT_FALSE(politeness_.Ended(TurnId(1), {}, At(0)));
}

TEST_F(PolitenessTest, DomainsThatAreDoneAreForgotten) {
  for (uint64_t id = 1; id <= 50'000; ++id) {
    const SteadyTime now = At(static_cast<int64_t>(id) * 10);
    Add(id, fmt::format("d{}.test", id), now);
    ASSERT_EQ(Start(now), id);
    End(id, now);
  }
  EXPECT_LT(politeness_.domains(), 3000u);
}

TEST_F(AddressTest, DomainsThatShareAnAddressTakeTurns) {
  Add(1, "a.test", At(0), "10.0.0.1");
  Add(2, "b.test", At(0), "10.0.0.1");
  Add(3, "c.test", At(0), "10.0.0.2");
  EXPECT_EQ(Start(At(0)), 1u);
  EXPECT_EQ(Start(At(0)), 3u);
  EXPECT_EQ(Start(At(0)), 0u);
  End(1, At(50));
  EXPECT_EQ(Start(At(349)), 0u);
  EXPECT_EQ(Start(At(350)), 2u);
}

TEST_F(AddressTest, WhoWaitsForAnAddressIsServedInTheOrderOfComing) {
  for (uint64_t id = 1; id <= 4; ++id) {
    Add(id, fmt::format("d{}.test", id), At(static_cast<int64_t>(id)), "10.0.0.1");
  }
  SteadyTime now = At(10);
  for (uint64_t id = 1; id <= 4; ++id) {
    EXPECT_EQ(Start(now), id);
    EXPECT_EQ(Start(now), 0u);
    End(id, now);
    now += milliseconds(300);
  }
}

TEST_F(AddressTest, AnUrgentRequestForAnotherAddressDoesNotLoseTheTurn) {
  Add(1, "a.test", At(0), "10.0.0.1");
  EXPECT_EQ(Start(At(0)), 1u);
  Add(2, "b.test", At(0), "10.0.0.1");
  politeness_.Add({.id = TurnId(3), .domain = "b.test", .address = "10.0.0.2", .urgent = true},
                  At(0));
  EXPECT_EQ(Start(At(0)), 3u);
  End(3, At(0));
  End(1, At(2000));
  EXPECT_EQ(Start(At(2299)), 0u);
  EXPECT_EQ(Start(At(2300)), 2u);
}

// Random domains, addresses, durations and complaints, held against the judge that judges crawls.
TEST(PolitenessProperty, NoSiteCouldComplainAndEveryRequestHasOneFate) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const PolitenessOptions options{
        .delay = milliseconds(random.Below(2000)),
        .address_delay = milliseconds(random.Chance(0.5) ? random.Below(500) : 0),
        .max_wait = milliseconds(100 + random.Below(20'000))};
    Politeness politeness(options);
    synthetic::Judge judge({.domain_delay = options.delay, .address_delay = options.address_delay});
    struct Sent {
      std::string domain, address;
      SteadyTime added;
      bool urgent = false;
      synthetic::Judge::VisitId visit = 0;
    };
    std::map<uint64_t, Sent> waiting, running;
    std::multimap<SteadyTime, uint64_t> ends;
    uint64_t next_id = 1, started = 0, deferred = 0;
    constexpr uint64_t kRequests = 400;
    SteadyTime now = At(0);

    const auto drain = [&] {
      while (const auto handed = politeness.TakeDeferred()) {
        ++deferred;
        ASSERT_EQ(waiting.erase(handed->id.value()), 1u) << seed;
        ASSERT_GE(handed->not_before, now) << seed;
      }
      while (const auto turn = politeness.Start(now)) {
        ++started;
        auto node = waiting.extract(turn->value());
        ASSERT_FALSE(node.empty()) << seed;
        const Duration most =
            options.max_wait + (node.mapped().urgent ? options.delay : Duration{});
        ASSERT_LE(now - node.mapped().added, most) << seed;
        synthetic::Visit visit{.domain = node.mapped().domain,
                               .host = node.mapped().domain,
                               .address = node.mapped().address};
        visit.robots_txt = true;
        node.mapped().visit = judge.Arrived(visit, now);
        ends.emplace(now + milliseconds(random.Below(3000)), turn->value());
        running.insert(std::move(node));
      }
      while (const auto handed = politeness.TakeDeferred()) {
        ++deferred;
        ASSERT_EQ(waiting.erase(handed->id.value()), 1u) << seed;
      }
    };

    SteadyTime next_add = now;
    while (next_id <= kRequests || !waiting.empty() || !running.empty()) {
      SteadyTime next = next_id <= kRequests ? next_add : SteadyTime::max();
      next = std::min(next, politeness.NextLook());
      if (!ends.empty()) next = std::min(next, ends.begin()->first);
      ASSERT_NE(next, SteadyTime::max()) << seed << ": " << waiting.size() << " wait for nothing";
      ASSERT_GE(next, now) << seed;
      now = next;
      while (!ends.empty() && ends.begin()->first <= now) {
        const uint64_t id = ends.begin()->second;
        ends.erase(ends.begin());
        const Sent sent = running.extract(id).mapped();
        std::optional<std::chrono::seconds> retry_after;
        const bool complains = random.Chance(0.03);
        if (complains && random.Chance(0.8)) retry_after = seconds(random.Below(20));
        judge.Ended(sent.visit, now, retry_after);
        ASSERT_TRUE(politeness.Ended(
            TurnId(id), {.status = complains ? 429 : 200, .retry_after = retry_after}, now));
      }
      while (next_id <= kRequests && next_add <= now) {
        const uint64_t domain = random.Below(12);
        Sent sent{.domain = fmt::format("d{}.test", domain),
                  .address = fmt::format("10.0.0.{}", (domain + random.Below(2)) % 5),
                  .added = now,
                  .urgent = random.Chance(0.1)};
        politeness.Add({.id = TurnId(next_id),
                        .domain = sent.domain,
                        .address = sent.address,
                        .urgent = sent.urgent},
                       now);
        waiting.emplace(next_id++, std::move(sent));
        next_add += milliseconds(random.Below(200));
      }
      drain();
      if (HasFatalFailure()) return;
      ASSERT_EQ(politeness.waiting(), waiting.size()) << seed;
      ASSERT_EQ(politeness.running(), running.size()) << seed;
    }
    EXPECT_EQ(started + deferred, kRequests);
    EXPECT_GT(started, 0u);
    const synthetic::Verdict verdict = judge.verdict();
    for (size_t i = 0; i < verdict.breaches.size(); ++i) {
      ASSERT_EQ(verdict.breaches[i].count, 0u)
          << seed << " " << NameOf(static_cast<synthetic::Breach>(i)) << " "
          << verdict.breaches[i].examples[0];
    }
  }
}

}  // namespace
}  // namespace orbweaver
