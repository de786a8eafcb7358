#include "strategy_worker/states/packed_state_store.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/url/partition.h"
#include "tests/support/states_owner.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

// Columns by row, of the whole table.
std::map<std::string, std::vector<std::string>> Columns(MemoryTables& tables) {
  std::map<std::string, std::vector<std::string>> columns;
  MemoryStore store(&tables, {});
  EXPECT_OK(store.Scan(Table::kDomains, {}, TestOwner::kTimeout,
                       [&](std::string_view row, std::span<const Cell> cells) {
                         for (const Cell& cell : cells) {
                           columns[std::string(row)].emplace_back(cell.column);
                         }
                         return true;
                       }));
  return columns;
}

TEST(PackedStateStoreTest, KnowsThatADomainHasNoRowWithoutAskingAgain) {
  MemoryTables tables;
  TestOwner owner(&tables);
  EXPECT_EQ(owner.DepthOf(owner.Load("a.org", {Url(1)}), Url(1)), "-");
  EXPECT_EQ(owner.states().Find("b.org"), nullptr);
  owner.Load("a.org", {Url(2)});
  EXPECT_EQ(owner.metrics().rows_read.value(), 1u);
  EXPECT_EQ(owner.metrics().rows_saved.value(), 1u);
  EXPECT_EQ(owner.metrics().hits.value(), 1u);
  EXPECT_EQ(owner.metrics().misses.value(), 1u);
}

TEST(PackedStateStoreTest, ASmallDomainIsOneCellAndComesBackWhole) {
  MemoryTables tables;
  {
    TestOwner owner(&tables);
    DomainStates& domain = owner.Load("a.org", {Url(1)});
    domain.record().scheduled = 7;
    domain.record().outbox = {"request"};
    for (uint32_t i = 0; i < 100; ++i) domain.Set(Spread(i), AtDepth(i));
    owner.FlushAndWrite(1);
    EXPECT_TRUE(owner.first().empty());
  }
  EXPECT_EQ(Columns(tables),
            (std::map<std::string, std::vector<std::string>>{{FirstRow("a.org"), {"r"}}}));
  TestOwner next(&tables);
  DomainStates& domain = next.Load("a.org", {});
  EXPECT_EQ(domain.record().scheduled, 7u);
  EXPECT_EQ(domain.record().known_urls, 100u);
  EXPECT_EQ(domain.record().outbox, std::vector<std::string>{"request"});
  EXPECT_EQ(next.DepthOf(next.Load("a.org", {Url(1)}), Spread(99)), "99");
  EXPECT_EQ(next.metrics().rows_read.value(), 1u) << "the states came with the record";
}

TEST(PackedStateStoreTest, ARecordAboveItsReadersVersionsIsRefused) {
  MemoryTables tables;
  TestOwner other(&tables);
  other.Load("a.org", {Url(1)}).Set(Url(1), AtDepth(3));
  other.FlushAndWrite(8);
  TestOwner owner(&tables);
  StateRequest request{.domain = "a.org", .partition = TestOwner::kPartition};
  request.highest = Version(7);
  const absl::Status refused = owner.states().Load({&request, 1}, TestOwner::kTimeout).status();
  EXPECT_TRUE(IsFatal(refused)) << refused;
  EXPECT_EQ(owner.states().Find("a.org"), nullptr);
  request.highest = Version(8);
  EXPECT_OK(owner.states().Load({&request, 1}, TestOwner::kTimeout));
}

TEST(PackedStateStoreTest, WhatChangedNothingWritesNothing) {
  MemoryTables tables;
  TestOwner owner(&tables);
  owner.Load("a.org", {Url(1)}).Set(Url(1), AtDepth(3));
  owner.FlushAndWrite(1);
  DomainStates& domain = owner.Load("a.org", {Url(1)});
  domain.Set(Url(1), AtDepth(3));
  EXPECT_EQ(domain.record().known_urls, 1u);
  owner.Flush(2);
  EXPECT_TRUE(owner.first().empty() && owner.second().empty());
}

TEST(PackedStateStoreTest, AStateOfAllDefaultsIsKnownNevertheless) {
  MemoryTables tables;
  TestOwner owner(&tables);
  DomainStates& domain = owner.Load("a.org", {Url(0)});
  domain.Set(Url(0), {});
  EXPECT_EQ(owner.DepthOf(domain, Url(0)), "0");
  EXPECT_EQ(domain.record().known_urls, 1u);
  owner.Flush(1);
  EXPECT_EQ(owner.second().size(), 1u);
}

