#include "common/base/json.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(JsonStringTest, EscapesWhatJsonForbidsInsideAString) {
  EXPECT_EQ(Quoted("a \"b\" \\ / \n\r\t"), R"("a \"b\" \\ / \n\r\t")");
  EXPECT_EQ(Quoted(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(Quoted(""), R"("")");
}

TEST(JsonStringTest, FindsWhatToEscapeWhereverItStands) {
  for (size_t size = 1; size < 50; ++size) {
    for (size_t at = 0; at < size; ++at) {
      for (const auto& [raw, escaped] : {std::pair<char, std::string>{'"', "\\\""},
                                         {'\\', "\\\\"},
                                         {'\x1f', "\\u001f"},
                                         {'\x7f', "\\u007f"},
                                         {'\x80', "\xef\xbf\xbd"}}) {
        std::string text(size, ' ');
        text[at] = raw;
        std::string expected(size, ' ');
        expected.replace(at, 1, escaped);
        EXPECT_EQ(Quoted(text), '"' + expected + '"');
      }
    }
  }
}

TEST(JsonStringTest, LeavesValidUtf8AsItIs) {
  EXPECT_EQ(Quoted("häuser 東京 😀"), "\"häuser 東京 😀\"");
  EXPECT_EQ(Quoted("\xf4\x8f\xbf\xbf"), "\"\xf4\x8f\xbf\xbf\"");  // U+10FFFF, the last
}

TEST(JsonStringTest, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(Quoted("a\xff"
                   "b"),
            "\"a" + r + "b\"");                                        // no such byte
  EXPECT_EQ(Quoted("\x80"), "\"" + r + "\"");                          // continuation alone
  EXPECT_EQ(Quoted("\xc0\xaf"), "\"" + r + r + "\"");                  // overlong slash
  EXPECT_EQ(Quoted("\xed\xa0\x80"), "\"" + r + r + r + "\"");          // surrogate
  EXPECT_EQ(Quoted("\xf4\x90\x80\x80"), "\"" + r + r + r + r + "\"");  // past U+10FFFF
  EXPECT_EQ(Quoted("\xe6\x9d"), "\"" + r + "\"");                      // cut short at the end
  EXPECT_EQ(Quoted("\xe6\x9d\"x"), "\"" + r + "\\\"x\"");              // cut short by a quote
}

TEST(JsonWriterTest, SetsCommasOnlyBetweenValues) {
  std::string out;
  JsonWriter json(&out);
  json.BeginObject();
  json.Key("empty").BeginObject().EndObject();
  json.Key("list").BeginArray().Value(1).Value("two").Null().BeginArray().EndArray().EndArray();
  json.Key("yes").Value(true).Key("raw").Raw(R"({"x":1})");
  json.EndObject();
  EXPECT_EQ(out, R"({"empty":{},"list":[1,"two",null,[]],"yes":true,"raw":{"x":1}})");
}

TEST(JsonWriterTest, KeepsTheWholeRangeOfNumbers) {
  std::string out;
  JsonWriter json(&out);
  json.BeginArray()
      .Value(std::numeric_limits<int64_t>::min())
      .Value(std::numeric_limits<uint64_t>::max())
      .Value(0.1)
      .Value(1e300)
      .EndArray();
  EXPECT_EQ(out, "[-9223372036854775808,18446744073709551615,0.1,1e+300]");
}

TEST(JsonWriterTest, NumbersThatJsonCannotSayBecomeNull) {
  std::string out;
  JsonWriter json(&out);
  json.BeginArray()
      .Value(std::numeric_limits<double>::quiet_NaN())
      .Value(-std::numeric_limits<double>::infinity())
      .EndArray();
  EXPECT_EQ(out, "[null,null]");
}

TEST(JsonWriterDeathTest, AValueWithoutItsKeyIsABug) {
  EXPECT_DEATH(
      {
        std::string out;
        JsonWriter(&out).BeginObject().Value(1);
      },
      "invariant broken");
}

TEST(JsonWriterDeathTest, ClosingWhatIsNotOpenIsABug) {
  EXPECT_DEATH(
      {
        std::string out;
        JsonWriter(&out).BeginObject().EndArray();
      },
      "invariant broken");
}

TEST(JsonTest, ControlCharactersOfSomeTerminalsAreEscaped) {
  std::string out;
  AppendJsonString(
      "\xc2\x9b"
      "2J\xc2\xa0\x7f",
      &out);
  EXPECT_EQ(out, "\"\\u009b2J\xc2\xa0\\u007f\"");
}

}  // namespace
}  // namespace orbweaver
