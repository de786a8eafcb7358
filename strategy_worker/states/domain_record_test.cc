#include "strategy_worker/states/domain_record.h"

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/scope/seed_places.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

DomainRecord FullRecord() {
  DomainRecord record;
  record.applied = {.topic_epoch = 3, .offset = Offset(1'000'000'007), .part = 5};
  record.fetched = 100;
  record.scheduled = 1000;
  record.failed = 7;
  record.known_urls = uint64_t{1} << 40;
  record.purges = 300;
  record.assets = 70'000;
  record.sitemaps = 3;
  record.explore_chances = 300;
  record.crawl_delay = milliseconds(-5);
  record.robots = -1;
  record.robots_status = 503;
  record.robots_at = WallTime(milliseconds(1'700'000'000'123));
  record.seed_places = "/a/\nblog.:81/";
  record.strategy_name = "breadth_first";
  record.strategy_version = 4;
  record.strategy_data = std::string(1000, '\0');
  record.manifest = {{0, Version(5)}, {0x4000, Version(6)}, {0x8000, kMaxVersion}};
  record.outbox = {"one", "", std::string(500, 'x')};
  return record;
}

void ExpectSame(const DomainRecord& a, const DomainRecord& b) {
  EXPECT_EQ(a.applied, b.applied);
  EXPECT_EQ(a.fetched, b.fetched);
  EXPECT_EQ(a.scheduled, b.scheduled);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.known_urls, b.known_urls);
  EXPECT_EQ(a.purges, b.purges);
  EXPECT_EQ(a.assets, b.assets);
  EXPECT_EQ(a.sitemaps, b.sitemaps);
  EXPECT_EQ(a.explore_chances, b.explore_chances);
  EXPECT_EQ(a.crawl_delay, b.crawl_delay);
  EXPECT_EQ(a.robots, b.robots);
  EXPECT_EQ(a.robots_status, b.robots_status);
  EXPECT_EQ(a.robots_at, b.robots_at);
  EXPECT_EQ(a.seed_places, b.seed_places);
  EXPECT_EQ(a.strategy_name, b.strategy_name);
  EXPECT_EQ(a.strategy_version, b.strategy_version);
  EXPECT_EQ(a.strategy_data, b.strategy_data);
  EXPECT_EQ(a.manifest, b.manifest);
  EXPECT_EQ(a.outbox, b.outbox);
}

TEST(DomainRecordTest, EveryFieldComesBackAndNothingOfTheRecordBefore) {
  for (const DomainRecord& record : {DomainRecord(), FullRecord()}) {
    for (DomainRecord decoded : {DomainRecord(), FullRecord()}) {
      std::string_view states = "x";
      ASSERT_OK(DecodeRecordCell(EncodeDomainRecord(record), &decoded, &states));
      ExpectSame(decoded, record);
      EXPECT_EQ(states, "");
    }
  }
}

TEST(DomainRecordTest, WhatFollowsARecordWithoutManifestIsItsStates) {
  DomainRecord record = FullRecord();
  record.manifest.clear();
  const std::string cell = EncodeDomainRecord(record) + "states";
  std::string_view states;
  ASSERT_OK(DecodeRecordCell(cell, &record, &states));
  EXPECT_EQ(states, "states");
  EXPECT_TRUE(IsPoison(DecodeRecordCell(EncodeDomainRecord(FullRecord()) + "x", &record, &states)));
}

TEST(DomainRecordTest, ACutRecordIsPoisonAtEveryLength) {
  const std::string cell = EncodeDomainRecord(FullRecord());
  for (size_t size = 0; size < cell.size(); ++size) {
    DomainRecord record;
    std::string_view states;
    EXPECT_TRUE(IsPoison(DecodeRecordCell(cell.substr(0, size), &record, &states))) << size;
  }
}

TEST(DomainRecordTest, SurvivesAnyBytesAndWhatItTakesIsWhatItWouldWrite) {
  Random random(1);
  const std::string whole = EncodeDomainRecord(FullRecord());
  for (int i = 0; i < 20'000; ++i) {
    std::string cell = whole;
    for (uint64_t flips = random.Below(3) + 1; flips > 0; --flips) {
      cell[random.Below(cell.size())] = static_cast<char>(random());
    }
    DomainRecord record;
    std::string_view states;
    const absl::Status status = DecodeRecordCell(cell, &record, &states);
    if (status.ok()) {
      EXPECT_EQ(EncodeDomainRecord(record) + std::string(states), cell);
    } else {
      EXPECT_TRUE(IsPoison(status));
    }
  }
}

TEST(DomainRecordTest, WithoutAssetsSitemapsAndChancesItIsAsItWasBeforeThereWereAny) {
  DomainRecord record = FullRecord();
  const auto format = [&] { return static_cast<int>(EncodeDomainRecord(record)[0]); };
  EXPECT_EQ(format(), 5);
  record.explore_chances = 0;
  EXPECT_EQ(format(), 4);
  record.sitemaps = 0;
  EXPECT_EQ(format(), 4);
  record.assets = 0;
  EXPECT_EQ(format(), 3);
}

TEST(DomainRecordTest, PlacesThatNoSeedHasArePoison) {
  DomainRecord record;
  record.seed_places = "/b/\n/a/";
  std::string_view states;
  EXPECT_TRUE(IsPoison(DecodeRecordCell(EncodeDomainRecord(record), &record, &states)));
  record.seed_places = std::string(kMaxSeedPlaceBytes, 'a') + "/";
  EXPECT_TRUE(IsPoison(DecodeRecordCell(EncodeDomainRecord(record), &record, &states)));
}

TEST(DomainRecordTest, OnlyHalvesOfHalvesMakeAManifest) {
  const auto bits = [](std::vector<DomainRecord::Shard> manifest) {
    std::vector<uint8_t> result;
    return ShardBits(manifest, &result) ? result : std::vector<uint8_t>();
  };
  using Bits = std::vector<uint8_t>;
  EXPECT_EQ(bits({{0, Version(1)}}), Bits({0}));
  EXPECT_EQ(bits({{0, {}}, {0x8000, {}}}), Bits({1, 1}));
  EXPECT_EQ(bits({{0, {}}, {0x4000, {}}, {0x8000, {}}}), Bits({2, 2, 1}));
  EXPECT_EQ(bits({}), Bits());
  EXPECT_EQ(bits({{1, {}}}), Bits()) << "does not begin at 0";
  EXPECT_EQ(bits({{0, {}}, {0, {}}}), Bits()) << "twice the same";
  EXPECT_EQ(bits({{0, {}}, {0x4000, {}}}), Bits()) << "three quarters are no half of a half";
}

}  // namespace
}  // namespace orbweaver
