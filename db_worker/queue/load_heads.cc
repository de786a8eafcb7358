#include "db_worker/queue/load_heads.h"

#include <vector>

#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {

absl::Status LoadHeads(const WorkerParts& parts, Partition& partition,
                       std::span<const std::string> domains) {
  std::vector<std::string> rows_wanted;
  std::vector<RowGet> gets;
  rows_wanted.reserve(domains.size());  // the gets point into it
  for (const std::string& domain : domains) {
    rows_wanted.push_back(DomainRow(domain));
    gets.push_back({.row = rows_wanted.back(), .columns = {&kHeadColumn, 1}});
  }
  Rows rows;
  RETURN_IF_ERROR(Annotate(parts.store.MultiGet(Table::kQueue, gets, parts.timeout(), &rows),
                           "read the heads of the queue"));
  Head head;
  for (size_t i = 0; i < domains.size(); ++i) {
    const Cell* const cell = rows.Find(i, kHeadColumn);
    if (cell == nullptr) continue;
    RETURN_IF_ERROR(CheckHeadVersion(parts, partition, domains[i], cell->version));
    const absl::Status decoded = DecodeHead(cell->value, &head);
    if (!decoded.ok()) {
      return FatalError("read the queue of {}: {}. Restore the row", domains[i],
                        MessageOf(decoded));
    }
    partition.index.Put(partition.index.FindOrAdd(domains[i]), head, false, parts.time.Now());
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
