#include "cli/frontier/frontier.h"

#include <utility>

#include "cli/frontier/outcomes_file.h"

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/store/hbase/hbase_store.h"
#include "common/store/rocksdb/rocksdb_store.h"

namespace orbweaver {
namespace {

// Looking must not take the memory of the crawl that is looked at.
constexpr size_t kBlockCacheBytes = size_t{32} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<Frontier>> Frontier::Open(
    const ProductOptions& options, const std::optional<std::filesystem::path>& folder) {
  std::unique_ptr<Frontier> frontier(new Frontier);
  if (!folder.has_value()) {
    frontier->kafka_ = options.kafka;
    ASSIGN_OR_RETURN(frontier->own_bus_, NewKafkaBus(options.kafka));
    ASSIGN_OR_RETURN(frontier->own_store_, HBaseStore::Create(options.hbase));
  } else {
    frontier->folder_ = *folder;
    ASSIGN_OR_RETURN(
        frontier->database_,
        Database::OpenReadOnly({.folder = *folder, .block_cache_bytes = kBlockCacheBytes}));
    frontier->own_store_ = std::make_unique<RocksdbStore>(*frontier->database_);
    // Retention is the running crawl's affair.
    ASSIGN_OR_RETURN(frontier->own_bus_,
                     EmbeddedBus::Open(*frontier->database_, SystemClock(),
                                       {.retention_interval = std::chrono::hours(24 * 365)}));
  }
  frontier->bus_ = frontier->own_bus_.get();
  frontier->store_ = frontier->own_store_.get();
  return frontier;
}

absl::StatusOr<DomainOutcomes> Frontier::LastOutcomes(std::string_view domain,
                                                      PartitionId partition) const {
  if (!folder_.empty()) return KeptOutcomes(folder_, domain, SystemClock().Wall());
  return ReadDomainOutcomes(*bus_, domain, partition, {}, kLookTimeout);
}

std::vector<std::optional<Outcome>> Frontier::LastFailures(
    std::span<const std::string> domains) const {
  if (folder_.empty()) return std::vector<std::optional<Outcome>>(domains.size());
  return KeptFailures(folder_, domains);
}

absl::StatusOr<int> Frontier::Partitions() const {
  ASSIGN_OR_RETURN(const int partitions, bus_->PartitionCount(kSpiderLogTopic, kLookTimeout));
  if (partitions > 0) return partitions;
  return FatalError("look at topic {}: it does not exist. Run `orbweaver init`", kSpiderLogTopic);
}

absl::StatusOr<std::vector<GroupMember>> Frontier::Members(std::string_view group,
                                                           std::string_view topic) const {
  if (!kafka_.has_value()) return std::vector<GroupMember>();
  return KafkaGroupMembers(*kafka_, group, topic, kLookTimeout);
}

std::string_view Frontier::Hint(const absl::Status& status) const {
  if (!kafka_.has_value() || !IsRetry(status)) return "";
  return ". Are Kafka and HBase up? `./run services up` starts them on this machine; kafka.brokers "
         "and hbase.hosts name others";
}

}  // namespace orbweaver