TEST(PackedStateStoreTest, WhatIsChangedTwiceBetweenFlushesIsWrittenAsItWasLast) {
  MemoryTables tables;
  const std::vector<Fingerprint> urls = SpreadUrls(500);
  TestOwner owner(&tables);
  for (const Fingerprint url : urls) owner.Load("a.org", urls).Set(url, AtDepth(1));
  owner.FlushAndWrite(1);
  for (const uint32_t depth : {2, 3, 4}) {
    for (size_t i = 0; i < 100; ++i) owner.Load("a.org", urls).Set(urls[i], AtDepth(depth));
  }
  owner.FlushAndWrite(2);
  TestOwner next(&tables);
  DomainStates& domain = next.Load("a.org", urls);
  EXPECT_EQ(next.DepthOf(domain, urls[0]), "4");
  EXPECT_EQ(next.DepthOf(domain, urls[99]), "4");
  EXPECT_EQ(next.DepthOf(domain, urls[100]), "1");
}

TEST(PackedStateStoreTest, ALargerDomainGetsABaseAndDeltasAndTheirReplacementFreesThem) {
  MemoryTables tables;
  const std::vector<Fingerprint> urls = SpreadUrls(1000);
  TestOwner owner(&tables, {.max_deltas = 3});
  for (uint32_t i = 0; i < 500; ++i) owner.Load("a.org", urls).Set(urls[i], AtDepth(1));
  owner.FlushAndWrite(1);
  for (uint64_t version = 2; version <= 4; ++version) {
    owner.Load("a.org", urls).Set(urls[500 + version], AtDepth(2));
    owner.FlushAndWrite(version);
    EXPECT_TRUE(owner.Garbage().empty());
  }
  const std::string row = FirstRow("a.org");
  EXPECT_EQ(Columns(tables)[row],
            (std::vector<std::string>{BaseColumn(Version(1)), DeltaColumn(Version(2)),
                                      DeltaColumn(Version(3)), DeltaColumn(Version(4)), "r"}));
  owner.Load("a.org", urls).Set(urls[999], AtDepth(3));
  owner.Flush(5);
  EXPECT_TRUE(owner.Garbage().empty()) << "before the new base is durable";
  owner.Write();
  const std::vector<RowErase> garbage = owner.Garbage();
  ASSERT_EQ(garbage.size(), 1u);
  EXPECT_EQ(garbage[0].columns.size(), 4u);
  EXPECT_OK(owner.store().Erase(Table::kDomains, garbage, TestOwner::kTimeout));
  EXPECT_EQ(Columns(tables)[row], (std::vector<std::string>{BaseColumn(Version(5)), "r"}));
  EXPECT_TRUE(owner.Garbage().empty());

  TestOwner next(&tables);
  DomainStates& domain = next.Load("a.org", urls);
  EXPECT_EQ(next.DepthOf(domain, urls[499]), "1");
  EXPECT_EQ(next.DepthOf(domain, urls[502]), "2");
  EXPECT_EQ(next.DepthOf(domain, urls[999]), "3");
  EXPECT_EQ(domain.record().known_urls, 504u);
}

TEST(PackedStateStoreTest, DeltasThatOutgrowTheirBaseBecomeANewOne) {
  MemoryTables tables;
  const std::vector<Fingerprint> urls = SpreadUrls(2000);
  TestOwner owner(&tables);
  for (int i = 0; i < 300; ++i) owner.Load("a.org", urls).Set(urls[i], AtDepth(1));
  owner.FlushAndWrite(1);
  for (int i = 300; i < 700; ++i) owner.Load("a.org", urls).Set(urls[i], AtDepth(1));
  owner.FlushAndWrite(2);
  const std::vector<RowErase> garbage = owner.Garbage();
  ASSERT_EQ(garbage.size(), 1u);
  EXPECT_EQ(garbage[0].columns[0], BaseColumn(Version(1)));
  EXPECT_EQ(garbage[0].version, Version(2));
}

