// Real Kafka and HBase, for benchmarks of workers.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "common/bus/bus.h"
#include "common/protocol/topic_record.h"
#include "common/store/store.h"

namespace orbweaver {

// Topics and tables of one run.
struct BenchCluster {
  std::string prefix;  // of their names
  TopicRecord topics;
  std::vector<PartitionId> partitions;  // all of them
  std::unique_ptr<Bus> bus;
  std::unique_ptr<Store> store;
};

// All topics of the product, and `tables` beside that of the partitions, under names of their own.
// Fatal when ORBWEAVER_KAFKA and ORBWEAVER_THRIFT lead to no cluster.
absl::StatusOr<BenchCluster> MakeBenchCluster(int partitions, std::initializer_list<Table> tables);

}  // namespace orbweaver
