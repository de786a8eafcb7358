#include "strategy_worker/states/block.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/random_state.h"

namespace orbweaver {
namespace {

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
    EncodeBase(set, &bytes);
    LinkSet decoded;
    ASSERT_OK(DecodeEntries(bytes.substr(6), &decoded));
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
  EncodeBase(set, &base);
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
  EncodeDelta(set, Version(9), changed, &delta);
  LinkSet decoded;
  ASSERT_OK(DecodeEntries(base, &decoded));
  ASSERT_OK(DecodeEntries(delta, &decoded));
  ExpectSame(set, decoded);
  const auto head = DecodeHead(delta);
  ASSERT_OK(head.status());
  EXPECT_EQ(head->before, Version(9));
  EXPECT_EQ(head->entries, changed.size());
}

TEST(BlockTest, ACutBlockIsPoisonAtEveryLengthAndSoIsALongerOne) {
  std::string bytes;
  EncodeDelta(RandomSet(1, 0), Version(2), {}, &bytes);
  std::string base;
  EncodeBase(RandomSet(1, 40), &base);
  for (const std::string& whole : {bytes, base}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      LinkSet set;
      EXPECT_TRUE(IsPoison(DecodeEntries(whole.substr(0, size), &set))) << size;
    }
    LinkSet set;
    EXPECT_TRUE(IsPoison(DecodeEntries(whole + '\0', &set)));
  }
}

TEST(BlockTest, SurvivesAnyBytes) {
  Random random(5);
  std::string base;
  EncodeBase(RandomSet(1, 40), &base);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = base;
    for (uint64_t flips = random.Below(4) + 1; flips > 0; --flips) {
      bytes[random.Below(random.Chance(0.5) ? 12 : bytes.size())] = static_cast<char>(random());
    }
    LinkSet set;
    const absl::Status status = DecodeEntries(bytes, &set);
    EXPECT_TRUE(status.ok() || IsPoison(status));
    const absl::Status head = DecodeHead(bytes).status();
    EXPECT_TRUE(head.ok() || IsPoison(head));
  }
}

TEST(BlockTest, AnotherShardsEntriesAndThoseOutOfOrderArePoison) {
  const KeyRange range{0x4000, 2};
  std::string bytes;
  EncodeBase(RandomSet(1, 10, range), &bytes);
  LinkSet same(range), other(KeyRange{0x8000, 2});
  EXPECT_OK(DecodeEntries(bytes, &same));
  EXPECT_TRUE(IsPoison(DecodeEntries(bytes, &other)));

  LinkSet two;
  two.Put(1, {});
  two.Put(2, {});
  bytes.clear();
  EncodeBase(two, &bytes);
  std::swap(bytes[10], bytes[10 + 11]);  // the keys' first bytes
  LinkSet set;
  EXPECT_TRUE(IsPoison(DecodeEntries(bytes, &set)));
}

TEST(BlockTest, ANewerFormatIsPoisonAndNamed) {
  std::string bytes;
  EncodeBase(RandomSet(1, 1), &bytes);
  bytes[0] = 3;
  LinkSet set;
  const absl::Status status = DecodeEntries(bytes, &set);
  EXPECT_TRUE(IsPoison(status));
  EXPECT_NE(MessageOf(status).find("format 3"), std::string_view::npos);
}

TEST(BlockTest, AHostileCountTakesNoMemory) {
  // One byte of format, a base, 2^35 entries.
  const std::string bytes("\x02\0\0\0\0\0\0\0\0\x80\x80\x80\x80\x80\x01", 15);
  LinkSet set;
  EXPECT_TRUE(IsPoison(DecodeEntries(bytes, &set)));
  EXPECT_EQ(set.HeapBytes(), 0u);
}

}  // namespace
}  // namespace orbweaver
