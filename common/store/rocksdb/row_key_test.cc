#include "common/store/rocksdb/row_key.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

std::string KeyOf(std::string_view row, std::string_view column) {
  std::string key;
  AppendRowPrefix(row, &key);
  return key.append(column);
}

std::string AnyBytes(Random& random, size_t most) {
  constexpr std::string_view kHostile{
      "\x00\x01\x02\xff\xfe"
      "a",
      6};
  std::string bytes;
  for (size_t size = 1 + random.Below(most); size > 0; --size) {
    bytes.push_back(kHostile[random.Below(kHostile.size())]);
  }
  return bytes;
}

TEST(RowKeyTest, KeysSortByRowAndThenByColumnWhateverTheirBytes) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::string row_a = AnyBytes(random, 4), row_b = AnyBytes(random, 4);
    const std::string column_a = AnyBytes(random, 3), column_b = AnyBytes(random, 3);
    ASSERT_EQ(KeyOf(row_a, column_a) < KeyOf(row_b, column_b),
              std::pair(row_a, column_a) < std::pair(row_b, column_b));
  }
}

TEST(RowKeyTest, ARowComesBackFromItsKeyAndItsPrefixEndsWhereTheColumnBegins) {
  Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    const std::string row = AnyBytes(random, 6), column = AnyBytes(random, 6);
    const std::string key = KeyOf(row, column);
    const size_t prefix = RowPrefixBytes(key);
    ASSERT_EQ(key.substr(prefix), column);
    std::string decoded;
    DecodeRowPrefix(std::string_view(key).substr(0, prefix), &decoded);
    ASSERT_EQ(decoded, row);
  }
}

TEST(RowKeyTest, PastARowComesAfterItsLastCellAndBeforeTheNextRow) {
  for (const std::string& row : {std::string("a"), std::string("\0", 1), std::string("a\xff")}) {
    std::string past;
    AppendRowPrefix(row, &past);
    SkipPastRow(&past);
    EXPECT_GT(past, KeyOf(row, std::string(1024, '\xff')));
    EXPECT_LT(past, KeyOf(row + '\0', "a"));
  }
}

TEST(RowKeyTest, BytesThatAreNoKeyHaveNoPrefix) {
  for (const std::string& bytes : {std::string(), std::string("a"), std::string("a\0", 2),
                                   std::string("\0\xff\0\xff", 4), std::string("\0", 1)}) {
    EXPECT_EQ(RowPrefixBytes(bytes), 0u);
  }
}

}  // namespace
}  // namespace orbweaver
