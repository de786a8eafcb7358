#include "tests/support/cluster.h"

#include <cstdlib>
#include <random>
#include <thread>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "tests/support/expect_ok.h"
#include "tests/support/real_services.h"

namespace orbweaver {
namespace {

constexpr Duration kCallTimeout = std::chrono::seconds(30);
constexpr auto kLookAgain = std::chrono::milliseconds(20);

}  // namespace

TestCluster::TestCluster(const std::string& orbweaver, int partitions)
    : partitions_(partitions),
      brokers_(ServiceAddress("ORBWEAVER_KAFKA")),
      thrift_(ServiceAddress("ORBWEAVER_THRIFT")),
      prefix_(fmt::format("test_{:08x}_", std::random_device()())) {
  std::string command;
  for (const std::string& word : Command(orbweaver)) command += word + " ";
  // The first word after the program is the command's name.
  command.insert(orbweaver.size(), " init");
  command +=
      fmt::format("--set=topics.partitions={} --set=hbase.regions=1 > /dev/null", partitions);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  auto bus = NewKafkaBus({.brokers = brokers_, .prefix = prefix_});
  EXPECT_OK(bus);
  bus_ = *std::move(bus);
  auto offsets = bus_->NewOffsetReader();
  EXPECT_OK(offsets);
  offsets_ = *std::move(offsets);
}

std::vector<std::string> TestCluster::Command(const std::string& program) const {
  return {program, "--set=kafka.brokers=" + brokers_, "--set=kafka.prefix=" + prefix_,
          "--set=hbase.hosts=" + thrift_, "--set=hbase.table_prefix=" + prefix_};
}

bool TestCluster::AwaitRead(std::string_view group, std::string_view topic, double share,
                            Duration timeout, std::initializer_list<WorkerProcess*> workers) {
  std::vector<PartitionId> partitions;
  for (int p = 0; p < partitions_; ++p) partitions.emplace_back(p);
  const SteadyTime deadline = SystemClock().Now() + timeout;
  int64_t read = 0, written = 0;
  while (SystemClock().Now() < deadline) {
    const auto bounds = offsets_->Bounds(topic, partitions, kCallTimeout);
    const auto committed = offsets_->Committed(group, topic, partitions, kCallTimeout);
    if (bounds.ok() && committed.ok()) {
      read = written = 0;
      for (size_t i = 0; i < partitions.size(); ++i) {
        written += (*bounds)[i].end - (*bounds)[i].start;
        if ((*committed)[i].has_value()) read += (*committed)[i]->offset - (*bounds)[i].start;
      }
      if (static_cast<double>(read) >= share * static_cast<double>(written)) return true;
    }
    for (WorkerProcess* const worker : workers) {
      if (!worker->Running()) return false;
    }
    // Nothing signals another group's commit: look again until it is there.
    std::this_thread::sleep_for(kLookAgain);
  }
  ADD_FAILURE() << group << " has read " << read << " of " << written << " messages of " << topic;
  for (const WorkerProcess* const worker : workers) worker->ShowLog();
  return false;
}

}  // namespace orbweaver
