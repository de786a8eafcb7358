#include "db_worker/queue/pending_puts.h"

#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// Of one put; the rest of kMaxPutBytes is ample for head and names.
constexpr size_t kMaxBytesOfChunks = kMaxPutBytes / 2;

}  // namespace

void PendingPuts::Add(const Partition& partition, DomainId domain, Version version,
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
}

absl::Status PendingPuts::Write(Store& store, Duration timeout) {
  if (puts_.empty()) return absl::OkStatus();
  std::vector<CellPut> cells;
  cells.reserve(puts_.size() + cells_.size());  // spans below point into it
  std::vector<RowPut> rows;
  rows.reserve(puts_.size());
  for (const Put& put : puts_) {
    const size_t first = cells.size();
    if (!put.head.empty()) cells.push_back({kHeadColumn, put.head});
    for (size_t i = put.first_cell; i < put.end_cell; ++i) {
      cells.push_back({cells_[i].column, cells_[i].chunk->bytes()});
    }
    rows.push_back({put.row, put.version, {cells.data() + first, cells.size() - first}});
  }
  std::vector<uint32_t> remaining;
  const absl::Status written = store.Write(Table::kQueue, rows, timeout, &remaining);
  if (written.ok()) {
    puts_.clear();
    cells_.clear();
    arena_.Reset();
    return written;
  }
  std::vector<Put> left;
  for (const uint32_t index : remaining) left.push_back(puts_[index]);
  puts_ = std::move(left);
  return Annotate(written, "write the queue");
}

}  // namespace orbweaver
