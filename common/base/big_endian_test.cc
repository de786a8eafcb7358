#include "common/base/big_endian.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(BigEndianTest, BytesSortAsTheNumbersDo) {
  std::string previous;
  for (const uint32_t n : {0u, 1u, 255u, 256u, 65535u, 65536u, 0x7fffffffu, 0xffffffffu}) {
    std::string bytes;
    AppendBigEndian(n, &bytes);
    if (n != 0) EXPECT_LT(previous, bytes);
    EXPECT_EQ(LoadBigEndian<uint32_t>(bytes.data()), n);
    previous = bytes;
  }
}

TEST(BigEndianTest, WritesTheHighByteFirst) {
  std::string bytes;
  AppendBigEndian(uint16_t{0x0102}, &bytes);
  EXPECT_EQ(bytes, "\x01\x02");
}

}  // namespace
}  // namespace orbweaver
