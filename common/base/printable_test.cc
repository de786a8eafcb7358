#include "common/base/printable.h"

#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

std::string Printable(std::string_view text, Lines lines = Lines::kEscape) {
  std::string out;
  AppendPrintable(text, lines, &out);
  return out;
}

TEST(PrintableTest, TextOfAnyLanguageStaysAsItIs) {
  EXPECT_EQ(Printable("héllo – 日本 🕷 ~"), "héllo – 日本 🕷 ~");
  EXPECT_EQ(Printable(""), "");
}

TEST(PrintableTest, NothingThatATerminalObeysGetsThrough) {
  EXPECT_EQ(Printable("\x1b[2Jx\x07\x7f\r\t"), "\\x1b[2Jx\\x07\\x7f\\x0d\\x09");
  EXPECT_EQ(Printable("a\xc2\x9b"
                      "2J"),
            "a\\xc2\\x9b2J")
      << "U+009B is CSI";
  EXPECT_EQ(Printable("\xc2\xa0"), "\xc2\xa0") << "a space is no control character";
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
}

TEST(PrintableTest, BytesThatAreNoTextAreShownAsBytes) {
  EXPECT_EQ(Printable("\xff\x9b\xc3"), "\\xff\\x9b\\xc3");
  EXPECT_EQ(Printable("\xe6\x97"), "\\xe6\\x97");
}

TEST(PrintableTest, LinesAreKeptWhereTheyAreMeant) {
  EXPECT_EQ(Printable("a\n\tb\r\n", Lines::kKeep), "a\n\tb\\x0d\n");
  EXPECT_EQ(Printable("a\nb"), "a\\nb");
}

}  // namespace
}  // namespace orbweaver
