#include "common/parquet/json_values.h"

#include <gtest/gtest.h>

namespace orbweaver::parquet {
namespace {

TEST(JsonValuesTest, TimesComeBack) {
  for (const int64_t millis :
       {int64_t{0}, int64_t{1'700'000'000'123}, int64_t{-1}, int64_t{951'827'696'789},
        int64_t{-62'167'219'200'000}, int64_t{253'402'300'799'999}}) {
    std::string text;
    ASSERT_TRUE(AppendTime(millis, &text));
    int64_t read = 0;
    ASSERT_TRUE(ParseTime(text, &read)) << text;
    EXPECT_EQ(read, millis) << text;
  }
  std::string text;
  ASSERT_TRUE(AppendTime(1'700'000'000'023, &text));
  EXPECT_EQ(text, "2023-11-14T22:13:20.023Z");
  EXPECT_FALSE(AppendTime(253'402'300'800'000, &text));
  EXPECT_FALSE(AppendTime(INT64_MIN, &text));
}

TEST(JsonValuesTest, TimesMayLackDigits) {
  int64_t millis = 0;
  ASSERT_TRUE(ParseTime("1970-01-01T00:00:01Z", &millis));
  EXPECT_EQ(millis, 1000);
  ASSERT_TRUE(ParseTime("1970-01-01T00:00:01.5Z", &millis));
  EXPECT_EQ(millis, 1500);
}

TEST(JsonValuesTest, WhatIsNoTimeIsRefused) {
  int64_t millis = 0;
  for (const std::string_view bad :
       {"", "Z", "2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z",
        "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
        "2026-01-31 12:00:00Z", "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00.1234Z",
        "2O26-01-31T12:00:00Z", "2026-01-31T12:00:00+1Z"}) {
    EXPECT_FALSE(ParseTime(bad, &millis)) << bad;
  }
}

TEST(JsonValuesTest, BytesAreHexadecimal) {
  std::string text;
  AppendHex(std::string_view("\0\x7f\xff", 3), &text);
  EXPECT_EQ(text, "007fff");
  std::string bytes;
  ASSERT_TRUE(FromHex(text, &bytes));
  EXPECT_EQ(bytes, std::string_view("\0\x7f\xff", 3));
  for (const std::string_view bad : {"0", "0g", "FF", "  "})
    EXPECT_FALSE(FromHex(bad, &bytes)) << bad;
}

}  // namespace
}  // namespace orbweaver::parquet
