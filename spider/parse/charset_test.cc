#include "spider/parse/charset.h"

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/utf8.h"

namespace orbweaver {
namespace {

std::string Decoded(std::string_view bytes, std::string_view charset) {
  Arena arena;
  return std::string(ToUtf8(bytes, charset, &arena));
}

TEST(CharsetTest, LabelsAreThoseOfTheStandard) {
  EXPECT_EQ("windows-1252", CharsetOfLabel("latin1"));
  EXPECT_EQ("windows-1252", CharsetOfLabel(" ISO-8859-1 "));
  EXPECT_EQ("shift_jis", CharsetOfLabel("sjis"));
  EXPECT_EQ("gbk", CharsetOfLabel("GB2312"));
  EXPECT_EQ("utf-8", CharsetOfLabel("UTF8"));
  EXPECT_EQ("", CharsetOfLabel("utf-7"));
  EXPECT_EQ("", CharsetOfLabel(""));
}

TEST(CharsetTest, TheSurerSourceWins) {
  constexpr std::string_view kMeta = "<meta charset=koi8-r>\xe4";
  EXPECT_EQ("utf-16le", DetectCharset("\xff\xfe<\0", "text/html; charset=utf-8").name);
  EXPECT_EQ("utf-8", DetectCharset("\xef\xbb\xbf<meta charset=koi8-r>", "a/b;charset=koi8-r").name);
  EXPECT_EQ("shift_jis", DetectCharset(kMeta, "text/html; Charset = \"Shift_JIS\"; x").name);
  EXPECT_EQ("koi8-r", DetectCharset(kMeta, "text/html; charset=nonsense").name);
  EXPECT_EQ("utf-8", DetectCharset("\xc3\xa4", "").name);
  EXPECT_EQ("utf-8", DetectCharset("plain", "").name);
  EXPECT_EQ("utf-8", DetectCharset("", "").name);
}

// Encoding standard, 4.2; those that libraries lack most.
TEST(CharsetTest, LabelsOfUtf16AreKnownInHeaders) {
  for (const char* label :
       {"unicode", "UCS-2", "csunicode", "iso-10646-ucs-2", "unicodefeff", "utf-16", "utf-16le"}) {
    EXPECT_EQ("utf-16le", DetectCharset("", std::string("text/html; charset=") + label).name);
    EXPECT_EQ("utf-8", DeclaredCharset(std::string("<meta charset=") + label + ">")) << label;
  }
  EXPECT_EQ("utf-16be", DetectCharset("", "text/html; charset=unicodefffe").name);
  EXPECT_EQ("utf-8", CharsetOfLabel("x-unicode20utf8"));
  EXPECT_EQ("utf-16le", DetectCharset(std::string_view("<\0?\0x\0m\0", 8), "").name);
  EXPECT_EQ("utf-16be", DetectCharset(std::string_view("\0<\0?\0x\0m", 8), "").name);
}

TEST(CharsetTest, OnlyAMarkAndTheHeaderAreCertain) {
  EXPECT_TRUE(DetectCharset("\xef\xbb\xbf", "").certain);
  EXPECT_TRUE(DetectCharset("", "text/html; charset=koi8-r").certain);
  EXPECT_FALSE(DetectCharset("<meta charset=koi8-r>", "").certain);
  EXPECT_FALSE(DetectCharset("\xc3\xa4", "text/html; charset=x").certain);
}

TEST(CharsetTest, DeclarationsAreFoundAsThePrescanDoes) {
  EXPECT_EQ("koi8-r", DeclaredCharset("<html x='<meta charset=big5>'><META  CHARSET='KOI8-R' >"));
  EXPECT_EQ("koi8-r", DeclaredCharset("<!-- <meta charset=big5> --><meta charset=koi8-r>"));
  EXPECT_EQ("koi8-r", DeclaredCharset("<meta http-equiv=Content-Type content='text/html; "
                                      "charset=koi8-r'>"));
  EXPECT_EQ("", DeclaredCharset("<meta name=x content='text/html; charset=koi8-r'>"));
  EXPECT_EQ("koi8-r", DeclaredCharset("<?xml version='1.0' encoding=\"KOI8-R\"?><x>"));
  EXPECT_EQ("utf-8", DeclaredCharset("<meta charset=utf-16>")) << "or it could not be read";
  EXPECT_EQ("windows-1252", DeclaredCharset("<meta charset=x-user-defined>"));
  EXPECT_EQ("", DeclaredCharset("<meta charset=nonsense>"));
  EXPECT_EQ("", DeclaredCharset(std::string(1024, ' ') + "<meta charset=koi8-r>"));
  for (const char* cut : {"<", "<meta", "<meta charset", "<meta charset=", "<meta charset='x",
                          "<meta charset=iso-8859-1", "<!--", "</", "<?xml",
                          "<meta content=charset http-equiv=content-type"}) {
    EXPECT_EQ("", DeclaredCharset(cut)) << cut;
  }
}

TEST(CharsetTest, WhatNobodyDeclaredIsGuessed) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text +=
        "\xcf\xf0\xe8\xe2\xe5\xf2, \xfd\xf2\xee \xf1\xf2\xf0\xe0\xed\xe8\xf6\xe0 \xee "
        "\xef\xee\xe3\xee\xe4\xe5 \xe8 \xf1\xef\xee\xf0\xf2\xe5. ";
  }
  EXPECT_EQ("windows-1251", DetectCharset(text, "").name);
  EXPECT_EQ("windows-1252", DetectCharset("\x81\x8d\xff", "").name) << "the web's default";
}

