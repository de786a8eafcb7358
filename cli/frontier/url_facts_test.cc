#include "cli/frontier/url_facts.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/store/memory/memory_store.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/head.h"
#include "tests/support/expect_ok.h"
#include "tests/support/states_owner.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

TEST(UrlFactsTest, ARequestThatWasTakenOutIsNotQueued) {
  const ResolvedUrl url{.url = "http://one.test/a",
                        .domain = "one.test",
                        .fingerprint = FingerprintOf("http://one.test/a")};
  std::string encoded;
  EncodeRequest({.url = url.url, .fingerprint = url.fingerprint}, &encoded);
  ChunkWriter writer;
  writer.Add(encoded);
  const Watermark by{.topic_epoch = 1, .offset = Offset(7)};
  const Chunk chunk = writer.Finish().WithTakenOut({{.place = 0, .by = by}});
  Head head;
  head.applied = by;
  head.bands[2].Append(1, 1);
  MemoryTables tables;
  MemoryStore store{&tables, {}};
  const auto put = [&](uint64_t version) {
    std::string packed;
    EncodeHead(head, &packed);
    const std::string row = DomainRow(url.domain);
    const std::string column = BandColumn(head, 2, 0);
    const std::vector<CellPut> cells{{kHeadColumn, packed}, {column, chunk.bytes()}};
    const RowPut one{row, Version(version), cells};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store.Write(Table::kQueue, {&one, 1}, kLong, &remaining));
  };
  put(1);
  EXPECT_FALSE(ReadUrlFacts(store, url, 1, {})->queued.has_value());
  // Of a head that does not have the message yet it still waits.
  head.applied = {.topic_epoch = 1, .offset = Offset(6)};
  put(2);
  EXPECT_EQ(ReadUrlFacts(store, url, 1, {})->queued->band, 2);
}

TEST(UrlFactsTest, UrlsAreCountedByTheirStateOverAllShardsAndThoseOfAPurgeAreNotQueued) {
  MemoryTables tables;
  TestOwner owner(&tables, {.inline_bytes = 0, .shard_urls = 30});
  DomainStates& states = owner.Load("one.test", SpreadUrls(200));
  for (uint64_t i = 0; i < 200; ++i) {
    const LinkStatus status = i < 80    ? LinkStatus::kQueued
                              : i < 120 ? LinkStatus::kCrawled
                              : i < 150 ? LinkStatus::kGone
                              : i < 160 ? LinkStatus::kError
                                        : LinkStatus::kNotCrawled;
    states.Set(Spread(i), {.status = status});
  }
  states.record().applied = {.topic_epoch = 1, .offset = Offset(7)};
  owner.FlushAndWrite(1);
  const auto counted = [&] {
    const auto facts = ReadDomainFacts(owner.store(), "one.test", 1, {});
    EXPECT_EQ(facts->urls->counted, 200u);
    return facts->urls->by_status;
  };
  EXPECT_EQ(counted(), (StatusCounts{40, 80, 40, 10, 30}));
  DomainStates& purged = owner.Load("one.test", {});
  purged.ForgetQueued();
  owner.FlushAndWrite(2);
  EXPECT_EQ(counted(), (StatusCounts{120, 0, 40, 10, 30}));
  EXPECT_FALSE(ReadDomainFacts(owner.store(), "never.test", 1, {})->urls.has_value());
}

// Its shards are as many as those of a domain of millions, and each is as large.
TEST(UrlFactsTest, OfAHugeDomainSomeShardsAreCountedAndStandForAll) {
  constexpr uint64_t kKnown = 4 * kMostCountedUrls;
  MemoryTables tables;
  TestOwner owner(&tables);
  DomainStates& states = owner.Load("one.test", SpreadUrls(kKnown));
  StatusCounts all{};
  for (uint64_t i = 0; i < kKnown; ++i) {
    const auto status = static_cast<LinkStatus>(i % 11 % 5);
    states.Set(Spread(i), {.status = status});
    ++all[static_cast<size_t>(status)];
  }
  states.record().applied = {.topic_epoch = 1, .offset = Offset(7)};
  owner.FlushAndWrite(1);
  const auto facts = ReadDomainFacts(owner.store(), "one.test", 1, {});
  ASSERT_OK(facts);
  ASSERT_GT(facts->record->manifest.size(), 8u);
  EXPECT_EQ(facts->record->known_urls, kKnown);
  EXPECT_LE(facts->urls->counted, kMostCountedUrls + kMostCountedUrls / 100);
  EXPECT_GE(facts->urls->counted, kMostCountedUrls / 2);
  for (size_t i = 0; i < all.size(); ++i) {
    const double estimated = static_cast<double>(facts->urls->by_status[i]);
    EXPECT_NEAR(estimated / static_cast<double>(all[i]), 1, 0.03) << i;
  }
}

}  // namespace
}  // namespace orbweaver
