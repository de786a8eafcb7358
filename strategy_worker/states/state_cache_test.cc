// Eviction: the states that leave the memory and those that stay, seen through PackedStateStore.
#include "strategy_worker/states/state_cache.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/support/states_owner.h"

namespace orbweaver {
namespace {

constexpr size_t kBudget = 60'000;

std::string Name(int index) { return "site" + std::to_string(index) + ".org"; }

// Domains that take about 1.2 KB each in memory.
void Fill(MemoryTables* tables, int domains) {
  TestOwner owner(tables);
  Random random(1);
  for (int i = 0; i < domains; ++i) {
    DomainStates& domain = owner.Load(Name(i), {Url(1)});
    for (int url = 0; url < 50; ++url) domain.Set(Url(random()), {.depth = 1});
  }
  owner.FlushAndWrite(1);
}

TEST(StateCacheTest, KeepsToItsBoundAndForgetsFirstWhatWasAskedForLongestAgo) {
  MemoryTables tables;
  Fill(&tables, 200);
  TestOwner owner(&tables, {.cache_bytes = kBudget});
  for (int i = 0; i < 200; ++i) {
    owner.Load(Name(i), {Url(1)});
    owner.Load(Name(0), {Url(1)});
    EXPECT_LE(owner.states().cached_bytes(), kBudget);
  }
  EXPECT_NE(owner.states().Find(Name(0)), nullptr);
  EXPECT_EQ(owner.states().Find(Name(1)), nullptr);
  EXPECT_NE(owner.states().Find(Name(199)), nullptr);
  EXPECT_GT(owner.metrics().evictions.value(), 100u);
  EXPECT_EQ(owner.metrics().bytes.value(), static_cast<double>(owner.states().cached_bytes()));
}

TEST(StateCacheTest, ALoadMeetsAsManyRequestsAsThereIsMemoryForAndOneAtLeast) {
  MemoryTables tables;
  Fill(&tables, 200);
  TestOwner owner(&tables, {.cache_bytes = kBudget});
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back(Name(i));
  std::vector<StateRequest> requests;
  const Fingerprint url = Url(1);
  for (const std::string& name : names)
    requests.push_back({name, TestOwner::kPartition, {&url, 1}});
  std::span<const StateRequest> rest = requests;
  int loads = 0;
  while (!rest.empty()) {
    const auto met = owner.states().Load(rest, TestOwner::kTimeout);
    ASSERT_OK(met);
    ASSERT_GE(*met, 1u);
    for (const StateRequest& request : rest.first(*met)) {
      ASSERT_NE(owner.states().Find(request.domain), nullptr);
    }
    EXPECT_LE(owner.states().cached_bytes(), kBudget);
    rest = rest.subspan(*met);
    ++loads;
  }
  EXPECT_GT(loads, 1);
  EXPECT_LT(loads, 20) << "as many as there is memory for";
}

TEST(StateCacheTest, NeverEvictsWhatIsChangedOrNotYetDurable) {
  MemoryTables tables;
  Fill(&tables, 200);
  TestOwner owner(&tables, {.cache_bytes = 1});
  owner.Load(Name(0), {Url(1)}).Set(Url(1), {.depth = 9});
  owner.Load(Name(1), {Url(1)}).Set(Url(1), {.depth = 9});
  owner.Load(Name(2), {Url(1)});
  ASSERT_NE(owner.states().Find(Name(0)), nullptr);
  owner.Flush(2);
  owner.Load(Name(2), {Url(1)});
  ASSERT_NE(owner.states().Find(Name(0)), nullptr);
  owner.DepthOf(*owner.states().Find(Name(0)), Url(1));
  owner.states().Find(Name(0))->Set(Url(2), {.depth = 9});
  owner.Write();
  owner.Load(Name(2), {Url(1)});
  EXPECT_NE(owner.states().Find(Name(0)), nullptr) << "changed after the flush";
  EXPECT_EQ(owner.states().Find(Name(1)), nullptr);
}

TEST(StateCacheTest, ALargeSiteIsEvictedByShardAndDoesNotPushOutTheOthers) {
  MemoryTables tables;
  Fill(&tables, 10);
  const StateOptions options = {.cache_bytes = kBudget, .shard_urls = 200};
  std::vector<Fingerprint> urls;
  Random random(2);
  for (int i = 0; i < 20'000; ++i) urls.push_back(Url(random()));
  {
    TestOwner owner(&tables, options);
    DomainStates& domain = owner.Load("large.org", {Url(1)});
    for (const Fingerprint url : urls) domain.Set(url, {.depth = 2});
    owner.FlushAndWrite(1);
  }
  TestOwner owner(&tables, options);
  for (int i = 0; i < 10; ++i) owner.Load(Name(i), {Url(1)});
  for (const Fingerprint url : urls) {
    ASSERT_EQ(owner.DepthOf(owner.Load("large.org", {url}), url), "2");
    ASSERT_LE(owner.states().cached_bytes(), kBudget);
  }
  for (int i = 0; i < 10; ++i) EXPECT_NE(owner.states().Find(Name(i)), nullptr);
}

TEST(StateCacheTest, CountsNothingOnceAllIsDropped) {
  MemoryTables tables;
  Fill(&tables, 20);
  TestOwner owner(&tables, {.shard_urls = 60});
  for (int i = 0; i < 20; ++i) {
    DomainStates& domain = owner.Load(Name(i), {Url(1)});
    for (uint64_t url = 0; url < 100; ++url) domain.Set(Url(url << 57), {.depth = 3});
  }
  owner.Flush(2);
  EXPECT_GT(owner.states().cached_bytes(), 20'000u);
  owner.states().Drop(TestOwner::kPartition);
  EXPECT_EQ(owner.states().cached_bytes(), 0u);
  EXPECT_EQ(owner.metrics().bytes.value(), 0);
}

}  // namespace
}  // namespace orbweaver
