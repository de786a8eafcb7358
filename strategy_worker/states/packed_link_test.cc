#include "strategy_worker/states/packed_link.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/random_state.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

std::string Entry(uint64_t key, const LinkState& state) {
  LinkPacker packer;
  char bytes[8 + kMaxStateBytes];
  char* const end = WriteState(packer.Pack(state), WriteFixed(key, bytes));
  return {bytes, static_cast<size_t>(end - bytes)};
}

LinkState RoundTrip(const LinkState& state) {
  LinkPacker packer;
  LinkState unpacked = {.fetches = 9, .etag = "of the state before"};
  Unpack(packer.Pack(state), &unpacked);
  return unpacked;
}

LinkState Fullest() {
  LinkState state;
  state.status = LinkStatus::kGone;
  state.depth = 65'535;
  state.data.fill(255);
  state.due_at = WallTime(milliseconds((int64_t{1} << 42) - 1));
  return state;
}

TEST(PackedLinkTest, AStateNeverFetchedTakesAtMost24BytesWithItsKeyAndAPlainOneEleven) {
  EXPECT_EQ(Entry(~uint64_t{0}, Fullest()).size(), 24u);
  EXPECT_EQ(Entry(1, {.status = LinkStatus::kQueued, .depth = 65'535}).size(), 11u);
}

TEST(PackedLinkTest, EveryStateComesBackAsItWas) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const LinkState state = RandomState(random);
    ASSERT_EQ(RoundTrip(state), state) << i;
    const std::string bytes = Entry(random(), state);
    ByteReader reader(bytes);
    uint64_t key;
    PackedLink packed;
    ASSERT_TRUE(ReadEntry(reader, &key, &packed));
    LinkPacker packer;
    ASSERT_EQ(packed, packer.Pack(state));
    ASSERT_EQ(StateOf(std::string_view(bytes).substr(8)), packed);
    ASSERT_TRUE(reader.AtEnd());
  }
  EXPECT_EQ(RoundTrip(Fullest()), Fullest());
}

TEST(PackedLinkTest, WhatDoesNotFitIsBroughtToWhatDoes) {
  LinkState state;
  state.depth = 1'000'000;
  state.due_at = WallTime(milliseconds(int64_t{1} << 50));
  state.fetched_at = WallTime(milliseconds(-1));
  state.fetches = 1;
  state.etag = std::string(kMaxEtagBytes + 1, 'e');
  state.last_modified = std::string(kMaxLastModifiedBytes, 'm');
  const LinkState fits = RoundTrip(state);
  EXPECT_EQ(fits.depth, 65'535u);
  EXPECT_EQ(fits.due_at, WallTime(milliseconds((int64_t{1} << 42) - 1)));
  EXPECT_EQ(fits.fetched_at, WallTime());
  EXPECT_EQ(fits.etag, "");
  EXPECT_EQ(fits.last_modified, state.last_modified);
}

TEST(PackedLinkTest, ACutEntryIsRefusedAtEveryLength) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = Entry(random(), RandomState(random));
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::string cut = bytes.substr(0, size);  // a heap block: ASan sees an overread
      ByteReader reader(cut);
      uint64_t key;
      PackedLink packed;
      ASSERT_FALSE(ReadEntry(reader, &key, &packed)) << i << " at " << size;
    }
  }
}

TEST(PackedLinkTest, BytesThatNoStateIsWrittenAsAreRefused) {
  const auto refused = [](std::string_view state) {
    int read = 0;
    for (const char* after : {"", "what stands behind it"}) {
      const std::string bytes = "01234567" + std::string(state) + after;
      ByteReader reader(bytes);
      uint64_t key;
      PackedLink packed;
      read += ReadEntry(reader, &key, &packed);
    }
    EXPECT_NE(read, 1) << "depends on what stands behind it";
    return read == 0;
  };
  using namespace std::string_view_literals;
  EXPECT_FALSE(refused("\x04\x00\x00"sv));
  EXPECT_TRUE(refused("\x05\x00\x00"sv)) << "no such status";
  EXPECT_TRUE(refused("\x00\x00\x40"sv)) << "a due time's bits without one";
  EXPECT_TRUE(refused("\x20\x00\x00\x00\x00\x00\x00\x00"sv)) << "a due time of zero";
  EXPECT_TRUE(refused("\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv)) << "data of zeros";
  EXPECT_TRUE(
      refused("\x08\x00\x00"
              "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv))
      << "fetched, but never";
  EXPECT_FALSE(
      refused("\x08\x00\x00"
              "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv));
  EXPECT_TRUE(
      refused("\x08\x00\x00"
              "\x81\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv))
      << "a varint longer than it need be";
}

}  // namespace
}  // namespace orbweaver
