#include "db_worker/dequeue/batch_chooser.h"

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "db_worker/dequeue/feed_lag.h"
#include "db_worker/dequeue/spread.h"
#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

class BatchChooserTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, int band, uint64_t waiting) {
    const DomainId id = index_.FindOrAdd(name);
    Head head;
    index_.Read(id, &head);
    head.bands[band] = {};
    head.bands[band].Append(1, 1);
    head.bands[band].waiting = waiting;
    index_.Put(id, head, false, kNow);
  }
  // The number of requests that each domain gives, in the order in which the domains were chosen.
  // Then the domains are behind the others again, as after a batch without delays.
  std::vector<std::pair<std::string, uint32_t>> Choose(uint32_t size) {
    std::vector<ChosenDomain> chosen;
    ChooseBatch(options_, index_, size, kNow, &chosen);
    std::vector<std::pair<std::string, uint32_t>> counts;
    for (ChosenDomain& domain : chosen) {
      counts.emplace_back(index_.DomainOf(domain.id), domain.total);
      for (int band = 0; band < kBands; ++band) {
        Band& queued = domain.head.bands[band];
        EXPECT_LE(domain.take[band], queued.waiting);
        queued.waiting -= domain.take[band];
        if (queued.waiting == 0) queued.MoveTo(queued.next, 0);
      }
      index_.Put(domain.id, domain.head, true, kNow);
    }
    return counts;
  }
  using Counts = std::vector<std::pair<std::string, uint32_t>>;

  DbWorkerOptions options_{.feed = {.max_per_domain = 1000, .min_domains = 1},
                           .politeness = {.delay = {}}};
  DomainIndex index_;
};

TEST_F(BatchChooserTest, NeverChoosesMoreThanAsked) {
  for (int i = 0; i < 50; ++i) Add(std::to_string(i), i % kBands, 7);
  options_.feed.min_domains = 10;
  for (const uint32_t size : {0u, 1u, 5u, 64u, 256u}) {
    uint32_t sum = 0;
    for (const auto& [name, count] : Choose(size)) sum += count;
    EXPECT_LE(sum, size);
    if (size <= 64) EXPECT_EQ(sum, size);
  }
}

TEST_F(BatchChooserTest, NeverChoosesMoreOfADomainThanItsDelayAllows) {
  Add("a", 0, 500);
  options_.politeness.delay = seconds(3);
  options_.feed.window = seconds(10);
  EXPECT_EQ(Choose(100), (Counts{{"a", 4}}));
  options_.feed.max_per_domain = 2;
  EXPECT_EQ(Choose(100), (Counts{{"a", 2}}));
}

TEST_F(BatchChooserTest, TakesBetterBandsFirst) {
  Add("low", 6, 10);
  Add("high", 1, 10);
  Add("both", 1, 2);
  Add("both", 6, 10);
  EXPECT_EQ(Choose(5), (Counts{{"high", 5}}));
  EXPECT_EQ(Choose(8), (Counts{{"both", 2}, {"high", 5}, {"low", 1}}));
}

TEST_F(BatchChooserTest, AnotherTurnGoesToWhoWasNotServed) {
  for (const char* const name : {"a", "b", "c"}) Add(name, 0, 10);
  EXPECT_EQ(Choose(2), (Counts{{"a", 2}}));
  EXPECT_EQ(Choose(2), (Counts{{"b", 2}}));
  EXPECT_EQ(Choose(2), (Counts{{"c", 2}}));
  EXPECT_EQ(Choose(2), (Counts{{"a", 2}}));
}

