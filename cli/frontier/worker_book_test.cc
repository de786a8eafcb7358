#include "cli/frontier/worker_book.h"

#include <limits>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const WallTime kNow(hours(500'000));

// A spider that has fetched so many pages.
WorkerReport Spider(const std::string& id, WallTime at, double pages,
                    WallTime started = kNow - hours(1)) {
  WorkerReport report{.id = id,
                      .role = "spider",
                      .version = "1",
                      .admin_address = "",
                      .started_at = started,
                      .reported_at = at,
                      .vitals = {}};
  report.vitals.Take("orbweaver_spider_pages_total", pages);
  report.vitals.Take("process_resident_memory_bytes", 1000);
  return report;
}

class WorkerBookTest : public testing::Test {
 protected:
  void Note(const WorkerReport& report) { book_.Note(report, report.reported_at); }
  std::optional<double> PagesPerSecond(Duration window, WallTime now) {
    return book_.SumOfRates(Vital::kPages, window, now);
  }

  WorkerBook book_;
};

TEST(VitalsTest, LabelsAddUpAndStrangersArePassedOver) {
  Vitals vitals;
  vitals.Take("orbweaver_spider_failures_total{cause=\"dns\"}", 3);
  vitals.Take("orbweaver_spider_failures_total{cause=\"reset\"}", 4);
  vitals.Take("orbweaver_spider_failures_total_of_others", 100);
  vitals.Take("orbweaver_queue_waiting_domains{state=\"ready\"}", 5);
  vitals.Take("orbweaver_queue_waiting_domains{state=\"paced\"}", 100);
  vitals.Take("process_open_fds", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(vitals[Vital::kFailures], 7);
  EXPECT_EQ(vitals[Vital::kReadyDomains], 5);
  EXPECT_EQ(vitals[Vital::kOpenFiles], std::nullopt);
  EXPECT_TRUE(IsCounter(Vital::kFailures));
  EXPECT_FALSE(IsCounter(Vital::kReadyDomains));
}

TEST_F(WorkerBookTest, AMeanIsOfTheReportsWithinTheWindow) {
  const WorkerReport first = Spider("a", kNow, 100);
  EXPECT_EQ(book_.Mean(first, Vital::kPages, seconds(5)), std::nullopt);
  Note(first);
  Note(Spider("a", kNow + seconds(5), 200));
  Note(Spider("a", kNow + seconds(10), 600));
  const WorkerReport* const worker = book_.Live(kNow + seconds(10)).front();
  EXPECT_EQ(book_.Mean(*worker, Vital::kPages, seconds(1)), 600);
  EXPECT_EQ(book_.Mean(*worker, Vital::kPages, seconds(5)), 400);
  EXPECT_EQ(book_.Mean(*worker, Vital::kPages, minutes(1)), 300);
  EXPECT_EQ(book_.Mean(*worker, Vital::kFeedLag, minutes(1)), std::nullopt);
}

TEST_F(WorkerBookTest, ARateIsOfTheLastReportsWithinTheWindow) {
  Note(Spider("a", kNow, 100));
  EXPECT_EQ(PagesPerSecond(seconds(5), kNow), std::nullopt);
  Note(Spider("a", kNow + seconds(5), 150));
  Note(Spider("a", kNow + seconds(10), 160));
  Note(Spider("b", kNow, 0));
  Note(Spider("b", kNow + seconds(10), 30));
  EXPECT_EQ(PagesPerSecond(seconds(5), kNow + seconds(10)), 2 + 3);   // a: 10 in 5 s
  EXPECT_EQ(PagesPerSecond(seconds(10), kNow + seconds(10)), 6 + 3);  // a: 60 in 10 s
  EXPECT_EQ(book_.Sum(Vital::kMemoryBytes, kNow + seconds(10)), 2000);
  EXPECT_EQ(book_.Sum(Vital::kFeedLag, kNow), std::nullopt);
}

TEST_F(WorkerBookTest, AMetricThatComesLaterHasARateFromThenOn) {
  WorkerReport before = Spider("a", kNow, 0);
  before.vitals = {};
  Note(before);
  Note(Spider("a", kNow + seconds(5), 10));
  EXPECT_EQ(PagesPerSecond(seconds(60), kNow + seconds(5)), std::nullopt);
  Note(Spider("a", kNow + seconds(10), 30));
  EXPECT_EQ(PagesPerSecond(seconds(60), kNow + seconds(10)), 4);
}

TEST_F(WorkerBookTest, AWorkerThatBeginsAnewCountsFromNothing) {
  Note(Spider("a", kNow, 100));
  Note(Spider("a", kNow + seconds(5), 150));
  Note(Spider("a", kNow + seconds(10), 20, kNow + seconds(7)));
  EXPECT_EQ(PagesPerSecond(seconds(60), kNow + seconds(10)), std::nullopt);
  EXPECT_EQ(book_.Grown(Vital::kPages), 50 + 20);
  // Its clock was set back.
  Note(Spider("a", kNow, 30, kNow + seconds(7)));
  Note(Spider("a", kNow + seconds(2), 40, kNow + seconds(7)));
  EXPECT_EQ(PagesPerSecond(seconds(60), kNow + seconds(2)), 5);
  EXPECT_EQ(book_.Grown(Vital::kPages), 50 + 20 + 10 + 10);
}

TEST_F(WorkerBookTest, ASilentWorkerIsGoneAndThenForgotten) {
  Note(Spider("a", kNow, 1));
  EXPECT_EQ(book_.Live(kNow + minutes(2)).size(), 1u);
  EXPECT_EQ(book_.Gone(kNow + minutes(2)).size(), 0u);
  EXPECT_EQ(book_.Live(kNow + minutes(2) + seconds(1)).size(), 0u);
  EXPECT_EQ(book_.Gone(kNow + hours(1)).size(), 1u);
  EXPECT_EQ(book_.Gone(kNow + hours(1) + seconds(1)).size(), 0u);
}

TEST_F(WorkerBookTest, AReportFromTheFutureIsOneOfNow) {
  book_.Note(Spider("a", kNow + hours(1000), 1), kNow);
  EXPECT_EQ(book_.Live(kNow + minutes(3)).size(), 0u);
}

TEST_F(WorkerBookTest, AFloodOfNamesTakesBoundedMemory) {
  for (size_t i = 0; i < WorkerBook::kMostWorkers + 5; ++i) {
    Note(Spider(fmt::format("{:05}", i), kNow + std::chrono::milliseconds(i), 1));
  }
  const auto live = book_.Live(kNow + seconds(20));
  EXPECT_EQ(live.size(), WorkerBook::kMostWorkers);
  EXPECT_EQ(live.front()->id, "00005");
}

}  // namespace
}  // namespace orbweaver
