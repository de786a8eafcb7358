#include "common/model/arena.h"

#include <array>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace orbweaver {
namespace {

TEST(ArenaTest, AllocationsAreAlignedAndDoNotOverlap) {
  Arena arena;
  for (size_t size = 1; size < 5000; size += 7) {
    auto* bytes = static_cast<char*>(arena.Allocate(size));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % alignof(std::max_align_t), 0u);
    // The address sanitizer, and the check below, see what overlaps.
    std::memset(bytes, static_cast<int>(size % 251), size);
    auto* next = static_cast<char*>(arena.Allocate(1));
    *next = 0;
    EXPECT_EQ(static_cast<unsigned char>(bytes[size - 1]), size % 251);
  }
}

TEST(ArenaTest, SteadyUseTakesNoMoreFromTheHeap) {
  Arena arena;
  const auto use = [&arena] {
    for (int i = 0; i < 100; ++i) arena.Allocate(3000);
  };
  use();
  arena.Reset();
  const size_t held = arena.HeldBytes();
  for (int i = 0; i < 50; ++i) {
    use();
    arena.Reset();
    EXPECT_EQ(arena.HeldBytes(), held);
  }
}

// A spider holds thousands of requests, each with an arena of its own.
TEST(ArenaTest, ForAFewElementsItTakesLittle) {
  Arena arena;
  EXPECT_EQ(arena.HeldBytes(), 0u);
  ArenaList<std::array<char, 32>> list;
  list.Append(arena);
  EXPECT_LE(arena.HeldBytes(), 512u);
}

TEST(ArenaListTest, KeepsItsElementsWhenOthersGrowInBetween) {
  Arena arena;
  ArenaList<uint64_t> first;
  ArenaList<uint64_t> second;
  for (uint64_t i = 0; i < 10'000; ++i) {
    *first.Append(arena) = i;
    if (i % 3 == 0) *second.Append(arena) = ~i;
  }
  ASSERT_EQ(first.size(), 10'000u);
  for (uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(first.view()[i], i);
  for (uint64_t i = 0; i < second.size(); ++i) ASSERT_EQ(second.view()[i], ~(3 * i));
}

TEST(ArenaListTest, TakesASmallMultipleOfWhatStandsInIt) {
  Arena arena;
  ArenaList<char> list;
  const std::string piece(100, 'x');
  for (int i = 0; i < 10'000; ++i) list.Append(arena, {piece.data(), piece.size()});
  EXPECT_EQ(list.size(), 1'000'000u);
  EXPECT_LT(arena.HeldBytes(), 8'000'000u);
}

}  // namespace
}  // namespace orbweaver
