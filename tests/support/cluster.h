// Topics and tables of a test's own on the real services, and the product's programs on them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "tests/support/worker_process.h"

namespace orbweaver {

// Made by `orbweaver init` under a prefix that never comes again. Topics and tables are left
// behind;
// `./run services wipe` is the way to get rid of those of many runs. Not thread-safe.
class TestCluster {
 public:
  // `orbweaver` is the path of the command.
  TestCluster(const std::string& orbweaver, int partitions);

  int partitions() const { return partitions_; }
  Bus& bus() { return *bus_; }
  // Before the name of each topic and table.
  const std::string& prefix() const { return prefix_; }

  // `program` and the --set arguments that lead it to this cluster.
  std::vector<std::string> Command(const std::string& program) const;

  // Waits until `group` has read `topic` up to at least `share` of what it holds now, all its
  // partitions taken together. False, and a failure of the test, after `timeout`, or when one of
  // `workers`, which do the reading, has ended by itself.
  bool AwaitRead(std::string_view group, std::string_view topic, double share, Duration timeout,
                 std::initializer_list<WorkerProcess*> workers);

 private:
  const int partitions_;
  const std::string brokers_;
  const std::string thrift_;
  const std::string prefix_;
  std::unique_ptr<Bus> bus_;
  std::unique_ptr<OffsetReader> offsets_;
};

}  // namespace orbweaver
