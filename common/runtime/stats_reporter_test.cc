#include "common/runtime/stats_reporter.h"

#include <string>

#include <gtest/gtest.h>

#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/stats.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

TEST(StatsReporter, TellsCountersAndGaugesUnderTheWorkersName) {
  MemoryBroker broker;
  MemoryBus bus(&broker, {});
  const TopicSpec spec{.name = std::string(kStatsTopic), .partitions = 1};
  ASSERT_OK(bus.EnsureTopics({&spec, 1}, kLong));
  MetricRegistry metrics;
  metrics.AddCounter("orbweaver_pages_total", "Help", {{"kind", "html"}}).Increment(42);
  metrics.AddGauge("orbweaver_cache_bytes", "Help").Set(1.5);
  metrics.AddGauge("orbweaver_odd_bytes", "Help", {{"long", std::string(200, 'x')}}).Set(1);
  const StatsReporter reporter(bus, metrics,
                               {.worker_id = "one",
                                .role = "spider",
                                .version = "9",
                                .admin_address = "here:1",
                                .interval = kLong});

  auto consumer = *bus.NewConsumer({.group = "console"});
  const AssignedPartition from{.partition = PartitionId(0)};
  ASSERT_OK(consumer->Assign(kStatsTopic, {&from, 1}));
  MessageBatch batch;
  ASSERT_OK(consumer->Poll({}, kLong, &batch));
  ASSERT_EQ(batch.messages().size(), 1u);
  EXPECT_EQ(batch.messages()[0].key, "one");
  Arena arena;
  WorkerStats stats;
  ASSERT_OK(Decode(batch.messages()[0].value, &arena, &stats));
  EXPECT_EQ(stats.role, "spider");
  EXPECT_EQ(stats.admin_address, "here:1");
  ASSERT_EQ(stats.counters.size(), 1u);
  EXPECT_EQ(stats.counters[0].key, "orbweaver_pages_total{kind=\"html\"}");
  EXPECT_EQ(stats.counters[0].value, 42u);
  // A value that no message can hold is left out, and the rest is published.
  ASSERT_EQ(stats.gauges.size(), 1u);
  EXPECT_EQ(stats.gauges[0].value, 1.5);
}

}  // namespace
}  // namespace orbweaver
