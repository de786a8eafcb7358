#include "strategy_worker/states/block.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/random_state.h"

namespace orbweaver {
namespace {

constexpr uint64_t kPurges = 3;

LinkSet RandomSet(uint64_t seed, size_t urls, KeyRange range = {}) {
  Random random(seed);
  LinkSet set(range);
  for (size_t i = 0; i < urls; ++i) {
    const uint64_t key =
        range.bits == 0 ? random() : random() >> range.bits | uint64_t{range.first} << 48;
    set.Put(key, LinkPacker().Pack(RandomState(random)));
  }
  return set;
}

void ExpectSame(const LinkSet& set, const LinkSet& other) {
  EXPECT_EQ(set.size(), other.size());
  set.ForEach([&](uint64_t key, const PackedLink& packed) {
    PackedLink found;
    ASSERT_TRUE(other.Find(key, &found));
    EXPECT_EQ(found, packed);
  });
}

TEST(BlockTest, ABaseHasAllOfASet) {
  for (const size_t urls : {0, 1, 100, 3000}) {
    const LinkSet set = RandomSet(urls, urls);
    std::string bytes = "before";
    EncodeBase(set, kPurges, &bytes);
    LinkSet decoded;
    ASSERT_OK(DecodeEntries(bytes.substr(6), kPurges, &decoded));
    ExpectSame(set, decoded);
    const auto head = DecodeHead(bytes.substr(6));
    ASSERT_OK(head.status());
    EXPECT_FALSE(head->before.has_value());
    EXPECT_EQ(head->entries, urls);
  }
}

TEST(BlockTest, ADeltaReplacesAndJoinsWhatStandsBeforeIt) {
  LinkSet set = RandomSet(1, 500);
  std::string base, delta;
  EncodeBase(set, kPurges, &base);
  Random random(2);
  std::vector<uint64_t> keys;
  set.ForEach([&](uint64_t key, const PackedLink&) {
    if (random.Chance(0.1)) keys.push_back(key);
  });
  for (int i = 0; i < 50; ++i) keys.push_back(random());
  for (const uint64_t key : keys) set.Put(key, LinkPacker().Pack(RandomState(random)));
  std::sort(keys.begin(), keys.end());
  // Some with their word, some to be looked up.
  std::vector<ChangedLink> changed;
  for (const uint64_t key : keys) {
    PackedLink packed;
    ASSERT_TRUE(set.Find(key, &packed));
    changed.push_back({key, random.Chance(0.5) ? packed.word : kLookUp});
  }
  EncodeDelta(set, Version(9), kPurges, changed, &delta);
  LinkSet decoded;
  ASSERT_OK(DecodeEntries(base, kPurges, &decoded));
  ASSERT_OK(DecodeEntries(delta, kPurges, &decoded));
  ExpectSame(set, decoded);
  const auto head = DecodeHead(delta);
  ASSERT_OK(head.status());
  EXPECT_EQ(head->before, Version(9));
  EXPECT_EQ(head->entries, changed.size());
}

TEST(BlockTest, ACutBlockIsPoisonAtEveryLengthAndSoIsALongerOne) {
  std::string bytes;
  EncodeDelta(RandomSet(1, 0), Version(2), kPurges, {}, &bytes);
  std::string base;
  EncodeBase(RandomSet(1, 40), kPurges, &base);
  for (const std::string& whole : {bytes, base}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      LinkSet set;
      EXPECT_TRUE(IsPoison(DecodeEntries(whole.substr(0, size), kPurges, &set))) << size;
    }
    LinkSet set;
    EXPECT_TRUE(IsPoison(DecodeEntries(whole + '\0', kPurges, &set)));
  }
}

TEST(BlockTest, WhatWasQueuedBeforeTheLastPurgeIsSoNoMore) {
  LinkSet set;
  const auto put = [&set](uint64_t key, const LinkState& state) {
    set.Put(key, LinkPacker().Pack(state));
  };
  put(1, {.status = LinkStatus::kQueued, .depth = 3, .data = {7}});
  put(2, {.status = LinkStatus::kQueued, .fetches = 2, .etag = "e"});
  put(3, {.status = LinkStatus::kQueued, .errors = 2});
  put(4, {.status = LinkStatus::kGone, .errors = 1});
  std::string base, delta;
  EncodeBase(set, /*purges=*/1, &base);
  const ChangedLink changed{.key = 3, .word = kLookUp};
  EncodeDelta(set, Version(1), /*purges=*/2, {&changed, 1}, &delta);
  LinkSet decoded;
  ASSERT_OK(DecodeEntries(base, /*purges=*/2, &decoded));
  put(1, {.status = LinkStatus::kNotCrawled, .depth = 3, .data = {7}});
  put(2, {.status = LinkStatus::kCrawled, .fetches = 2, .etag = "e"});
  put(3, {.status = LinkStatus::kNotCrawled, .errors = 2});
  ExpectSame(decoded, set);
  ASSERT_OK(DecodeEntries(delta, /*purges=*/2, &decoded));
  put(3, {.status = LinkStatus::kQueued, .errors = 2});
  ExpectSame(decoded, set);
  LinkSet later;
  EXPECT_TRUE(IsPoison(DecodeEntries(base, /*purges=*/0, &later)));
}

TEST(BlockTest, SurvivesAnyBytes) {
  Random random(5);
  std::string base;
  EncodeBase(RandomSet(1, 40), kPurges, &base);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = base;
    for (uint64_t flips = random.Below(4) + 1; flips > 0; --flips) {
      bytes[random.Below(random.Chance(0.5) ? 12 : bytes.size())] = static_cast<char>(random());
    }
    LinkSet set;
    const absl::Status status = DecodeEntries(bytes, kPurges, &set);
    EXPECT_TRUE(status.ok() || IsPoison(status));
    const absl::Status head = DecodeHead(bytes).status();
    EXPECT_TRUE(head.ok() || IsPoison(head));
  }
}

