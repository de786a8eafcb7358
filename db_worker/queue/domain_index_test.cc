#include "db_worker/queue/domain_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;

constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

Head Waiting(int band, WallTime ready_at = {}) {
  Head head;
  head.bands[band].Append(1, 1);
  head.bands[band].waiting = 1;
  head.paced_until = ready_at;
  return head;
}

std::vector<std::string> Ready(const DomainIndex& index, int band) {
  std::vector<std::string> names;
  for (DomainId id = index.FirstReady(band); id != kNoDomain; id = index.NextReady(id)) {
    names.emplace_back(index.DomainOf(id));
  }
  return names;
}

TEST(DomainIndex, KeepsTheOrderInWhichDomainsBecameReady) {
  DomainIndex index;
  for (const char* const name : {"c.com", "a.com", "b.com"}) {
    index.Put(index.FindOrAdd(name), Waiting(3), false, kNow);
  }
  EXPECT_EQ(Ready(index, 3), (std::vector<std::string>{"c.com", "a.com", "b.com"}));
  // More requests do not change a domain's turn; being served does.
  index.Put(index.Find("c.com"), Waiting(3), false, kNow);
  EXPECT_EQ(Ready(index, 3).front(), "c.com");
  index.TakeFromReady(index.Find("c.com"));
  EXPECT_EQ(Ready(index, 3).front(), "a.com");
  index.Put(index.Find("c.com"), Waiting(3), false, kNow);
  EXPECT_EQ(Ready(index, 3).back(), "c.com");
}

TEST(DomainIndex, StandsReadyInItsBestBandOnly) {
  DomainIndex index;
  Head head = Waiting(6);
  const DomainId id = index.FindOrAdd("a.com");
  index.Put(id, head, false, kNow);
  EXPECT_EQ(Ready(index, 6).size(), 1u);
  head.bands[1] = head.bands[6];
  index.Put(id, head, false, kNow);
  EXPECT_TRUE(Ready(index, 6).empty());
  EXPECT_EQ(Ready(index, 1).size(), 1u);
}

TEST(DomainIndex, WaitsUntilItIsReadyAndNotLonger) {
  Random random(7);
  DomainIndex index;
  std::map<std::string, WallTime> ready_at;
  for (int i = 0; i < 500; ++i) {
    const std::string name = std::to_string(random.Below(300)) + ".com";
    ready_at[name] = kNow + seconds(random.Below(1000));
    index.Put(index.FindOrAdd(name), Waiting(2, ready_at[name]), false, kNow);
  }
  for (WallTime now = kNow; now < kNow + seconds(1000); now += seconds(13)) {
    index.Advance(now);
    const auto ready = Ready(index, 2);
    for (const auto& [name, at] : ready_at) {
      ASSERT_EQ(std::count(ready.begin(), ready.end(), name), at <= now) << name;
    }
    if (index.NextWake() != WallTime::max()) ASSERT_GT(index.NextWake(), now);
  }
}

TEST(DomainIndex, TellsOfOpenedBucketsOnce) {
  DomainIndex index;
  Head head;
  head.BucketFor(kNow + seconds(10), kNow, 1).next = 1;
  index.Put(index.FindOrAdd("a.com"), head, false, kNow);
  index.Advance(kNow + seconds(10));
  EXPECT_EQ(index.TakeOpened(), kNoDomain);
  index.Advance(kNow + seconds(11));
  EXPECT_EQ(index.TakeOpened(), index.Find("a.com"));
  index.Advance(kNow + seconds(12));
  EXPECT_EQ(index.TakeOpened(), kNoDomain);
  // Still there: it was not moved away as a whole.
  index.Put(index.Find("a.com"), head, false, kNow + seconds(12));
  EXPECT_EQ(index.TakeOpened(), index.Find("a.com"));
}

TEST(DomainIndex, KnowsWhatTheStoreLacks) {
  DomainIndex index;
  const DomainId a = index.FindOrAdd("a.com"), b = index.FindOrAdd("b.com");
  index.Put(a, Waiting(0), true, kNow);
  index.Put(b, Waiting(0), true, kNow);
  index.Put(a, Waiting(0), true, kNow);
  EXPECT_EQ(index.dirty_count(), 2u);
  index.Put(b, Waiting(0), false, kNow);
  EXPECT_EQ(index.Dirty(), std::vector<DomainId>{a});
  index.MarkClean(a);
  EXPECT_EQ(index.dirty_count(), 0u);
  EXPECT_TRUE(index.Dirty().empty());
}

TEST(DomainIndex, ForgetsOnlyWhatHasNothingToWaitFor) {
  DomainIndex index;
  Head blocked;
  blocked.rest.until = kNow + seconds(1);
  Head garbage;
  for (int i = 0; i < 3; ++i) garbage.bands[0].Append(1, 1);
  garbage.bands[0].MoveTo(3, 0);
  index.Put(index.FindOrAdd("idle.com"), {}, false, kNow);
  index.Put(index.FindOrAdd("blocked.com"), blocked, false, kNow);
  index.Put(index.FindOrAdd("garbage.com"), garbage, false, kNow);
  index.Put(index.FindOrAdd("waiting.com"), Waiting(0), false, kNow);
  index.Put(index.FindOrAdd("dirty.com"), {}, true, kNow);
  EXPECT_TRUE(index.complete());
  const DomainId idle = index.Find("idle.com");
  const uint32_t generation = index.Generation(idle);
  EXPECT_EQ(index.ForgetIdle(kNow), 1u);
  EXPECT_FALSE(index.complete());
  EXPECT_EQ(index.Find("idle.com"), kNoDomain);
  EXPECT_EQ(index.size(), 4u);
  // Its place is another's now, and keys that named the old one name nothing.
  EXPECT_EQ(index.FindOrAdd("other.com"), idle);
  EXPECT_NE(index.Generation(idle), generation);
}

TEST(DomainIndex, OffersGarbageWhenThereIsEnoughOrNothingElse) {
  DomainIndex index;
  Head head = Waiting(0);
  for (int i = 1; i < 16; ++i) head.bands[0].Append(1, 1);
  head.bands[0].first = 15;
  const DomainId id = index.FindOrAdd("a.com");
  index.Put(id, head, false, kNow);
  EXPECT_EQ(index.TakeGarbage(), kNoDomain);
  head.bands[0].Append(1, 1);
  head.bands[0].first = 16;
  index.Put(id, head, false, kNow);
  EXPECT_EQ(index.TakeGarbage(), id);
  EXPECT_EQ(index.TakeGarbage(), kNoDomain);
  head.bands[0].MarkErased(head.bands[0].first);
  head.bands[0].MoveTo(17, 0);
  index.Put(id, head, false, kNow);
  EXPECT_EQ(index.TakeGarbage(), id);
}

TEST(DomainIndex, TakesAtMostTwoHundredBytesADomain) {
  DomainIndex index;
  constexpr int kDomains = 100'000;
  for (int i = 0; i < kDomains; ++i) {
    Head head = Waiting(i % kBands, kNow + seconds(i % 100));
    head.applied = {1, Offset(1'000'000'000 + i), 0};
    head.waiting_since = kNow;
    index.Put(index.FindOrAdd("www-site-" + std::to_string(i) + ".co.uk"), head, true, kNow);
  }
  EXPECT_LE(index.bytes(), size_t{200} * kDomains);
}

}  // namespace
}  // namespace orbweaver
