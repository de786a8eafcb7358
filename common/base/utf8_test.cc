#include "common/base/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace orbweaver {
namespace {

TEST(Utf8Test, TakesEveryLengthOfCharacter) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("plain"));
  EXPECT_TRUE(IsValidUtf8("\x7f \xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf \xf0\x90\x80\x80"));
  EXPECT_TRUE(IsValidUtf8("\xf4\x8f\xbf\xbf"));  // U+10FFFF
  EXPECT_TRUE(IsValidUtf8("\xed\x9f\xbf"));      // the last before the surrogates
}

TEST(Utf8Test, RefusesWhatRfc3629Forbids) {
  for (const std::string_view bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2 ", "\xe0\x9f\xbf", "\xe1\x80",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xff", "\xfe"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << testing::PrintToString(std::string(bad));
  }
}

// The fast path looks at words that overlap: a bad byte must be seen at every place in every
// length.
TEST(Utf8Test, SeesABadByteWhereverItStands) {
  for (size_t length = 1; length < 70; ++length) {
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, 'a');
      EXPECT_TRUE(IsValidUtf8(text));
      text[at] = '\xff';
      EXPECT_FALSE(IsValidUtf8(text)) << at << " of " << length;
    }
  }
}

TEST(Utf8Test, ClampingNeverCutsACharacter) {
  const std::string text = "aü漢🕸b";
  for (size_t max = 0; max <= text.size() + 1; ++max) {
    const std::string_view clamped = ClampUtf8(text, max);
    EXPECT_LE(clamped.size(), max);
    EXPECT_TRUE(IsValidUtf8(clamped)) << max;
    EXPECT_GT(clamped.size() + 4, std::min(max, text.size())) << "cut more than one character";
  }
  EXPECT_EQ(ClampUtf8(text, text.size()), text);
}

}  // namespace
}  // namespace orbweaver
