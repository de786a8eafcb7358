#include "strategy_worker/core/failed_urls.h"

#include "common/protocol/failed_url_rows.h"

namespace orbweaver {

void FailedUrls::Add(PartitionId partition, std::string_view domain, const Fingerprint& url,
                     What what, std::string_view entry) {
  failed_.push_back({partition, FailedUrlRow(domain, url),
                     what == What::kTriedAgain ? kLastFailureColumn : kFailedUrlColumn,
                     std::string(entry)});
}

void FailedUrls::Flush(PartitionId partition, Version version, std::vector<RowPut>* puts) {
  for (const Failed& failed : failed_) {
    if (failed.partition != partition) continue;
    const CellPut cell{failed.column, failed.entry};
    puts->push_back(buffer_.Put(failed.row, version, {&cell, 1}));
  }
  Drop(partition);
}

void FailedUrls::Drop(PartitionId partition) {
  std::erase_if(failed_,
                [partition](const Failed& failed) { return failed.partition == partition; });
}

}  // namespace orbweaver
