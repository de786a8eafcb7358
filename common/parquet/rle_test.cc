#include "common/parquet/rle.h"

#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver::parquet {
namespace {

std::string Encoded(const std::vector<uint32_t>& values, int width) {
  std::string bytes;
  EncodeRle(std::span<const uint32_t>(values), width, &bytes);
  return bytes;
}

TEST(RleTest, WhatIsEncodedComesBack) {
  Random random(1);
  for (int times = 0; times < 500; ++times) {
    const int width = 1 + static_cast<int>(random.Below(32));
    std::vector<uint32_t> values;
    while (values.size() < random.Below(300)) {
      const auto value = static_cast<uint32_t>(random.Below(uint64_t{1} << width));
      values.insert(values.end(), random.Below(3) == 0 ? random.Below(40) : 1, value);
    }
    const std::string bytes = Encoded(values, width);
    RleDecoder decoder(bytes, width);
    for (const uint32_t value : values) {
      uint32_t read = 0;
      ASSERT_TRUE(decoder.Next(&read));
      ASSERT_EQ(read, value) << "width " << width;
    }
  }
}

TEST(RleTest, BytesAreTheFormatsOwn) {
  // The example of the format's description: 0 to 7 in three bits each, low bits first.
  EXPECT_EQ(Encoded({0, 1, 2, 3, 4, 5, 6, 7}, 3), "\x03\x88\xc6\xfa");
  EXPECT_EQ(Encoded(std::vector<uint32_t>(100, 5), 3), "\xc8\x01\x05");
}

TEST(RleTest, ARunTakesNoRoomThatGrowsWithIt) {
  EXPECT_EQ(Encoded(std::vector<uint32_t>(1'000'000, 1), 1).size(), 4u);
}

TEST(RleTest, DamagedBytesEnd) {
  uint32_t value = 0;
  for (const std::string_view bytes :
       {std::string_view(""), std::string_view("\x00", 1), std::string_view("\x08", 1),
        std::string_view("\x03", 1), std::string_view("\xff\xff\xff\xff\xff\xff", 6),
        std::string_view("\x01\x00", 2)}) {
    RleDecoder decoder(bytes, 8);
    EXPECT_FALSE(decoder.Next(&value));
  }
}

TEST(RleTest, WithoutBitsAllAreZero) {
  RleDecoder decoder({}, 0);
  uint32_t value = 1;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(decoder.Next(&value) && value == 0);
}

}  // namespace
}  // namespace orbweaver::parquet
