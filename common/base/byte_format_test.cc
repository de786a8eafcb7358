#include "common/base/byte_format.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

TEST(ByteFormat, WhatIsWrittenIsReadAgain) {
  const std::vector<uint64_t> numbers = {
      0, 1, 127, 128, 300, 16'383, 16'384, uint64_t{1} << 63, std::numeric_limits<uint64_t>::max()};
  std::string bytes;
  for (const uint64_t number : numbers) {
    AppendVarint(number, &bytes);
    AppendFixed(number, &bytes);
    AppendBytes(std::string(number % 300, 'x'), &bytes);
  }
  ByteReader in(bytes);
  for (const uint64_t number : numbers) {
    EXPECT_EQ(in.Varint<uint64_t>(), number);
    EXPECT_EQ(in.Fixed<uint64_t>(), number);
    EXPECT_EQ(in.Bytes(300), std::string(number % 300, 'x'));
  }
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.AtEnd());
}

TEST(ByteFormat, BothWritersOfVarintsWriteTheSame) {
  Random random(7);
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t number = random() >> random.Below(64);
    std::string appended;
    AppendVarint(number, &appended);
    char bytes[kMaxVarintBytes];
    const char* const end = WriteVarint(number, bytes);
    ASSERT_EQ(appended, std::string(static_cast<const char*>(bytes), end)) << number;
  }
}

TEST(ByteFormat, ANumberIsReadInItsShortestFormOnly) {
  EXPECT_TRUE(ByteReader(std::string_view("\x00", 1)).ok());
  for (const std::string_view longer :
       {std::string_view("\x80\x00", 2), std::string_view("\x81\x80\x00", 3)}) {
    ByteReader in(longer);
    EXPECT_EQ(in.Varint<uint64_t>(), 0u);
    EXPECT_FALSE(in.ok());
  }
}

TEST(ByteFormat, ANumberThatDoesNotFitIsRefused) {
  std::string bytes;
  AppendVarint(256, &bytes);
  ByteReader in(bytes);
  EXPECT_EQ(in.Varint<uint8_t>(), 0u);
  EXPECT_FALSE(in.ok());
  ByteReader longest("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  EXPECT_EQ(longest.Varint<uint64_t>(), 0u);
  EXPECT_FALSE(longest.ok());
}

TEST(ByteFormat, NothingIsReadBehindTheEndAndNothingAfterAFault) {
  std::string bytes;
  AppendBytes("some bytes", &bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::string_view(bytes).substr(0, size));
    EXPECT_EQ(in.Bytes(100), "");
    EXPECT_FALSE(in.ok()) << size;
    EXPECT_EQ(in.Varint<uint64_t>(), 0u);
    EXPECT_EQ(in.Raw(1), "");
  }
  EXPECT_EQ(ByteReader(bytes).Bytes(9), "") << "longer than the caller takes";
}

}  // namespace
}  // namespace orbweaver
