#include "cli/amounts.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(AmountsTest, NumbersReadAsPeopleWriteThem) {
  EXPECT_EQ(Count(0), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1000), "1,000");
  EXPECT_EQ(Count(1234567), "1,234,567");
  EXPECT_EQ(Count(0, "page"), "0 pages");
  EXPECT_EQ(Count(1, "page"), "1 page");
  EXPECT_EQ(Count(1000, "page"), "1,000 pages");
  EXPECT_EQ(Bytes(0), "0 B");
  EXPECT_EQ(Bytes(999), "999 B");
  EXPECT_EQ(Bytes(1000), "1.0 KB");
  EXPECT_EQ(Bytes(999'999), "1.0 MB");
  EXPECT_EQ(Bytes(123'456'789), "123 MB");
  EXPECT_EQ(Time(std::chrono::milliseconds(400)), "0 s");
  EXPECT_EQ(Time(std::chrono::seconds(59)), "59 s");
  EXPECT_EQ(Time(std::chrono::minutes(192)), "3 h 12 min");
  EXPECT_EQ(Time(std::chrono::hours(50)), "2 d 2 h");
}

}  // namespace
}  // namespace orbweaver
