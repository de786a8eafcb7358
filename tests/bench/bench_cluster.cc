#include "tests/bench/bench_cluster.h"

#include <cstdlib>
#include <random>
#include <string>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/store/hbase/hbase_store.h"
#include "common/store/hbase/hbase_tables.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(2);

}  // namespace

absl::StatusOr<BenchCluster> MakeBenchCluster(int partitions, std::initializer_list<Table> tables) {
  const char* const brokers = std::getenv("ORBWEAVER_KAFKA");
  const char* const thrift = std::getenv("ORBWEAVER_THRIFT");
  if (brokers == nullptr || thrift == nullptr) {
    return FatalError("needs Kafka and HBase: `./run services up`");
  }
  const std::string prefix = fmt::format("bench_{:08x}_", std::random_device()());
  HBaseOptions hbase;
  hbase.hosts = {thrift};
  hbase.table_prefix = prefix;
  BenchCluster cluster{.prefix = prefix, .topics = {.topic_epoch = 1, .partitions = partitions}};
  for (int p = 0; p < partitions; ++p) cluster.partitions.emplace_back(p);
  ASSIGN_OR_RETURN(cluster.bus, NewKafkaBus({.brokers = brokers, .prefix = prefix}));
  ASSIGN_OR_RETURN(cluster.store, HBaseStore::Create(hbase));
  ASSIGN_OR_RETURN(const auto maker, HBaseTables::Create(hbase));
  RETURN_IF_ERROR(maker->Make(Table::kPartitions, kTimeout));
  for (const Table table : tables) RETURN_IF_ERROR(maker->Make(table, kTimeout));
  RETURN_IF_ERROR(SaveTopicRecord(*cluster.store, cluster.topics, kTimeout));
  ASSIGN_OR_RETURN(const auto topics, ProductTopics({.partitions = partitions}));
  ASSIGN_OR_RETURN(const auto differences, cluster.bus->EnsureTopics(topics, kTimeout));
  return cluster;
}

}  // namespace orbweaver
