#include "cli/check/url_column.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(UrlColumnTest, TheFirstWordOfALineIsTheUrl) {
  EXPECT_EQ(UrlColumn("http://a.test/", 0), "http://a.test/");
  EXPECT_EQ(UrlColumn("  http://a.test/\t200 \r", 0), "http://a.test/");
  EXPECT_EQ(UrlColumn("\xef\xbb\xbfhttp://a.test/ a title", 0), "http://a.test/");
  // Commas and semicolons are parts of URLs.
  EXPECT_EQ(UrlColumn("http://a.test/a,b;c", 0), "http://a.test/a,b;c");
  EXPECT_EQ(UrlColumn("\"http://a.test/\",\"x\"", 0), "http://a.test/");
  EXPECT_EQ(UrlColumn("\"http://a.test/", 0), "http://a.test/");
}

TEST(UrlColumnTest, EmptyLinesAndCommentsHaveNone) {
  for (const char* line : {"", "   ", "\t\r", "# http://a.test/", "  #x", "\"\"", "\""}) {
    EXPECT_EQ(UrlColumn(line, 0), "") << line;
  }
}

TEST(UrlColumnTest, AColumnOfCsvMayBeQuoted) {
  constexpr std::string_view kLine = "1,\"a, \"\"b\",http://a.test/x , last";
  EXPECT_EQ(UrlColumn("1,http://a.test/", 2), "http://a.test/");
  EXPECT_EQ(UrlColumn("1, \"http://a.test/a,b\" ,x", 2), "http://a.test/a,b");
  EXPECT_EQ(UrlColumn("http://a.test/,x", 1), "http://a.test/");
  EXPECT_EQ(UrlColumn("\"a, b\",http://a.test/", 2), "http://a.test/");
  EXPECT_EQ(UrlColumn("1,2", 3), "");
  EXPECT_EQ(UrlColumn("1,", 2), "");
  EXPECT_NE(UrlColumn(kLine, 1), "");
}

}  // namespace
}  // namespace orbweaver
