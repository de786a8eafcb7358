#include "common/base/utf8.h"

#include <iterator>
#include <string>

#include "gtest/gtest.h"

#include "common/base/random.h"

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

// Blocks of 64 bytes are looked at at once: every character at every place of two of them, and with
// each of its bytes damaged.
TEST(Utf8Test, CharactersAcrossBlocksAreSeenAsAWhole) {
  for (const std::string character : {"ü", "漢", "🕸"}) {
    for (size_t at = 0; at + character.size() <= 150; ++at) {
      std::string text(150, 'a');
      text.replace(at, character.size(), character);
      EXPECT_TRUE(IsValidUtf8(text)) << character << " at " << at;
      text.replace(text.size() - 3, 3, "é!");
      EXPECT_EQ(IsValidUtf8(text), at + character.size() <= 147 || at >= 147)
          << character << " at " << at;
      for (size_t i = 0; i < character.size() && at + character.size() <= 147; ++i) {
        std::string damaged = text;
        damaged[at + i] = 'a';
        EXPECT_FALSE(IsValidUtf8(damaged)) << character << " at " << at << ", byte " << i;
      }
    }
  }
  EXPECT_FALSE(IsValidUtf8(std::string(63, 'a') + "\xc3"));
  EXPECT_FALSE(IsValidUtf8(std::string(64, 'a') + "\xa9"));
  EXPECT_FALSE(IsValidUtf8(std::string(63, 'a') + "\xc3" + std::string(64, 'a')));
}

TEST(Utf8Test, HoldsTheBoundsOfSecondBytesAtEveryPlaceOfABlock) {
  const std::string good[] = {"\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80",
                              "\xf4\x8f\xbf\xbf"};
  const std::string bad[] = {"\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                             "\xc0\x80",     "\xc1\xbf",     "\xf5\x80\x80\x80"};
  for (size_t at = 0; at < 140; ++at) {
    const auto text = [at](const std::string& character) {
      std::string text(150, 'a');
      return text.replace(at, character.size(), character);
    };
    for (const std::string& character : good) EXPECT_TRUE(IsValidUtf8(text(character))) << at;
    for (const std::string& character : bad) EXPECT_FALSE(IsValidUtf8(text(character))) << at;
  }
}

// Against the rule itself, byte by byte.
TEST(Utf8Test, AgreesWithTheSlowWayOnRandomBytes) {
  const auto slowly = [](std::string_view text) {
    while (!text.empty()) {
      size_t length = 1;
      // Short enough that no block is looked at.
      while (length <= 4 && length <= text.size() && !IsValidUtf8(text.substr(0, length))) ++length;
      if (length > 4 || length > text.size()) return false;
      text.remove_prefix(length);
    }
    return true;
  };
  Random random(1);
  int valid = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const size_t size = random.Below(200);
    while (text.size() < size) {
      constexpr std::string_view kPieces[] = {"a", "bcdefgh", "ü", "漢", "🕸", "0123456789abcdef"};
      text += kPieces[random.Below(std::size(kPieces))];
    }
    if (!text.empty() && random.Chance(0.5)) {
      text[random.Below(text.size())] = static_cast<char>(random.Below(256));
    }
    const bool is_valid = slowly(text);
    valid += is_valid;
    ASSERT_EQ(IsValidUtf8(text), is_valid) << testing::PrintToString(text);
  }
  EXPECT_GT(valid, 5000);
  EXPECT_LT(valid, 19'000);
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
