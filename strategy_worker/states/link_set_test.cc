#include "strategy_worker/states/link_set.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random_state.h"

namespace orbweaver {
namespace {

using Model = std::map<uint64_t, LinkState>;

void ExpectSame(const LinkSet& set, const Model& model) {
  ASSERT_EQ(set.size(), model.size());
  auto next = model.begin();
  set.ForEach([&](uint64_t key, const PackedLink& packed) {
    ASSERT_NE(next, model.end());
    EXPECT_EQ(key, next->first);
    LinkState state;
    Unpack(packed, &state);
    EXPECT_EQ(state, next->second);
    PackedLink found;
    EXPECT_TRUE(set.Find(key, &found));
    EXPECT_EQ(found, packed);
    ++next;
  });
}

// Keys as an adversary would choose them, too.
uint64_t AKey(Random& random, KeyRange range, int kind) {
  uint64_t key = random();
  if (kind == 1) key = random.Below(500);
  if (kind == 2) key = ~random.Below(500);
  if (kind == 3) key = 0x7777'7777'0000'0000u + random.Below(1000);
  return range.bits == 0 ? key : key >> range.bits | uint64_t{range.first} << 48;
}

TEST(LinkSetTest, HoldsWhatAnOrderedMapHoldsWhateverTheKeys) {
  for (const KeyRange range : {KeyRange{}, KeyRange{0x8000, 1}, KeyRange{0xffff, 16}}) {
    for (int kind = 0; kind < 4; ++kind) {
      Random random(static_cast<uint64_t>(kind));
      LinkSet set(range);
      Model model;
      std::vector<uint64_t> keys;
      for (int i = 0; i < 3000; ++i) {
        const uint64_t key = !keys.empty() && random.Chance(0.5) ? keys[random.Below(keys.size())]
                                                                 : AKey(random, range, kind);
        keys.push_back(key);
        const auto old = model.find(key);
        const bool is_known = old != model.end();
        PackedLink found;
        ASSERT_EQ(set.Find(key, &found), is_known);
        const LinkState state = is_known && random.Chance(0.2) ? old->second : RandomState(random);
        LinkPacker packer;
        const LinkSet::Outcome outcome = set.Put(key, packer.Pack(state));
        ASSERT_EQ(outcome, !is_known              ? LinkSet::Outcome::kAdded
                           : state == old->second ? LinkSet::Outcome::kUnchanged
                                                  : LinkSet::Outcome::kChanged);
        model[key] = state;
        if (i % 500 == 0) ExpectSame(set, model);
      }
      ExpectSame(set, model);
    }
  }
}

TEST(LinkSetTest, TellsTheHighestKeyFromAnEmptySlot) {
  LinkSet set;
  PackedLink found;
  set.Put(1, {});
  EXPECT_FALSE(set.Find(~uint64_t{0}, &found));
  EXPECT_EQ(set.Put(~uint64_t{0}, {}), LinkSet::Outcome::kAdded);
  EXPECT_TRUE(set.Find(~uint64_t{0}, &found));
  EXPECT_EQ(set.Put(~uint64_t{0}, {}), LinkSet::Outcome::kUnchanged);
}

TEST(LinkSetTest, AppendsInOrderAlsoWhenAllKeysAreNeighbours) {
  for (const size_t urls : {1, 5, 128, 129, 1000}) {
    for (const int shift : {0, 40}) {
      LinkSet set;
      Model model;
      set.Reserve(urls, 0);
      for (size_t i = 0; i < urls; ++i) {
        const uint64_t key = i * 1'000'003 << shift;
        if (!model.empty() && key <= model.rbegin()->first) break;
        const LinkState state = {.depth = static_cast<uint32_t>(i)};
        set.Append(key, LinkPacker().Pack(state));
        model[key] = state;
      }
      ExpectSame(set, model);
    }
  }
}

TEST(LinkSetTest, HasASlotLeftWhereverNeighboursAtTheEndOfTheRangeEnd) {
  constexpr uint64_t kFirst = ~uint64_t{10'000};
  for (size_t urls = 130; urls < 700; ++urls) {
    LinkSet set;
    Model model;
    for (size_t i = 0; i < urls; ++i) {
      set.Put(kFirst + i, {});
      model[kFirst + i] = {};
    }
    EXPECT_LT(set.HeapBytes(), urls * 50) << urls;
    set.Reserve(3 * urls, 0);
    ExpectSame(set, model);
    EXPECT_EQ(set.Put(kFirst + urls, {}), LinkSet::Outcome::kAdded);
    PackedLink found;
    EXPECT_FALSE(set.Find(kFirst + urls + 1, &found)) << urls;
  }
}

TEST(LinkSetTest, SplitsIntoTheHalvesOfItsRange) {
  Random random(3);
  LinkSet lower;
  Model model, model_of_upper;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t key = random();
    const LinkState state = RandomState(random);
    lower.Put(key, LinkPacker().Pack(state));
    (key >> 63 == 0 ? model : model_of_upper)[key] = state;
  }
  const LinkSet upper = lower.SplitOff();
  ExpectSame(lower, model);
  ExpectSame(upper, model_of_upper);
  EXPECT_EQ(lower.range(), (KeyRange{0, 1}));
  EXPECT_EQ(upper.range(), (KeyRange{0x8000, 1}));
}

TEST(LinkSetTest, DoesNotGrowWhileStatesOnlyChange) {
  Random random(4);
  LinkSet set;
  for (uint64_t i = 0; i < 100; ++i) set.Put(random(), LinkPacker().Pack(RandomState(random)));
  std::vector<uint64_t> keys;
  set.ForEach([&](uint64_t key, const PackedLink&) { keys.push_back(key); });
  LinkState fetched = {.fetches = 1, .etag = std::string(40, 'e')};
  for (const uint64_t key : keys) set.Put(key, LinkPacker().Pack(fetched));
  const size_t bytes = set.HeapBytes();
  for (int i = 0; i < 10'000; ++i) {
    fetched.fetches = static_cast<uint32_t>(random.Below(1000));
    set.Put(keys[random.Below(keys.size())], LinkPacker().Pack(fetched));
  }
  EXPECT_LE(set.HeapBytes(), bytes * 3 / 2);
}

TEST(LinkSetTest, TakesLessThan20BytesForAUrlThatIsOnlyKnown) {
  Random random(5);
  LinkSet set;
  for (size_t urls = 1; urls <= 70'000; ++urls) {
    set.Put(random(), LinkPacker().Pack({.status = LinkStatus::kQueued, .depth = 65'535}));
    if (urls >= 100) ASSERT_LT(set.HeapBytes(), urls * 20) << urls;
  }
}

TEST(LinkSetTest, GivesRoomBackThatWasReservedAndNotUsed) {
  Random random(6);
  for (const size_t urls : {0, 1, 100, 1000}) {
    LinkSet set;
    Model model;
    set.Reserve(20'000, 20'000 * 40);
    const size_t reserved = set.HeapBytes();
    for (size_t i = 0; i < urls; ++i) {
      const uint64_t key = random();
      model[key] = RandomState(random);
      set.Put(key, LinkPacker().Pack(model[key]));
    }
    EXPECT_EQ(set.HeapBytes(), reserved);
    set.Fit();
    EXPECT_LT(set.HeapBytes(), 100 + urls * 80);
    ExpectSame(set, model);
    set.Put(random(), {});
    EXPECT_EQ(set.size(), urls + 1);
  }
}

}  // namespace
}  // namespace orbweaver
