#include "strategy_worker/core/kept_entries.h"

#include "common/protocol/failed_url_rows.h"
#include "common/protocol/robots_rows.h"

namespace orbweaver {

static_assert(kFailedUrlTable == kRobotsTable);  // Flight writes one list

void KeptEntries::AddFailure(PartitionId partition, std::string_view domain, const Fingerprint& url,
                             What what, std::string_view entry) {
  kept_.push_back({partition, FailedUrlRow(domain, url),
                   what == What::kTriedAgain ? kLastFailureColumn : kFailedUrlColumn,
                   std::string(entry)});
}

void KeptEntries::AddRobots(PartitionId partition, std::string_view domain, std::string_view host,
                            std::string_view entry) {
  kept_.push_back({partition, RobotsRow(domain, host), kRobotsColumn, std::string(entry)});
}

void KeptEntries::Flush(PartitionId partition, Version version, std::vector<RowPut>* puts) {
  for (const Kept& kept : kept_) {
    if (kept.partition != partition) continue;
    const CellPut cell{kept.column, kept.entry};
    puts->push_back(buffer_.Put(kept.row, version, {&cell, 1}));
  }
  Drop(partition);
}

void KeptEntries::Drop(PartitionId partition) {
  std::erase_if(kept_, [partition](const Kept& kept) { return kept.partition == partition; });
}

}  // namespace orbweaver
