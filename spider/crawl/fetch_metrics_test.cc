#include "spider/crawl/fetch_metrics.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

std::map<std::string, double> Values(const MetricRegistry& registry) {
  std::map<std::string, double> values;
  registry.Visit(
      [&values](MetricKind, const std::string& name, double value) { values[name] = value; });
  return values;
}

TEST(FetchMetrics, CountsOfSeveralLanesAddUpAndNothingIsCountedTwice) {
  MetricRegistry registry;
  FetchMetrics metrics(registry);
  FetchStats one, other;  // what each has reported
  metrics.Report(
      {.connections = 3, .dns_failures = 1, .received_bytes = 100, .open_connections = 2}, &one);
  metrics.Report(
      {.connections = 5, .received_bytes = 10, .open_connections = 4, .waiting_handshakes = 7},
      &other);
  metrics.Report(
      {.connections = 4, .dns_failures = 1, .received_bytes = 150, .open_connections = 1}, &one);
  metrics.Report(
      {.connections = 5, .received_bytes = 10, .open_connections = 4, .waiting_handshakes = 5},
      &other);
  const auto values = Values(registry);
  EXPECT_EQ(values.at("orbweaver_spider_connections_total"), 9);
  EXPECT_EQ(values.at("orbweaver_spider_dns_failures_total"), 1);
  EXPECT_EQ(values.at("orbweaver_spider_received_bytes_total"), 160);
  EXPECT_EQ(values.at("orbweaver_spider_open_connections"), 5);
  EXPECT_EQ(values.at("orbweaver_spider_waiting_handshakes"), 5);
}

}  // namespace
}  // namespace orbweaver
