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
  const std::string row = DomainRow(partition.index.DomainOf(domain));
  size_t first = 0, bytes = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    bytes += cells[i].chunk->bytes().size();
    if (bytes <= kMaxBytesOfChunks) continue;
    puts_.push_back({.row = row, .version = version, .cells = {&cells[first], &cells[i]}});
    first = i;
    bytes = cells[i].chunk->bytes().size();
  }
  puts_.push_back({.row = row,
                   .head = std::string(partition.index.PackedHead(domain)),
                   .version = version,
                   .cells = {cells.begin() + static_cast<ptrdiff_t>(first), cells.end()}});
}

absl::Status PendingPuts::Write(Store& store, Duration timeout) {
  if (puts_.empty()) return absl::OkStatus();
  std::vector<CellPut> cells;
  size_t cell_count = 0;
  for (const Put& put : puts_) cell_count += 1 + put.cells.size();
  cells.reserve(cell_count);  // spans below point into it
  std::vector<RowPut> rows;
  rows.reserve(puts_.size());
  for (const Put& put : puts_) {
    const size_t first = cells.size();
    if (!put.head.empty()) cells.push_back({kHeadColumn, put.head});
    for (const DomainEdit::NewCell& cell : put.cells) {
      cells.push_back({cell.column, cell.chunk->bytes()});
    }
    rows.push_back({put.row, put.version, {cells.data() + first, cells.size() - first}});
  }
  std::vector<uint32_t> remaining;
  const absl::Status written = store.Write(Table::kQueue, rows, timeout, &remaining);
  if (written.ok()) {
    puts_.clear();
    return written;
  }
  std::vector<Put> left;
  for (const uint32_t index : remaining) left.push_back(std::move(puts_[index]));
  puts_ = std::move(left);
  return Annotate(written, "write the queue");
}

}  // namespace orbweaver
