#include "spider/parse/query_encoder.h"

#include <charconv>

#include <gtest/gtest.h>

#include "spider/parse/charset.h"
#include "spider/parse/write_utf8.h"

namespace orbweaver {
namespace {

std::string Encoded(std::string_view charset, std::string_view link) {
  QueryEncoder encoder;
  encoder.Begin(charset);
  return std::string(encoder.Encode(link));
}
std::string Utf8(uint32_t c) {
  char bytes[4];
  return {bytes, WriteUtf8(c, bytes)};
}

// The examples of the URL standard, section 1.3, and of its tests (percent-encoding.json).
TEST(QueryEncoderTest, TheStandardsExamples) {
  EXPECT_EQ("?%81%DF", Encoded("shift_jis", "?≡"));
  EXPECT_EQ("?%26%238253%3B", Encoded("shift_jis", "?‽"));
  EXPECT_EQ("?1+1%20%81%DF%202%20%26%238253%3B", Encoded("shift_jis", "?1+1 ≡ 2%20‽"));
  EXPECT_EQ("?%86", Encoded("windows-1252", "?†"));
  EXPECT_EQ("?%26%238224%3B", Encoded("big5", "?†"));
  EXPECT_EQ("?%A2%D3", Encoded("euc-kr", "?†"));
  EXPECT_EQ("?%26%2365533%3B%20A", Encoded("iso-2022-jp", "?\x0e A"));
  EXPECT_EQ("?%1B(J~%1B(B\\", Encoded("iso-2022-jp", "?\xe2\x80\xbe\\"));
  EXPECT_EQ("?%26%2358853%3B", Encoded("gb18030", "?\xee\x97\xa5"));
  EXPECT_EQ("?%81|", Encoded("shift_jis", "?\xe2\x88\x92"));
}

TEST(QueryEncoderTest, OnlyTheQueryIsEncoded) {
  EXPECT_EQ("http://пример.рф/путь?q=%EF%F0&a=1#я?я",
            Encoded("windows-1251", "http://пример.рф/путь?q=пр&a=1#я?я"));
  EXPECT_EQ("/путь#?я", Encoded("windows-1251", "/путь#?я"));
  EXPECT_EQ("?%FF", Encoded("windows-1251", "?\n\xd1\x8f\t")) << "line ends are no part of a URL";
}

TEST(QueryEncoderTest, QueriesOfUtf8AndUtf16StayAsTheyAre) {
  for (const char* charset : {"", "utf-8", "utf-16le", "utf-16be", "replacement"}) {
    EXPECT_EQ("?я", Encoded(charset, "?я")) << charset;
  }
  const std::string_view ascii = "/p?a='%zz\"";
  QueryEncoder encoder;
  encoder.Begin("shift_jis");
  EXPECT_EQ(ascii.data(), encoder.Encode(ascii).data()) << "the parser encodes ASCII";
}

TEST(QueryEncoderTest, CharactersThatIso2022JpLacksStandOutsideOfItsShifts) {
  EXPECT_EQ("?%1B$BF|%1B(B%26%238364%3Ba", Encoded("iso-2022-jp", "?日€a"));
  EXPECT_EQ("?%1B$BF|%1B(B%26%2365533%3B", Encoded("iso-2022-jp", "?日\x1b"));
  EXPECT_EQ("?%1B$BF|%1B(B", Encoded("iso-2022-jp", "?日"));
}

// Decoding is Lexbor's too, but from the other table.
TEST(QueryEncoderTest, ACharacterThatHasBytesIsReadBackFromThem) {
  Arena arena;
  for (const char* charset :
       {"big5", "euc-jp", "euc-kr", "gb18030", "gbk", "iso-2022-jp", "shift_jis", "ibm866",
        "iso-8859-2", "iso-8859-15", "koi8-r", "koi8-u", "macintosh", "windows-1250",
        "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1256"}) {
    size_t with_bytes = 0;
    for (uint32_t c = 0x80; c < 0x10000; c += c < 0x500 ? 1 : 7) {
      // Surrogates; and private characters, of which GB 18030 moved 18 in 2022.
      if (c >= 0xd800 && c < 0xf900) continue;
      const std::string text = Utf8(c);
      const std::string query = Encoded(charset, "?" + text).substr(1);
      if (query.starts_with("%26%23")) continue;
      std::string bytes;
      for (size_t i = 0; i < query.size(); ++i) {
        unsigned char byte = 0;
        const char* const digits = query.data() + i + 1;
        if (query[i] == '%' && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
          bytes.push_back(static_cast<char>(byte));
          i += 2;
        } else {
          bytes.push_back(query[i]);
        }
      }
      ++with_bytes;
      const std::string_view back = ToUtf8(bytes, charset, &arena);
      // The standard writes these with the bytes of others.
      const bool another = c == 0xa5 || c == 0x203e || c == 0x2212 || (c >= 0xff61 && c <= 0xff9f);
      EXPECT_TRUE(back == text || another) << charset << " U+" << std::hex << c << " " << query;
    }
    EXPECT_GE(with_bytes, 50u) << charset;
    arena.Reset();
  }
}

}  // namespace
}  // namespace orbweaver
