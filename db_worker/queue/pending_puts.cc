#include "db_worker/queue/pending_puts.h"

#include <algorithm>

#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// Of one put; the rest of kMaxPutBytes is ample for head and names.
constexpr size_t kMaxBytesOfChunks = kMaxPutBytes / 2;
// HBase writes as many in some tenths of a second.
constexpr size_t kPutsPerCall = 5000;

}  // namespace

void PendingPuts::Add(Partition& partition, DomainId domain, Version version,
                      std::span<const DomainEdit::NewCell> cells) {
  Put put{.row = arena_.Copy(DomainRow(partition.index.DomainOf(domain))),
          .version = version,
          .first_cell = cells_.size()};
  size_t bytes = 0;
  for (const DomainEdit::NewCell& cell : cells) {
    bytes += cell.chunk->bytes().size();
    if (bytes > kMaxBytesOfChunks) {
      put.end_cell = cells_.size();
      puts_.push_back(put);
      put.first_cell = cells_.size();
      bytes = cell.chunk->bytes().size();
    }
    cells_.push_back(cell);
  }
  put.end_cell = cells_.size();
  put.head = arena_.Copy(partition.index.PackedHead(domain));
  puts_.push_back(put);
  // Nothing else happens before the put is in the store, or this worker ends.
  partition.index.MarkClaimed(domain);
}

absl::Status PendingPuts::Write(const WorkerParts& parts) {
  while (!puts_.empty()) {
    RETURN_IF_ERROR(WriteFirst(std::min(puts_.size(), kPutsPerCall), parts.store, parts.timeout()));
    if (parts.IsDue()) return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status PendingPuts::WriteFirst(size_t count, Store& store, Duration timeout) {
  const std::span<const Put> portion(puts_.data(), count);
  size_t cell_count = portion.size();
  for (const Put& put : portion) cell_count += put.end_cell - put.first_cell;
  std::vector<CellPut> cells;
  cells.reserve(cell_count);  // spans below point into it
  std::vector<RowPut> rows;
  rows.reserve(portion.size());
  for (const Put& put : portion) {
    const size_t first = cells.size();
    if (!put.head.empty()) cells.push_back({kHeadColumn, put.head});
    for (size_t i = put.first_cell; i < put.end_cell; ++i) {
      cells.push_back({cells_[i].column, cells_[i].chunk->bytes()});
    }
    rows.push_back({put.row, put.version, {cells.data() + first, cells.size() - first}});
  }
  std::vector<uint32_t> remaining;
  const absl::Status written = store.Write(Table::kQueue, rows, timeout, &remaining);
  std::vector<Put> left;
  for (const uint32_t index : remaining) left.push_back(puts_[index]);
  left.insert(left.end(), puts_.begin() + static_cast<ptrdiff_t>(count), puts_.end());
  puts_ = std::move(left);
  if (puts_.empty()) {
    cells_.clear();
    arena_.Reset();
  }
  return Annotate(written, "write the queue");
}

}  // namespace orbweaver
