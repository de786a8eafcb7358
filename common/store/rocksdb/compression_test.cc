#include "common/store/rocksdb/compression.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/big_endian.h"
#include "common/base/random.h"
#include "tests/support/noise.h"

namespace orbweaver {
namespace {

std::string Links() {
  std::string links;
  for (int i = 0; i < 100; ++i) {
    links += "https://www.example.org/articles/" + std::to_string(i * 7919) + ".html";
  }
  return links;
}

TEST(CompressionTest, TextsThatRepeatComeBackFromAThirdOfTheirRoom) {
  const std::string links = Links();
  std::string out = "head:";
  ASSERT_TRUE(Compress(links, &out));
  EXPECT_LT(out.size(), links.size() / 3);
  ASSERT_EQ(out.substr(0, 5), "head:");
  std::string back = "before ";
  ASSERT_TRUE(Decompress(std::string_view(out).substr(5), &back));
  EXPECT_EQ(back, "before " + links);
}

TEST(CompressionTest, WhatWouldNotShrinkIsLeftAlone) {
  std::string out = "head:";
  for (const std::string& bytes : {std::string(), std::string(20, 'x'), Noise(10'000)}) {
    EXPECT_FALSE(Compress(bytes, &out)) << bytes.size();
    EXPECT_EQ(out, "head:");
  }
}

TEST(CompressionTest, ADamagedValueIsToldOrHasItsSizeAndIsNeverReadBeyond) {
  const std::string links = Links();
  std::string good;
  ASSERT_TRUE(Compress(links, &good));
  Random random(1);
  for (int i = 0; i < 5'000; ++i) {
    std::string bad = good.substr(0, 1 + random.Below(good.size()));
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bad[random.Below(bad.size())] = static_cast<char>(random());
    }
    const std::vector<char> exact(bad.begin(), bad.end());
    std::string back;
    if (!Decompress({exact.data(), exact.size()}, &back)) continue;
    ASSERT_EQ(back.size(), LoadBigEndian<uint32_t>(bad.data()));
  }
}

TEST(CompressionTest, ASizeThatCannotBeIsNotGivenMemory) {
  std::string huge;
  ASSERT_TRUE(Compress(Links(), &huge));
  StoreBigEndian(uint32_t{0x03ffffff}, huge.data());
  std::string back;
  EXPECT_FALSE(Decompress(huge, &back));
  EXPECT_LT(back.capacity(), size_t{1} << 20);
}

}  // namespace
}  // namespace orbweaver
