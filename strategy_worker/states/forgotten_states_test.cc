// States that a purge or an order forgets, and rows with the remains of a crash.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/url/partition.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/support/states_owner.h"

namespace orbweaver {
namespace {

TEST(ForgottenStatesTest, WhatWasQueuedIsForgottenInAllShardsAndNothingElseIs) {
  const std::vector<Fingerprint> urls = SpreadUrls(100);
  for (const uint64_t shard_urls : {uint64_t{30}, uint64_t{1000}}) {
    MemoryTables tables;
    const StateOptions options = {.inline_bytes = 0, .shard_urls = shard_urls};
    const LinkState queued{.status = LinkStatus::kQueued, .depth = 3};
    const LinkState again{.status = LinkStatus::kQueued, .fetches = 2, .etag = "e"};
    const LinkState gone{.status = LinkStatus::kGone, .errors = 1};
    {
      TestOwner owner(&tables, options);
      DomainStates& domain = owner.Load("a.org", urls);
      for (size_t i = 0; i < urls.size(); ++i) {
        domain.Set(urls[i], i % 3 == 0 ? queued : i % 3 == 1 ? again : gone);
      }
      owner.FlushAndWrite(1);
    }
    {
      TestOwner owner(&tables, options);
      owner.Load("a.org", {urls[1]}).ForgetQueued();
      EXPECT_LE(owner.metrics().rows_read.value(), 2u) << "the record, and the shard of one URL";
      owner.FlushAndWrite(2);
      EXPECT_TRUE(owner.first().empty()) << "no block is written again";
    }
    TestOwner owner(&tables, options);
    DomainStates& domain = owner.Load("a.org", urls);
    for (size_t i = 0; i < urls.size(); ++i) {
      LinkState state;
      bool known = false;
      domain.Find({&urls[i], 1}, {&state, 1}, {&known, 1});
      LinkState expected = i % 3 == 0 ? queued : i % 3 == 1 ? again : gone;
      if (i % 3 == 0) expected.status = LinkStatus::kNotCrawled;
      if (i % 3 == 1) expected.status = LinkStatus::kCrawled;
      EXPECT_EQ(state, expected) << i;
    }
    EXPECT_EQ(domain.record().known_urls, urls.size());
  }
}

TEST(ForgottenStatesTest, ForgettingWhereNothingIsQueuedChangesNothing) {
  MemoryTables tables;
  TestOwner owner(&tables);
  owner.Load("a.org", {Url(1)}).Set(Url(1), {.status = LinkStatus::kCrawled, .fetches = 1});
  owner.FlushAndWrite(1);
  owner.Load("a.org", {Url(1)}).ForgetQueued();
  owner.Flush(2);
  EXPECT_TRUE(owner.second().empty());
}

TEST(ForgottenStatesTest, AForgottenDomainReadsNoShardAndItsRowsBecomeGarbage) {
  MemoryTables tables;
  const StateOptions options = {.inline_bytes = 0, .shard_urls = 4};
  std::vector<Fingerprint> urls;
  for (int i = 0; i < 40; ++i) urls.push_back(Url(i));
  {
    TestOwner owner(&tables, options);
    DomainStates& domain = owner.Load("a.org", urls);
    for (const Fingerprint& url : urls) domain.Set(url, AtDepth(1));
    domain.record().fetched = 7;
    domain.record().strategy_data = "x";
    domain.record().outbox = {"unsent"};
    owner.FlushAndWrite(1);
    EXPECT_TRUE(domain.IsSharded());
  }
  TestOwner owner(&tables, options);
  DomainStates& domain = owner.Load("a.org", {urls[1]});
  domain.ForgetQueued();
  const uint64_t purges = domain.record().purges;
  domain.Forget();
  EXPECT_LE(owner.metrics().rows_read.value(), 2u) << "the record, and the shard of one URL";
  EXPECT_EQ(owner.DepthOf(domain, urls[1]), "-");
  domain.Set(urls[2], AtDepth(5));
  owner.FlushAndWrite(2);
  EXPECT_GE(owner.Garbage().size(), 4u);
  TestOwner next(&tables, options);
  DomainStates& again = next.Load("a.org", urls);
  EXPECT_FALSE(again.IsSharded());
  EXPECT_EQ(again.record().known_urls, 1u);
  EXPECT_EQ(again.record().fetched, 0u);
  EXPECT_EQ(again.record().strategy_data, "");
  EXPECT_EQ(again.record().outbox, std::vector<std::string>{"unsent"});
  EXPECT_GE(again.record().purges, purges);
  EXPECT_EQ(next.DepthOf(again, urls[2]), "5");
  EXPECT_EQ(next.DepthOf(again, urls[3]), "-");
}

TEST(ForgottenStatesTest, WhatACrashLeftInARowIsFoundButErasedOnlyAfterAFlushOfOnesOwn) {
  MemoryTables tables;
  const StateOptions options = {.inline_bytes = 0};
  {
    TestOwner owner(&tables, options);
    owner.Load("a.org", {Url(1)}).Set(Url(1), AtDepth(1));
    owner.FlushAndWrite(5);
  }
  const std::string left = DeltaColumn(Version(4));
  const CellPut cell{left, "half a flush"};
  tables.Put(Table::kDomains, {FirstRow("a.org"), Version(4), {&cell, 1}});
  TestOwner owner(&tables, options);
  DomainStates& domain = owner.Load("a.org", {Url(1)});
  EXPECT_EQ(owner.DepthOf(domain, Url(1)), "1");
  EXPECT_TRUE(owner.Garbage().empty()) << "its writer may still put the record that needs it";
  domain.MarkChanged();
  owner.FlushAndWrite(8);
  const std::vector<RowErase> garbage = owner.Garbage();
  ASSERT_EQ(garbage.size(), 1u);
  EXPECT_EQ(garbage[0].columns.size(), 1u);
  EXPECT_EQ(garbage[0].columns[0], left);
}

}  // namespace
}  // namespace orbweaver