TEST(PackedStateStoreTest, ARecordIsReadWithoutItsStatesAndTheyFollowWhenAskedFor) {
  MemoryTables tables;
  const std::vector<Fingerprint> urls = SpreadUrls(1000);
  {
    TestOwner owner(&tables);
    for (const Fingerprint url : urls) owner.Load("a.org", urls).Set(url, AtDepth(1));
    owner.FlushAndWrite(1);
  }
  TestOwner owner(&tables);
  const uint64_t cells_before = tables.cells_read();
  DomainStates& domain = owner.Load("a.org", {});
  EXPECT_EQ(tables.cells_read() - cells_before, 1u);
  domain.record().fetched = 5;
  domain.MarkChanged();
  owner.FlushAndWrite(2);
  domain.record().fetched = 6;
  domain.MarkChanged();
  DomainStates& with_states = owner.Load("a.org", urls);
  EXPECT_EQ(with_states.record().fetched, 6u) << "not what the row says";
  EXPECT_EQ(owner.DepthOf(with_states, urls[0]), "1");
}

TEST(PackedStateStoreTest, ShardsArePutBeforeTheRecordAndOnlyThoseAskedForAreRead) {
  MemoryTables tables;
  const std::vector<Fingerprint> urls = SpreadUrls(1000);
  const StateOptions options = {.shard_urls = 300};
  {
    TestOwner owner(&tables, options);
    for (const Fingerprint url : urls) owner.Load("a.org", urls).Set(url, AtDepth(1));
    owner.Flush(1);
    EXPECT_EQ(owner.first().size(), 3u);
    EXPECT_EQ(owner.second().size(), 1u);
    owner.Write();
  }
  EXPECT_EQ(Columns(tables).size(), 4u);
  TestOwner owner(&tables, options);
  owner.Load("a.org", {Url(~uint64_t{0})});
  EXPECT_EQ(owner.metrics().rows_read.value(), 2u) << "the record's, then the last shard's";
  DomainStates& domain = owner.Load("a.org", urls);
  EXPECT_EQ(owner.metrics().rows_read.value(), 4u);
  for (const Fingerprint url : urls) ASSERT_EQ(owner.DepthOf(domain, url), "1");
  domain.Set(Url(~uint64_t{0}), AtDepth(2));
  owner.Flush(2);
  ASSERT_EQ(owner.first().size(), 1u) << "only the shard that changed";
  EXPECT_EQ(owner.first()[0].row, ShardRow(DomainRow("a.org"), 0xc000));
  EXPECT_EQ(owner.second().size(), 1u);
}

TEST(PackedStateStoreTest, WhatTheCoreDidToARecordWithoutMarkingItStaysInMemory) {
  MemoryTables tables;
  TestOwner owner(&tables);
  DomainStates& domain = owner.Load("a.org", {});
  domain.record().outbox = {"request"};
  domain.MarkChanged();
  owner.FlushAndWrite(1);
  domain.record().outbox.clear();
  for (int i = 0; i < 20; ++i) owner.Load("b.org", {});
  EXPECT_TRUE(owner.states().Find("a.org")->record().outbox.empty());
}

TEST(PackedStateStoreTest, AChangeBetweenFlushAndFlushedBelongsToTheNextFlush) {
  MemoryTables tables;
  TestOwner owner(&tables);
  DomainStates& domain = owner.Load("a.org", {Url(1)});
  domain.Set(Url(1), AtDepth(1));
  owner.Flush(1);
  domain.Set(Url(2), AtDepth(2));
  owner.Write();
  {
    TestOwner next(&tables);
    EXPECT_EQ(next.DepthOf(next.Load("a.org", {Url(1)}), Url(2)), "-");
  }
  owner.FlushAndWrite(2);
  TestOwner next(&tables);
  EXPECT_EQ(next.DepthOf(next.Load("a.org", {Url(1)}), Url(2)), "2");
}

TEST(PackedStateStoreTest, ADroppedPartitionIsForgottenAndOthersAreNot) {
  MemoryTables tables;
  TestOwner owner(&tables);
  constexpr PartitionId kOther(2);
  owner.Load("a.org", {Url(1)}).Set(Url(1), AtDepth(1));
  owner.Load("b.org", {Url(1)}, kOther).Set(Url(1), AtDepth(2));
  owner.Flush(1);
  owner.Flush(1, kOther);
  owner.states().Drop(TestOwner::kPartition);
  EXPECT_EQ(owner.states().Find("a.org"), nullptr);
  ASSERT_NE(owner.states().Find("b.org"), nullptr);
  EXPECT_EQ(owner.DepthOf(*owner.states().Find("b.org"), Url(1)), "2");
  EXPECT_EQ(owner.DepthOf(owner.Load("a.org", {Url(1)}), Url(1)), "-");
}

