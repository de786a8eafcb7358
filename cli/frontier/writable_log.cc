#include "cli/frontier/writable_log.h"

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/store/hbase/hbase_store.h"
#include "common/store/rocksdb/rocksdb_store.h"

namespace orbweaver {
namespace {

constexpr size_t kCacheBytes = size_t{32} << 20;

}  // namespace

absl::StatusOr<WritableLog> OpenWritableLog(const ProductOptions& options,
                                            const std::optional<std::filesystem::path>& folder,
                                            const Clock& clock) {
  WritableLog log;
  if (!folder.has_value()) {
    ASSIGN_OR_RETURN(log.bus, NewKafkaBus(options.kafka));
    ASSIGN_OR_RETURN(log.store, HBaseStore::Create(options.hbase));
    return log;
  }
  ASSIGN_OR_RETURN(log.database,
                   Database::Open({.folder = *folder, .block_cache_bytes = kCacheBytes}));
  log.store = std::make_unique<RocksdbStore>(*log.database);
  ASSIGN_OR_RETURN(log.bus, EmbeddedBus::Open(*log.database, clock));
  return log;
}

}  // namespace orbweaver
