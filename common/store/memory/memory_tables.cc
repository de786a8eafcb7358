#include "common/store/memory/memory_tables.h"

#include <algorithm>

namespace orbweaver {
namespace {

constexpr size_t kMaxReadBytes = size_t{4} << 20;

}  // namespace

void MemoryTables::Put(Table table, const RowPut& put) {
  absl::MutexLock lock(&mutex_);
  StoredRow& row = tables_[static_cast<size_t>(table)][std::string(put.row)];
  if (row.row_erased && put.version <= *row.row_erased) return;
  for (const CellPut& cell : put.cells) {
    const auto tombstone = row.erased.find(cell.column);
    if (tombstone != row.erased.end() && put.version <= tombstone->second) continue;
    const auto [found, is_new] = row.cells.try_emplace(std::string(cell.column));
    if (!is_new && put.version < found->second.version) continue;
    found->second = {put.version, std::string(cell.value)};
  }
}

void MemoryTables::Erase(Table table, const RowErase& erase) {
  absl::MutexLock lock(&mutex_);
  StoredRow& row = tables_[static_cast<size_t>(table)][std::string(erase.row)];
  if (erase.columns.empty()) {
    row.row_erased = std::max(row.row_erased.value_or(erase.version), erase.version);
    std::erase_if(row.cells, [&](const auto& c) { return c.second.version <= erase.version; });
    return;
  }
  for (const std::string_view column : erase.columns) {
    Version& tombstone = row.erased.try_emplace(std::string(column), erase.version).first->second;
    tombstone = std::max(tombstone, erase.version);
    const auto found = row.cells.find(column);
    if (found != row.cells.end() && found->second.version <= erase.version) row.cells.erase(found);
  }
}

size_t MemoryTables::AddCells(const StoredRow& row, std::span<const std::string_view> columns,
                              Rows* rows) const {
  size_t bytes = 0;
  auto add = [&](const auto& cell) {
    rows->AddCell(cell.first, cell.second.value, cell.second.version);
    bytes += cell.first.size() + cell.second.value.size();
  };
  if (columns.empty()) {
    for (const auto& cell : row.cells) add(cell);
    cells_read_ += row.cells.size();
    return bytes;
  }
  for (const std::string_view column : columns) {
    const auto found = row.cells.find(column);
    if (found != row.cells.end()) add(*found);
  }
  cells_read_ += columns.size();
  return bytes;
}

void MemoryTables::Get(Table table, const RowGet& get, Rows* rows) const {
  absl::ReaderMutexLock lock(&mutex_);
  const auto found = Of(table).find(get.row);
  if (found != Of(table).end()) AddCells(found->second, get.columns, rows);
  rows->EndRow();
}

void MemoryTables::Read(Table table, const ScanRange& range, size_t max_rows, Rows* rows,
                        std::vector<std::string>* names, std::optional<std::string>* next) const {
  absl::ReaderMutexLock lock(&mutex_);
  next->reset();
  std::vector<std::string_view> columns(range.columns.begin(), range.columns.end());
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  size_t bytes = 0;
  for (auto row = Of(table).lower_bound(range.begin); row != Of(table).end(); ++row) {
    if (!range.end.empty() && row->first >= range.end) return;
    if (names->size() == max_rows || bytes > kMaxReadBytes) {
      *next = row->first;
      return;
    }
    const size_t added = AddCells(row->second, columns, rows);
    if (added == 0) continue;  // columns have names: a cell is never of no bytes
    bytes += row->first.size() + added;
    rows->EndRow();
    names->push_back(row->first);
  }
}

void MemoryTables::Compact() {
  absl::MutexLock lock(&mutex_);
  for (Rowset& rows : tables_) {
    for (auto row = rows.begin(); row != rows.end();) {
      row->second.erased.clear();
      row->second.row_erased.reset();
      row = row->second.cells.empty() ? rows.erase(row) : std::next(row);
    }
  }
}

}  // namespace orbweaver