TEST(BlockTest, AnotherShardsEntriesAndThoseOutOfOrderArePoison) {
  const KeyRange range{0x4000, 2};
  std::string bytes;
  EncodeBase(RandomSet(1, 10, range), kPurges, &bytes);
  LinkSet same(range), other(KeyRange{0x8000, 2});
  EXPECT_OK(DecodeEntries(bytes, kPurges, &same));
  EXPECT_TRUE(IsPoison(DecodeEntries(bytes, kPurges, &other)));

  LinkSet two;
  two.Put(1, {});
  two.Put(2, {});
  bytes.clear();
  EncodeBase(two, kPurges, &bytes);
  std::swap(bytes[11], bytes[11 + 11]);  // the keys' first bytes
  LinkSet set;
  EXPECT_TRUE(IsPoison(DecodeEntries(bytes, kPurges, &set)));
}

TEST(BlockTest, ANewerFormatIsPoisonAndNamed) {
  std::string bytes;
  EncodeBase(RandomSet(1, 1), kPurges, &bytes);
  bytes[0] = 4;
  LinkSet set;
  const absl::Status status = DecodeEntries(bytes, kPurges, &set);
  EXPECT_TRUE(IsPoison(status));
  EXPECT_NE(MessageOf(status).find("format 4"), std::string_view::npos);
}

TEST(BlockTest, AHostileCountTakesNoMemory) {
  // One byte of format, a base, no purges, 2^35 entries.
  const std::string bytes("\x03\0\0\0\0\0\0\0\0\0\x80\x80\x80\x80\x80\x01", 16);
  LinkSet set;
  EXPECT_TRUE(IsPoison(DecodeEntries(bytes, kPurges, &set)));
  EXPECT_EQ(set.HeapBytes(), 0u);
}

}  // namespace
}  // namespace orbweaver
