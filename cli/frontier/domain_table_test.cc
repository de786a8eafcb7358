#include "cli/frontier/domain_table.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/store/memory/memory_store.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/shard.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;

constexpr Duration kLong = std::chrono::minutes(1);
constexpr int kPartitions = 4;
const WallTime kNow(std::chrono::hours(1000));

class DomainTableTest : public ::testing::Test {
 protected:
  void Put(Table table, const std::string& row, std::string_view column, const std::string& value,
           uint64_t version = 1) {
    const CellPut cell{column, value};
    const RowPut put{row, Version(version), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store_.Write(table, {&put, 1}, kLong, &remaining));
  }
  void PutHead(const std::string& domain, const Head& head) {
    std::string value;
    EncodeHead(head, &value);
    Put(Table::kQueue, DomainRow(domain), kHeadColumn, value);
  }
  void PutRecord(const std::string& domain, const DomainRecord& record, uint64_t version = 1) {
    Put(Table::kDomains, ShardRow(DomainRow(domain), 0), kRecordColumn, EncodeDomainRecord(record),
        version);
  }
  // `count` requests wait.
  static Head Waiting(uint64_t count) {
    Head head;
    head.bands[0].Append(1, 1);
    head.bands[0].waiting = count;
    return head;
  }
  absl::StatusOr<DomainTable> Read(uint64_t max_domains = 0) {
    return DomainTable::Read(store_, kPartitions, {}, max_domains, kLong);
  }
  DomainPage List(const DomainQuery& query, uint64_t max_domains = 0) {
    const auto table = Read(max_domains);
    EXPECT_OK(table);
    auto page = table->Page(query, kNow);
    EXPECT_OK(page);
    return *std::move(page);
  }
  static std::vector<std::string> NamesOf(const DomainPage& page) {
    std::vector<std::string> names;
    for (const ListedDomain& listed : page.domains) names.push_back(listed.domain);
    return names;
  }

  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
};

TEST_F(DomainTableTest, ARowHasWhatBothWorkersKnowOfTheDomain) {
  PutHead("both.test", Waiting(3));
  PutRecord("both.test", {.fetched = 5, .failed = 2, .known_urls = 10, .robots_status = 404});
  PutHead("127.0.0.1", Waiting(1));
  PutRecord("read-out.test", {.fetched = 7});
  const DomainPage page = List({});
  ASSERT_THAT(NamesOf(page), ElementsAre("both.test", "127.0.0.1", "read-out.test"));
  EXPECT_EQ(page.matches, 3u);
  EXPECT_EQ(page.share, 1);
  const ListedDomain& both = page.domains[0];
  EXPECT_EQ(both.waiting, 3u);
  EXPECT_EQ(both.fetched, 5u);
  EXPECT_EQ(both.failed, 2u);
  EXPECT_EQ(both.known_urls, 10u);
  EXPECT_EQ(both.robots_status, 404u);
  EXPECT_EQ(both.partition, PartitionOf(SlotOf("both.test"), kPartitions));
  EXPECT_EQ(page.domains[2].phase, DomainPhase::kIdle);
}

