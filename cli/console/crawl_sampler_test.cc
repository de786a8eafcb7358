#include "cli/console/crawl_sampler.h"

#include <fstream>

#include "cli/frontier/history_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;

constexpr auto kPages = static_cast<size_t>(Curve::kPages);
constexpr auto kFeedLag = static_cast<size_t>(Curve::kFeedLag);
constexpr auto kMemory = static_cast<size_t>(Curve::kMemory);

class CrawlSamplerTest : public testing::Test {
 protected:
  SampledCrawl Crawl(const std::filesystem::path& file = {}) {
    return {.note_workers =
                [this](WallTime now, WorkerBook* book) {
                  if (!trouble_.ok()) return trouble_;
                  WorkerReport report{.id = "crawl",
                                      .role = "crawl",
                                      .version = "1",
                                      .admin_address = "",
                                      .started_at = begin_,
                                      .reported_at = now,
                                      .vitals = {}};
                  report.vitals.Take("orbweaver_spider_pages_total", pages_);
                  report.vitals.Take("process_cpu_seconds_total", cpu_s_);
                  report.vitals.Take("process_resident_memory_bytes", 5000);
                  book->Note(std::move(report), now);
                  return absl::OkStatus();
                },
            .read_lags = [this]() -> absl::StatusOr<LogLags> { return lags_; },
            .file = file};
  }

  ManualClock clock_;
  const WallTime begin_ = clock_.Wall();
  double pages_ = 0;
  double cpu_s_ = 0;
  absl::StatusOr<LogLags> lags_ = LogLags{.feed = 7};
  absl::Status trouble_;
};

TEST_F(CrawlSamplerTest, CurvesAndWorkersAreThoseOfTheSamples) {
  CrawlSampler sampler(Crawl(), clock_);
  EXPECT_TRUE(sampler.Workers().empty());
  sampler.Sample();
  clock_.Advance(seconds(5));
  pages_ = 40;
  cpu_s_ = 10;
  lags_ = RetryError("away");
  sampler.Sample();
  const auto points = sampler.Points(0);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].values[kPages], std::nullopt);
  EXPECT_EQ(points[1].values[kPages], 8);
  EXPECT_EQ(points[0].values[kFeedLag], 7);
  EXPECT_EQ(points[1].values[kFeedLag], std::nullopt);
  EXPECT_EQ(points[1].values[kMemory], 5000);
  ASSERT_EQ(sampler.Workers().size(), 1u);
  EXPECT_EQ(sampler.Workers()[0].cpu_cores, 2);
}

TEST_F(CrawlSamplerTest, TroubleIsToldAndOver) {
  CrawlSampler sampler(Crawl(), clock_);
  trouble_ = RetryError("broker away");
  sampler.Sample();
  EXPECT_EQ(sampler.trouble(), trouble_);
  trouble_ = absl::OkStatus();
  sampler.Sample();
  EXPECT_OK(sampler.trouble());
  EXPECT_EQ(sampler.Workers().size(), 1u);
}

TEST_F(CrawlSamplerTest, ACrawlsCurvesAreSeenWhenItRests) {
  const ScratchFolder folder;
  const auto file = HistoryFile(folder.path());
  {
    CrawlSampler sampler(Crawl(file), clock_);
    sampler.Start();
    while (sampler.Points(0).empty()) {
    }
    sampler.Stop();
  }
  clock_.Advance(std::chrono::hours(1000));
  const CrawlSampler rests({.file = file}, clock_);
  ASSERT_EQ(rests.Points(0).size(), 1u);
  EXPECT_EQ(rests.Points(0)[0].values[kFeedLag], 7);
  EXPECT_TRUE(rests.Workers().empty());
}

TEST_F(CrawlSamplerTest, ADamagedFileIsNoReasonNotToGoOn) {
  const ScratchFolder folder;
  const auto file = HistoryFile(folder.path());
  std::ofstream(file) << "orbweaver history 1\nrubbish that is longer than a checksum";
  CrawlSampler sampler(Crawl(file), clock_);
  EXPECT_TRUE(sampler.Points(0).empty());
  sampler.Sample();
  EXPECT_EQ(sampler.Points(0).size(), 1u);
}

}  // namespace
}  // namespace orbweaver
