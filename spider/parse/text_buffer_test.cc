#include "spider/parse/text_buffer.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

TEST(TextBufferTest, WhiteSpaceCollapsesAndNothingStandsAtTheEnds) {
  TextBuffer buffer(100);
  buffer.Append(" \n a\t\tb");
  buffer.Append(std::string_view("\0 \0c ", 5));
  buffer.Break();
  buffer.Append("d ");
  EXPECT_EQ(buffer.view(), "a b c d");
}

TEST(TextBufferTest, ABoundCutsNoCharacter) {
  TextBuffer buffer(4);
  buffer.Append("abc\xc3\xa4\xc3\xa4");
  EXPECT_EQ(buffer.view(), "abc");
}

// Whatever pieces it comes in, the counter says how long the buffer's text would be.
TEST(TextBufferTest, TheCounterCountsWhatTheBufferHolds) {
  constexpr std::string_view kBytes("ab\xc3 \n\0", 6);
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    TextBuffer buffer(1 << 20);
    TextCounter counter;
    for (uint64_t piece = random.Below(6); piece > 0; --piece) {
      std::string text;
      // Some are longer than the counter's blocks; some have one kind of byte only.
      const uint64_t size = random.Below(random.Below(2) == 0 ? 5 : 600);
      const uint64_t kinds = 1 + random.Below(kBytes.size());
      for (uint64_t i = 0; i < size; ++i) text += kBytes[random.Below(kinds)];
      buffer.Append(text);
      counter.Append(text);
      if (random.Below(3) == 0) {
        buffer.Break();
        counter.Break();
      }
    }
    ASSERT_EQ(counter.bytes(), buffer.view().size()) << round;
  }
}

}  // namespace
}  // namespace orbweaver
