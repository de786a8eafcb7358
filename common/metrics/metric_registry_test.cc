#include "common/metrics/metric_registry.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/metrics/process_metrics.h"
#include "tests/support/promtool.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

TEST(MetricRegistryTest, PrintsEveryKindWithItsLabels) {
  MetricRegistry registry;
  registry.AddCounter("orbweaver_pages_total", "Pages fetched", {{"status", "2xx"}}).Increment(3);
  registry.AddCounter("orbweaver_pages_total", "Pages fetched", {{"status", "5xx"}});
  registry.AddGauge("orbweaver_lag", "Lag").Set(-1.5);
  registry.AddFunction(MetricKind::kGauge, "orbweaver_held_bytes", "Held", [] { return 42; });
  Histogram& get = registry.AddHistogram("orbweaver_get_seconds", "Gets", {0.25, 1});
  for (const double value : {0.125, 0.5, 2.0}) get.Observe(value);

  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("# HELP orbweaver_pages_total Pages fetched\n"
                              "# TYPE orbweaver_pages_total counter\n"
                              "orbweaver_pages_total{status=\"2xx\"} 3\n"
                              "orbweaver_pages_total{status=\"5xx\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("orbweaver_lag -1.5\n"));
  EXPECT_THAT(text, HasSubstr("orbweaver_held_bytes 42\n"));
  EXPECT_THAT(text, HasSubstr("orbweaver_get_seconds_count 3\n"));
  EXPECT_THAT(text, HasSubstr("orbweaver_get_seconds_sum 2.625\n"));
  EXPECT_THAT(text, HasSubstr("orbweaver_get_seconds_bucket{le=\"0.25\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("orbweaver_get_seconds_bucket{le=\"1\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("orbweaver_get_seconds_bucket{le=\"+Inf\"} 3\n"));
}

TEST(MetricRegistryTest, PromtoolFindsNothingToSay) {
  MetricRegistry registry;
  registry.AddCounter("orbweaver_pages_total", "Pages fetched",
                      {{"reason", "a \"quote\", a \\ and a\nbreak"}});
  registry.AddGauge("orbweaver_lag", "Lag of a \"partition\" {in} messages", {{"partition", "3"}})
      .Set(1e18);
  registry.AddHistogram("orbweaver_get_seconds", "Gets", ExponentialBounds(0.001, 2, 16))
      .Observe(0.1);
  AddProcessMetrics(registry);
  EXPECT_EQ(PromtoolComplaints(registry.Text()), "");
}

TEST(MetricRegistryTest, TheLinterOfTheTestAboveDoesComplain) {
  EXPECT_THAT(PromtoolComplaints("orbweaver_lag 1\n"), HasSubstr("no help text"));
}

TEST(MetricRegistryTest, APartThatComesBackCountsOn) {
  MetricRegistry registry;
  Counter& first = registry.AddCounter("orbweaver_x_total", "X", {{"partition", "1"}});
  Counter& other = registry.AddCounter("orbweaver_x_total", "X", {{"partition", "2"}});
  Counter& again = registry.AddCounter("orbweaver_x_total", "X", {{"partition", "1"}});
  EXPECT_EQ(&first, &again);
  EXPECT_NE(&first, &other);
}

TEST(MetricRegistryTest, MetricsMayBeAddedWhileTheyArePrinted) {
  MetricRegistry registry;
  std::thread adder([&registry] {
    for (int i = 0; i < 200; ++i) {
      registry.AddCounter("orbweaver_x_total", "X", {{"partition", std::to_string(i)}}).Increment();
    }
  });
  for (int i = 0; i < 50; ++i) registry.Text();
  adder.join();
  EXPECT_THAT(registry.Text(), HasSubstr("{partition=\"199\"} 1\n"));
}

TEST(MetricRegistryTest, ProcessMetricsAreOfThisProcess) {
  MetricRegistry registry;
  AddProcessMetrics(registry);
  const std::string text = registry.Text();
  for (const char* name : {"process_cpu_seconds_total", "process_resident_memory_bytes",
                           "process_virtual_memory_bytes", "process_open_fds", "process_max_fds",
                           "process_start_time_seconds"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + name + " "));
  }
  EXPECT_EQ(text.find(" Nan"), std::string::npos) << text;
  EXPECT_EQ(text.find(" 0\n"), std::string::npos) << text;
}

TEST(MetricRegistryDeathTest, AContradictionIsABug) {
  MetricRegistry registry;
  registry.AddGauge("orbweaver_lag", "Lag", {{"partition", "1"}});
  EXPECT_DEATH(registry.AddGauge("orbweaver_lag", "Other", {{"partition", "1"}}), "another");
  EXPECT_DEATH(registry.AddGauge("orbweaver_lag", "Lag"), "another");
  EXPECT_DEATH(registry.AddHistogram("orbweaver_lag", "Lag", {1.0}, {{"partition", "1"}}),
               "another");
  EXPECT_DEATH(registry.AddGauge("orbweaver_new", ""), "invariant");
  EXPECT_DEATH(registry.AddGauge("orbweaver_new", "two\nlines"), "invariant");
  EXPECT_DEATH(registry.AddGauge("orbweaver_new", "N", {{"a", "1"}, {"a", "2"}}), "twice");
  EXPECT_DEATH(registry.AddCounter("orbweaver_new", "N"), "End it in '_total'");
}

TEST(MetricRegistry, VisitsCountersAndGaugesWithTheirLabels) {
  MetricRegistry registry;
  registry.AddCounter("orbweaver_visited_total", "Help", {{"kind", "page"}, {"how", "fast"}})
      .Increment(3);
  registry.AddGauge("orbweaver_level_bytes", "Help").Set(2.5);
  registry.AddFunction(MetricKind::kGauge, "orbweaver_read_bytes", "Help", [] { return 7.0; });
  registry.AddHistogram("orbweaver_wait_seconds", "Help", {1}).Observe(1);
  std::vector<std::string> seen;
  registry.Visit([&seen](MetricKind kind, const std::string& name, double value) {
    seen.push_back(name + (kind == MetricKind::kCounter ? " c " : " g ") + std::to_string(value));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "orbweaver_level_bytes g 2.500000", "orbweaver_read_bytes g 7.000000",
                      "orbweaver_visited_total{kind=\"page\",how=\"fast\"} c 3.000000"}));
}

}  // namespace
}  // namespace orbweaver