TEST_F(BatchChooserTest, AHugeDomainStarvesNobody) {
  Add("huge", 0, 1'000'000);
  for (int i = 0; i < 10'000; ++i) Add(std::to_string(i), 0, 1);
  options_.feed.min_domains = 128;
  std::map<std::string, uint32_t> sum;
  for (int batch = 0; batch < 10; ++batch) {
    for (const auto& [name, count] : Choose(2048)) sum[name] += count;
  }
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(sum[std::to_string(i)], 1u) << i;
  EXPECT_GT(sum["huge"], 0u);
}

TEST_F(BatchChooserTest, NoDomainHasMoreThanItsShareWhereThereAreOthers) {
  for (int i = 0; i < 20; ++i) Add(std::to_string(i), 0, 100);
  options_.feed.min_domains = 10;
  const Counts counts = Choose(100);
  EXPECT_EQ(counts.size(), 10u);
  for (const auto& [name, count] : counts) EXPECT_EQ(count, 10u);
}

TEST_F(BatchChooserTest, FewDomainsFillTheBatchAlone) {
  Add("a", 0, 1000);
  Add("b", 0, 3);
  options_.feed.min_domains = 100;
  EXPECT_EQ(Choose(200), (Counts{{"a", 197}, {"b", 3}}));
}

TEST(SpreadDomains, PutsEqualDomainsAsFarApartAsTheyCanBe) {
  const auto spread = [](std::vector<uint32_t> counts) { return SpreadDomains(counts); };
  using Order = std::vector<uint32_t>;
  EXPECT_EQ(spread({}), Order{});
  EXPECT_EQ(spread({3}), (Order{0, 0, 0}));
  EXPECT_EQ(spread({2, 2}), (Order{0, 1, 0, 1}));
  EXPECT_EQ(spread({3, 2}), (Order{0, 1, 0, 1, 0}));
  EXPECT_EQ(spread({1, 0, 3, 1}), (Order{2, 0, 2, 3, 2}));
}

TEST(SpreadDomains, KeepsTheDistanceThatTheMostFrequentDomainAllows) {
  Random random(3);
  for (int run = 0; run < 2000; ++run) {
    std::vector<uint32_t> counts;
    for (uint64_t n = 1 + random.Below(40); n > 0; --n) {
      counts.push_back(static_cast<uint32_t>(1 + random.Below(1 + random.Below(30))));
    }
    const auto order = SpreadDomains(counts);
    const uint32_t most = *std::max_element(counts.begin(), counts.end());
    // In a row for each request of the most frequent domain; rows differ by little.
    const auto fewest = static_cast<int>(order.size() / most) - 2;
    std::map<uint32_t, int> last;
    std::vector<uint32_t> seen(counts.size());
    for (int i = 0; i < static_cast<int>(order.size()); ++i) {
      ++seen[order[i]];
      const auto before = last.find(order[i]);
      if (before != last.end() && counts[order[i]] == most) {
        ASSERT_GE(i - before->second, fewest) << "run " << run;
      }
      last[order[i]] = i;
    }
    ASSERT_EQ(seen, counts);
  }
}

TEST(LogLag, IsWhatItsReadersHaveLeft) {
  const LogBounds bounds{Offset(10), Offset(50)};
  const auto lag = [&](std::optional<int64_t> committed) {
    if (!committed.has_value()) return LagOf(bounds, std::nullopt);
    return LagOf(bounds, CommittedOffset{.offset = Offset(*committed), .metadata = {}});
  };
  EXPECT_EQ(lag(30).messages, 20);
  EXPECT_EQ(lag(30).state, LagState::kCommitted);
  EXPECT_EQ(lag(50).messages, 0);
  // Without a commit readers begin at the log's start.
  EXPECT_EQ(lag({}).messages, 40);
  EXPECT_EQ(lag({}).state, LagState::kNoCommit);
  EXPECT_EQ(lag(4).messages, 40);
  EXPECT_EQ(lag(4).state, LagState::kLogCut);
  EXPECT_EQ(lag(4).lost, 6);
  EXPECT_EQ(lag(99).messages, 40);
  EXPECT_EQ(lag(99).state, LagState::kCommitBeyondEnd);
}

}  // namespace
}  // namespace orbweaver
