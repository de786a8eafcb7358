#include "common/metrics/metric_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

std::string Complaint(MetricKind kind, std::string_view name) {
  return std::string(MessageOf(CheckMetricName(kind, name)));
}

TEST(MetricNameTest, TakesNamesThatFollowTheConventions) {
  EXPECT_EQ(Complaint(MetricKind::kCounter, "orbweaver_spider_pages_total"), "");
  EXPECT_EQ(Complaint(MetricKind::kCounter, "orbweaver_spider_received_bytes_total"), "");
  EXPECT_EQ(Complaint(MetricKind::kGauge, "orbweaver_db_worker_ready_domains"), "");
  EXPECT_EQ(Complaint(MetricKind::kGauge, "process_open_fds"), "");
  EXPECT_EQ(Complaint(MetricKind::kHistogram, "orbweaver_store_get_seconds"), "");
}

TEST(MetricNameTest, RefusesWhatADashboardWouldTripOver) {
  using ::testing::HasSubstr;
  EXPECT_THAT(Complaint(MetricKind::kCounter, "spider_pages_total"), HasSubstr("orbweaver_"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_Pages"), HasSubstr("snake_case"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_a__b"), HasSubstr("snake_case"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_a_"), HasSubstr("snake_case"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_a:b"), HasSubstr("snake_case"));
  EXPECT_THAT(Complaint(MetricKind::kCounter, "orbweaver_pages"), HasSubstr("'_total'"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_pages_total"), HasSubstr("'_total'"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_pages_count"), HasSubstr("histogram"));
  EXPECT_THAT(Complaint(MetricKind::kHistogram, "orbweaver_get_ms"), HasSubstr("'seconds'"));
  EXPECT_THAT(Complaint(MetricKind::kCounter, "orbweaver_sent_kilobytes_total"),
              HasSubstr("'bytes'"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_cache_hits_percent"), HasSubstr("'ratio'"));
  EXPECT_THAT(Complaint(MetricKind::kGauge, "orbweaver_lag_gauge"), HasSubstr("type"));
}

TEST(MetricNameTest, RefusesLabelsWithAMeaningOfTheirOwn) {
  EXPECT_TRUE(CheckLabelName("status").ok());
  for (const char* name : {"le", "quantile", "", "Status", "__name__", "1st", "a-b"}) {
    EXPECT_FALSE(CheckLabelName(name).ok()) << name;
  }
}

}  // namespace
}  // namespace orbweaver