TEST(PackedStateStoreTest, ADamagedRowIsFatalAndNamed) {
  MemoryTables tables;
  {
    TestOwner owner(&tables, {.inline_bytes = 0});
    owner.Load("a.org", {Url(1)}).Set(Url(1), AtDepth(1));
    owner.FlushAndWrite(1);
  }
  const std::string row = FirstRow("a.org");
  const auto fails = [&](std::string_view column, std::string_view value) {
    const CellPut cell{column, value};
    tables.Put(Table::kDomains, {row, Version(2), {&cell, 1}});
    TestOwner owner(&tables);
    const Fingerprint url = Url(1);
    const StateRequest request{"a.org", TestOwner::kPartition, {&url, 1}};
    const absl::Status status = owner.states().Load({&request, 1}, TestOwner::kTimeout).status();
    EXPECT_EQ(owner.states().Find("a.org"), nullptr);
    return IsFatal(status) && MessageOf(status).find("'a.org'") != std::string_view::npos;
  };
  EXPECT_TRUE(fails(BaseColumn(Version(1)), "\x01"));
  EXPECT_TRUE(fails("r", "\x09"));
}

TEST(PackedStateStoreTest, AMissingBlockIsFatal) {
  MemoryTables tables;
  {
    TestOwner owner(&tables, {.inline_bytes = 0});
    owner.Load("a.org", {Url(1)}).Set(Url(1), AtDepth(1));
    owner.FlushAndWrite(1);
  }
  const std::string column = BaseColumn(Version(1));
  const std::string_view view = column;
  tables.Erase(Table::kDomains, {FirstRow("a.org"), Version(1), {&view, 1}});
  TestOwner owner(&tables);
  const Fingerprint url = Url(1);
  const StateRequest request{"a.org", TestOwner::kPartition, {&url, 1}};
  EXPECT_TRUE(IsFatal(owner.states().Load({&request, 1}, TestOwner::kTimeout).status()));
}

TEST(PackedStateStoreTest, ALoadThatFailedCanBeTriedAgain) {
  MemoryTables tables;
  TestOwner owner(&tables);
  owner.Load("a.org", {Url(1)});
  tables.SetAvailable(false);
  const std::vector<StateRequest> requests = {{"a.org", TestOwner::kPartition, {}},
                                              {"b.org", TestOwner::kPartition, {}},
                                              {"b.org", TestOwner::kPartition, {}}};
  EXPECT_TRUE(IsRetry(owner.states().Load(requests, TestOwner::kTimeout).status()));
  EXPECT_NE(owner.states().Find("a.org"), nullptr);
  EXPECT_EQ(owner.states().Find("b.org"), nullptr);
  tables.SetAvailable(true);
  EXPECT_OK(owner.states().Load(requests, TestOwner::kTimeout));
  EXPECT_NE(owner.states().Find("b.org"), nullptr);
}

TEST(PackedStateStoreTest, AllReadsOfALoadShareItsTimeout) {
  MemoryTables tables;
  const std::vector<Fingerprint> urls = SpreadUrls(100);
  const StateOptions options = {.inline_bytes = 0, .shard_urls = 30};
  {
    TestOwner owner(&tables, options);
    for (const Fingerprint url : urls) owner.Load("a.org", urls).Set(url, AtDepth(1));
    owner.FlushAndWrite(1);
  }
  ManualClock clock;
  TestOwner owner(&tables, options,
                  {.virtual_time = &clock,
                   .faults = {.min_latency = milliseconds(600), .max_latency = milliseconds(600)}});
  const StateRequest request{"a.org", TestOwner::kPartition, urls};
  const SteadyTime begin = clock.Now();
  EXPECT_TRUE(IsRetry(owner.states().Load({&request, 1}, TestOwner::kTimeout).status()));
  EXPECT_LE(clock.Now() - begin, TestOwner::kTimeout);
  EXPECT_OK(owner.states().Load({&request, 1}, TestOwner::kTimeout)) << "the record was kept";
}

}  // namespace
}  // namespace orbweaver