TEST(CharsetTest, TextIsDecodedAsBrowsersDo) {
  EXPECT_EQ("\xe2\x82\xac \xc3\xa4", Decoded("\x80 \xe4", "windows-1252"));
  EXPECT_EQ("\xe6\x97\xa5\xe6\x9c\xac", Decoded("\x93\xfa\x96\x7b", "shift_jis"));
  EXPECT_EQ("\xf0\x9f\x98\x80", Decoded("\x94\x39\xfc\x36", "gb18030"));
  EXPECT_EQ("a\xc3\xa4", Decoded(std::string_view("\xff\xfe"
                                                  "a\0\xe4\0",
                                                  6),
                                 "utf-16le"));
  EXPECT_EQ("\xef\xbf\xbd", Decoded(std::string_view("\xd8\x00", 2), "utf-16be")) << "a lone half";
  EXPECT_EQ("\xef\xbf\xbd", Decoded("<script>", "replacement")) << "no way past a filter";
}

TEST(CharsetTest, ValidUtf8IsNotCopied) {
  const std::string text =
      "\xef\xbb\xbf"
      "a\xc3\xa4";
  Arena arena;
  EXPECT_EQ(text.data() + 3, ToUtf8(text, "utf-8", &arena).data());
  EXPECT_EQ(0u, arena.HeldBytes());
  EXPECT_EQ(
      "a\xef\xbf\xbd"
      "b",
      Decoded("a\xc3"
              "b",
              "utf-8"));
  EXPECT_EQ("a\xef\xbf\xbd", Decoded("a\xc3", "utf-8")) << "cut";
}

TEST(CharsetTest, AnyBytesInAnyCharsetAreUtf8WithinTheBound) {
  Random random(1);
  for (const char* charset :
       {"utf-8", "utf-16le", "utf-16be", "big5", "euc-jp", "euc-kr", "gbk", "gb18030",
        "iso-2022-jp", "shift_jis", "windows-1252", "iso-8859-16", "x-user-defined", "ibm866"}) {
    for (int i = 0; i < 200; ++i) {
      std::string bytes;
      for (uint64_t n = random.Below(3000); n > 0; --n) {
        bytes.push_back(static_cast<char>(random.Below(256)));
      }
      const std::string text = Decoded(bytes, charset);
      ASSERT_TRUE(IsValidUtf8(text)) << charset;
      ASSERT_LE(text.size(), 3 * bytes.size() + 6) << charset;
    }
  }
}

}  // namespace
}  // namespace orbweaver
