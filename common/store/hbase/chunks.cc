#include "common/store/hbase/chunks.h"

#include "absl/container/flat_hash_set.h"

namespace orbweaver {
namespace {

size_t BytesOf(const RowPut& put) {
  size_t bytes = put.row.size();
  for (const CellPut& cell : put.cells) bytes += cell.column.size() + cell.value.size();
  return bytes;
}

}  // namespace

std::vector<RowChunk> SplitEvenly(size_t rows, size_t max_rows) {
  const size_t count = (rows + max_rows - 1) / max_rows;
  std::vector<RowChunk> chunks;
  chunks.reserve(count);
  for (size_t i = 0; i < count; ++i) chunks.push_back({rows * i / count, rows * (i + 1) / count});
  return chunks;
}

std::vector<Wave> SplitPuts(std::span<const RowPut> puts, const ChunkLimits& limits) {
  std::vector<Wave> waves;
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(puts.size());
  size_t bytes = 0;
  for (size_t i = 0; i < puts.size(); ++i) {
    const size_t added = BytesOf(puts[i]);
    const bool new_row = seen.insert(puts[i].row).second;
    if (waves.empty() || !new_row) {
      waves.push_back({{i, i}});
      bytes = 0;
      if (!new_row) seen = {puts[i].row};
    } else if (const RowChunk& last = waves.back().back();
               last.end - last.begin == limits.max_rows || bytes + added > limits.max_bytes) {
      waves.back().push_back({i, i});
      bytes = 0;
    }
    ++waves.back().back().end;
    bytes += added;
  }
  return waves;
}

}  // namespace orbweaver