TEST_F(DomainTableTest, ThePagesOfATableHaveEachDomainOnce) {
  for (int i = 0; i < 500; ++i) {
    PutRecord(fmt::format("site{:03}.test", i), {.failed = static_cast<uint64_t>(i / 10)});
  }
  std::vector<std::string> seen;
  for (size_t offset = 0; offset < 500; offset += 40) {
    const DomainPage page = List({.sort = DomainColumn::kFailed, .offset = offset, .limit = 40});
    EXPECT_EQ(page.matches, 500u);
    for (const std::string& name : NamesOf(page)) seen.push_back(name);
  }
  ASSERT_EQ(seen.size(), 500u);
  EXPECT_EQ(seen.front(), "site490.test");  // most failures, then by name
  EXPECT_EQ(seen[1], "site491.test");
  EXPECT_EQ(seen.back(), "site009.test");
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST_F(DomainTableTest, AscendingBeginsWithTheLeast) {
  PutRecord("b.test", {.fetched = 2});
  PutRecord("a.test", {.fetched = 2});
  PutRecord("c.test", {.fetched = 1});
  EXPECT_THAT(NamesOf(List({.sort = DomainColumn::kFetched, .is_ascending = true})),
              ElementsAre("c.test", "a.test", "b.test"));
  EXPECT_THAT(NamesOf(List({.sort = DomainColumn::kName})),
              ElementsAre("c.test", "b.test", "a.test"));
}

TEST_F(DomainTableTest, ARowHasItsRequestsByBand) {
  Head head = Waiting(3);
  head.bands[7].Append(1, 1);
  head.bands[7].waiting = 2;
  PutHead("a.test", head);
  const ListedDomain listed = List({}).domains.at(0);
  EXPECT_THAT(listed.waiting_by_band, ElementsAre(3, 0, 0, 0, 0, 0, 0, 2));
  EXPECT_EQ(listed.waiting, 5u);
}

TEST_F(DomainTableTest, RatesAreThoseSinceTheTableBefore) {
  for (const char* const domain : {"fast.test", "slow.test", "forgotten.test"}) {
    PutRecord(domain, {.fetched = 100});
  }
  const SteadyTime then{};
  const FetchedThen before = Read()->Fetched(then);
  PutRecord("fast.test", {.fetched = 150}, 2);
  PutRecord("slow.test", {.fetched = 101}, 2);
  PutRecord("forgotten.test", {.fetched = 3}, 2);
  PutRecord("new.test", {.fetched = 1000}, 2);
  auto table = Read();
  ASSERT_OK(table);
  table->SetRates(before, then + std::chrono::seconds(10));
  const auto page = table->Page({.sort = DomainColumn::kRate}, kNow);
  ASSERT_OK(page);
  EXPECT_THAT(NamesOf(*page), ElementsAre("fast.test", "slow.test", "forgotten.test", "new.test"));
  EXPECT_EQ(page->domains[0].pages_per_s, 5);
  EXPECT_EQ(page->domains[1].pages_per_s, 0.1);
  EXPECT_EQ(page->domains[2].pages_per_s, std::nullopt);
  EXPECT_EQ(page->domains[3].pages_per_s, std::nullopt);
  // Of no time there is no rate.
  auto at_once = Read();
  ASSERT_OK(at_once);
  at_once->SetRates(before, then);
  EXPECT_EQ(at_once->Page({}, kNow)->domains[0].pages_per_s, std::nullopt);
}

TEST_F(DomainTableTest, AFilterTakesNamesAndPhases) {
  PutHead("ready.test", Waiting(1));
  Head paced = Waiting(1);
  paced.paced_until = kNow + std::chrono::seconds(1);
  PutHead("paced.test", paced);
  Head blocked;
  blocked.rest.until = kNow + std::chrono::seconds(1);
  PutHead("blocked.test", blocked);
  PutHead("idle.test", {});
  Head later;
  DelayedBucket& bucket = later.BucketFor(kNow + std::chrono::hours(1), kNow, 1);
  bucket.next = 1;
  bucket.waiting = 4;
  PutHead("later.test", later);
  const auto of_phase = [&](DomainPhase phase) { return NamesOf(List({.phase = phase})); };
  EXPECT_THAT(of_phase(DomainPhase::kReady), ElementsAre("ready.test"));
  EXPECT_THAT(of_phase(DomainPhase::kPaced), ElementsAre("paced.test"));
  EXPECT_THAT(of_phase(DomainPhase::kBlocked), ElementsAre("blocked.test"));
  EXPECT_THAT(of_phase(DomainPhase::kIdle), ElementsAre("idle.test"));
  EXPECT_THAT(of_phase(DomainPhase::kLater), ElementsAre("later.test"));
  const DomainPage named = List({.contains = "ed.t", .sort = DomainColumn::kName});
  EXPECT_THAT(NamesOf(named), ElementsAre("paced.test", "blocked.test"));
  EXPECT_EQ(named.matches, 2u);
  EXPECT_EQ(named.domains_read, 5u);
}

TEST_F(DomainTableTest, ABoundedLookSaysThatItIsASample) {
  for (int i = 0; i < 3000; ++i) PutHead(fmt::format("site{}.test", i), Waiting(1));
  const DomainPage page = List({.limit = 10}, 500);
  EXPECT_EQ(page.domains.size(), 10u);
  EXPECT_GE(page.domains_read, 500u);
  EXPECT_LT(page.domains_read, 3000u);
  EXPECT_LT(page.share, 1);
  EXPECT_EQ(List({}).domains_read, 3000u);
}

TEST_F(DomainTableTest, OneReadIsGoodForSeveralPagesAndTimes) {
  Head paced = Waiting(1);
  paced.paced_until = kNow + std::chrono::seconds(5);
  PutHead("a.test", paced);
  PutRecord("a.test", {.fetched = 1});
  PutRecord("b.test", {.fetched = 2});
  const auto table = Read();
  ASSERT_OK(table);
  EXPECT_THAT(NamesOf(*table->Page({.sort = DomainColumn::kFetched}, kNow)),
              ElementsAre("b.test", "a.test"));
  EXPECT_THAT(NamesOf(*table->Page({.offset = 1}, kNow)), ElementsAre("b.test"));
  EXPECT_THAT(NamesOf(*table->Page({.offset = 2}, kNow)), ElementsAre());
  EXPECT_EQ(table->Page({}, kNow)->domains[0].phase, DomainPhase::kPaced);
  EXPECT_EQ(table->Page({}, kNow + std::chrono::seconds(5))->domains[0].phase, DomainPhase::kReady);
}

// Both tables' rows of several slots, in any combination, are put together by domain.
TEST_F(DomainTableTest, NoDomainOfEitherTableIsLeftOutOrTwice) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = fmt::format("{}site{}.test", i % 7 == 0 ? "www." : "", i);
    if (i % 3 != 0) PutHead(name, Waiting(static_cast<uint64_t>(i)));
    if (i % 3 != 1) PutRecord(name, {.fetched = static_cast<uint64_t>(i)});
  }
  const DomainPage page = List({.sort = DomainColumn::kName, .limit = 1000});
  ASSERT_EQ(page.domains.size(), 1000u);
  std::set<std::string> names;
  for (const ListedDomain& listed : page.domains) {
    names.insert(listed.domain);
    const size_t at = listed.domain.find("site") + 4;
    const uint64_t i = std::stoull(listed.domain.substr(at));
    EXPECT_EQ(listed.waiting, i % 3 != 0 ? i : 0) << listed.domain;
    EXPECT_EQ(listed.fetched, i % 3 != 1 ? i : 0) << listed.domain;
    EXPECT_EQ(listed.partition, PartitionOf(SlotOf(listed.domain), kPartitions));
  }
  EXPECT_EQ(names.size(), 1000u);
}

TEST_F(DomainTableTest, MoreThanMemoryIsForIsRefused) {
  EXPECT_TRUE(IsFatal(Read()->Page({.offset = kMostListedDomains}, kNow).status()));
}

TEST_F(DomainTableTest, ARowThatCannotBeReadIsAnErrorAndNoGap) {
  Put(Table::kQueue, DomainRow("broken.test"), kHeadColumn, "\xff\xff");
  EXPECT_TRUE(IsFatal(Read().status()));
}

}  // namespace
}  // namespace orbweaver
