#include "cli/frontier/history.h"

#include <fstream>
#include <limits>

#include "cli/frontier/history_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr size_t kFine = 0, kMiddle = 1, kCoarse = 2;
constexpr auto kPages = static_cast<size_t>(Curve::kPages);
constexpr auto kMemory = static_cast<size_t>(Curve::kMemory);
const WallTime kBegin(hours(500'000));  // a whole step of every range

CurveValues Pages(double value) {
  CurveValues values;
  values[kPages] = value;
  return values;
}

TEST(HistoryTest, APointIsTheMeanOfItsStep) {
  History history;
  history.Add(kBegin, Pages(1));
  history.Add(kBegin + seconds(4), Pages(2));
  history.Add(kBegin + seconds(5), Pages(6));
  const auto fine = history.Points(kFine, kBegin + seconds(9));
  ASSERT_EQ(fine.size(), 2u);
  EXPECT_EQ(fine[0].time, kBegin);
  EXPECT_EQ(fine[0].values[kPages], 1.5);
  EXPECT_EQ(fine[1].time, kBegin + seconds(5));
  EXPECT_EQ(fine[1].values[kPages], 6);
  EXPECT_EQ(fine[1].values[kMemory], std::nullopt);
  const auto middle = history.Points(kMiddle, kBegin + seconds(9));
  ASSERT_EQ(middle.size(), 1u);
  EXPECT_EQ(middle[0].values[kPages], 3);  // (1 + 2 + 6) / 3
}

TEST(HistoryTest, ALaptopThatSleptLeavesAGap) {
  History history;
  history.Add(kBegin, Pages(1));
  history.Add(kBegin + seconds(20), Pages(2));
  const auto points = history.Points(kFine, kBegin + seconds(20));
  ASSERT_EQ(points.size(), 5u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(points[i].time, kBegin + seconds(5 * i));
    EXPECT_EQ(points[i].values[kPages], std::nullopt);
  }
  EXPECT_EQ(points[4].values[kPages], 2);
}

TEST(HistoryTest, EachRangeKeepsItsTimeAndNoMore) {
  History history;
  for (WallTime time = kBegin; time < kBegin + hours(24 * 8); time += seconds(60)) {
    history.Add(time, Pages(1));
  }
  const WallTime now = kBegin + hours(24 * 8) - seconds(60);
  // Every minute one sample: of each twelve steps of 5 s one is known, the first of the last
  // fifteen minutes 14 minutes before the last.
  EXPECT_EQ(history.Points(kFine, now).size(), 14u * 12 + 1);
  EXPECT_EQ(history.Points(kMiddle, now).size(), 180u);
  EXPECT_EQ(history.Points(kCoarse, now).size(), 336u);
  EXPECT_EQ(history.Points(kCoarse, now).front().time, now - minutes(29) - minutes(30) * 335);
  EXPECT_LT(history.Encode().size(), 100'000u);
  EXPECT_EQ(history.Points(kFine, now + hours(1)).size(), 0u);
  EXPECT_EQ(history.Points(kCoarse, now + hours(24 * 6)).size(), 48u);
}

TEST(HistoryTest, AClockThatWasSetBackTakesItsFutureAlong) {
  History history;
  history.Add(kBegin, Pages(1));
  history.Add(kBegin + hours(3), Pages(100));
  history.Add(kBegin + seconds(5), Pages(2));
  const auto points = history.Points(kFine, kBegin + hours(4));
  EXPECT_EQ(points.size(), 0u);
  EXPECT_EQ(history.newest(), kBegin + seconds(5));
  const auto coarse = history.Points(kCoarse, kBegin + seconds(5));
  ASSERT_EQ(coarse.size(), 1u);
  EXPECT_EQ(coarse[0].values[kPages], 1.5);
}

TEST(HistoryTest, NoNumberDamagesAMean) {
  History history;
  history.Add(kBegin, Pages(std::numeric_limits<double>::quiet_NaN()));
  history.Add(kBegin, Pages(std::numeric_limits<double>::infinity()));
  history.Add(kBegin, Pages(4));
  EXPECT_EQ(history.Points(kFine, kBegin)[0].values[kPages], 4);
}

TEST(HistoryFileTest, CurvesGoOnAfterARestart) {
  const ScratchFolder folder;
  const auto file = HistoryFile(folder.path());
  History before;
  before.Add(kBegin, Pages(1));
  before.Add(kBegin + seconds(1), Pages(2));
  ASSERT_OK(KeepHistory(file, before));
  History after;
  ASSERT_OK(ReadHistory(file, &after));
  after.Add(kBegin + seconds(2), Pages(9));
  const auto points = after.Points(kFine, kBegin + seconds(4));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].values[kPages], 4);  // (1 + 2 + 9) / 3
  ASSERT_OK(ReadHistory(folder.path() / "none", &after));
  EXPECT_EQ(after.newest(), kBegin);
  EXPECT_THAT(std::string(MessageOf(KeepHistory(folder.path() / "no" / "such", before))),
              testing::HasSubstr("such.new"));
}

TEST(HistoryFileTest, AFileThatIsTornAnywhereIsNoHistory) {
  History history;
  history.Add(kBegin, Pages(1));
  history.Add(kBegin + minutes(40), Pages(2));
  const std::string whole = history.Encode();
  for (size_t size = 0; size < whole.size(); ++size) {
    History read;
    read.Add(kBegin, Pages(7));
    EXPECT_FALSE(read.Decode(whole.substr(0, size)).ok()) << size;
    EXPECT_EQ(read.Points(kFine, kBegin)[0].values[kPages], 7);
    std::string flipped = whole;
    flipped[size] ^= 0x40;
    EXPECT_FALSE(read.Decode(flipped).ok()) << size;
  }
  EXPECT_FALSE(history.Decode(whole + "x").ok());
  EXPECT_OK(history.Decode(whole));
}

}  // namespace
}  // namespace orbweaver
