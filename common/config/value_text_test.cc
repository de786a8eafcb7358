#include "common/config/value_text.h"

#include <gtest/gtest.h>

namespace orbweaver::config {
namespace {

using std::chrono::nanoseconds;

template <typename T>
bool Parses(std::string_view text) {
  T value{};
  return ParseNumber(text, &value);
}

TEST(ValueTextTest, OnlyTrueAndFalseAreTruthValues) {
  bool value = false;
  EXPECT_TRUE(ParseBool("true", &value));
  EXPECT_TRUE(value);
  EXPECT_TRUE(ParseBool("false", &value));
  EXPECT_FALSE(value);
  for (const char* text : {"", "yes", "on", "1", "True", "TRUE", " true", "true "}) {
    EXPECT_FALSE(ParseBool(text, &value)) << text;
  }
}

TEST(ValueTextTest, IntegersAreTakenWholeOrNotAtAll) {
  int64_t value = 0;
  EXPECT_TRUE(ParseNumber("-9223372036854775808", &value));
  EXPECT_EQ(value, INT64_MIN);
  EXPECT_TRUE(ParseNumber("9223372036854775807", &value));
  EXPECT_EQ(value, INT64_MAX);
  EXPECT_TRUE(ParseNumber("-0", &value));
  EXPECT_EQ(value, 0);
  for (const char* text : {"", "-", "+1", "1.0", "1e3", "0x10", "010", "-01", "1 ", " 1", "1_000",
                           "9223372036854775808", "-9223372036854775809"}) {
    value = 7;
    EXPECT_FALSE(ParseNumber(text, &value)) << text;
    EXPECT_EQ(value, 7) << text;
  }
}

TEST(ValueTextTest, UnsignedIntegersReachTheirLimitAndNoFurther) {
  uint64_t value = 0;
  EXPECT_TRUE(ParseNumber("18446744073709551615", &value));
  EXPECT_EQ(value, UINT64_MAX);
  EXPECT_FALSE(Parses<uint64_t>("18446744073709551616"));
  EXPECT_FALSE(Parses<uint64_t>("-1"));
}

TEST(ValueTextTest, NumbersAreFinite) {
  double value = 0;
  EXPECT_TRUE(ParseNumber("-0.25", &value));
  EXPECT_EQ(value, -0.25);
  EXPECT_TRUE(ParseNumber("1e-3", &value));
  EXPECT_EQ(value, 0.001);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "1,5", "0.5x", "00.5"}) {
    EXPECT_FALSE(Parses<double>(text)) << text;
  }
}

TEST(ValueTextTest, NumbersSurviveBeingPrinted) {
  for (const double value : {0.0, 0.1, 1.0 / 3, 1e300, -5e-324}) {
    double again = 7;
    EXPECT_TRUE(ParseNumber(PrintNumber(value), &again)) << value;
    EXPECT_EQ(again, value);
  }
}

TEST(ValueTextTest, DurationsNeedAUnit) {
  nanoseconds value{};
  EXPECT_TRUE(ParseDuration("250ms", &value));
  EXPECT_EQ(value, std::chrono::milliseconds(250));
  EXPECT_TRUE(ParseDuration("2h", &value));
  EXPECT_EQ(value, std::chrono::hours(2));
  EXPECT_TRUE(ParseDuration("0s", &value));
  EXPECT_EQ(value, nanoseconds(0));
  EXPECT_TRUE(ParseDuration("0", &value));  // the same in every unit
  EXPECT_EQ(value, nanoseconds(0));
  for (const char* text : {"", "00", "-0", "10", "s", "10 s", "1.5s", "-1s", "1h30m", "10S",
                           "10sec", "010s", "106752d", "99999999999999999999s"}) {
    EXPECT_FALSE(ParseDuration(text, &value)) << text;
  }
}

TEST(ValueTextTest, DurationsPrintInTheLargestUnitThatIsExact) {
  EXPECT_EQ(PrintDuration(nanoseconds(0)), "0s");
  EXPECT_EQ(PrintDuration(std::chrono::seconds(90)), "90s");
  EXPECT_EQ(PrintDuration(std::chrono::seconds(120)), "2m");
  EXPECT_EQ(PrintDuration(std::chrono::hours(48)), "2d");
  EXPECT_EQ(PrintDuration(nanoseconds(1)), "1ns");
  EXPECT_EQ(PrintDuration(nanoseconds::max()), "9223372036854775807ns");
}

TEST(ValueTextTest, SizesKnowBothKindsOfKilobyte) {
  uint64_t value = 0;
  EXPECT_TRUE(ParseBytes("64KiB", &value));
  EXPECT_EQ(value, 65536u);
  EXPECT_TRUE(ParseBytes("256MB", &value));
  EXPECT_EQ(value, 256'000'000u);
  EXPECT_TRUE(ParseBytes("7", &value));
  EXPECT_EQ(value, 7u);
  EXPECT_TRUE(ParseBytes("16777215TiB", &value));
  for (const char* text :
       {"", "KiB", "64kib", "64 KiB", "1.5GB", "-1", "64K", "16777216TiB", "099"}) {
    EXPECT_FALSE(ParseBytes(text, &value)) << text;
  }
}

TEST(ValueTextTest, SizesPrintInTheUnitThatPeopleWroteThemIn) {
  for (const char* text : {"64KiB", "256MB", "1GiB", "3TB", "1023B", "1000001B", "0B", "1KB"}) {
    uint64_t value = 0;
    ASSERT_TRUE(ParseBytes(text, &value)) << text;
    EXPECT_EQ(PrintBytes(value), text);
  }
}

TEST(ValueTextTest, SharesAreWrittenInPerCent) {
  double value = -1;
  EXPECT_TRUE(ParseShare("5%", &value));
  EXPECT_DOUBLE_EQ(value, 0.05);
  EXPECT_TRUE(ParseShare("0.5%", &value));
  EXPECT_DOUBLE_EQ(value, 0.005);
  EXPECT_TRUE(ParseShare("100%", &value));
  EXPECT_DOUBLE_EQ(value, 1);
  EXPECT_TRUE(ParseShare("0", &value));
  EXPECT_DOUBLE_EQ(value, 0);
  for (const std::string_view wrong : {"", "%", "5", "0.05", "-1%", "101%", "5 %", "x%", "5%%"}) {
    EXPECT_FALSE(ParseShare(wrong, &value)) << wrong;
  }
  for (const double share : {0.0, 0.05, 0.005, 0.1, 1.0, 1.0 / 3}) {
    EXPECT_TRUE(ParseShare(PrintShare(share), &value));
    EXPECT_NEAR(value, share, 1e-9);
  }
}

}  // namespace
}  // namespace orbweaver::config
