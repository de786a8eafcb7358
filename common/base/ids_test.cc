#include "common/base/ids.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(IdsTest, DoNotConvertIntoOneAnother) {
  static_assert(!std::is_convertible_v<PartitionId, Offset>);
  static_assert(!std::is_convertible_v<int, PartitionId>);
  static_assert(!std::is_convertible_v<Offset, int64_t>);
  EXPECT_EQ(Offset(7) - Offset(3), 4);
  EXPECT_EQ(fmt::format("{}", PartitionId(12)), "12");
}

TEST(IdsTest, FingerprintBytesSortAsFingerprintsAndComeBack) {
  const Fingerprint small{1, ~uint64_t{0}};
  const Fingerprint large{2, 0};
  const auto a = small.ToBytes();
  const auto b = large.ToBytes();
  EXPECT_LT(std::memcmp(a.data(), b.data(), a.size()), 0);
  char raw[16];
  std::memcpy(raw, a.data(), sizeof raw);
  EXPECT_EQ(Fingerprint::FromBytes(raw), small);
  EXPECT_EQ(large.ToHex(), "00000000000000020000000000000000");
  EXPECT_EQ((Fingerprint{0x0123456789abcdef, 0xfedcba9876543210}.ToHex()),
            "0123456789abcdeffedcba9876543210");
}

}  // namespace
}  // namespace orbweaver
