#include "common/store/rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace orbweaver {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;

bool ByColumn(const Cell& a, const Cell& b) { return a.column < b.column; }

}  // namespace

std::span<const Cell> Rows::operator[](size_t index) const {
  const size_t begin = index == 0 ? 0 : row_ends_[index - 1];
  return std::span(cells_).subspan(begin, row_ends_[index] - begin);
}

const Cell* Rows::Find(size_t index, std::string_view column) const {
  const auto cells = (*this)[index];
  const auto found = std::lower_bound(cells.begin(), cells.end(), Cell{column, {}, {}}, ByColumn);
  return found != cells.end() && found->column == column ? &*found : nullptr;
}

void Rows::Clear() {
  cells_.clear();
  row_ends_.clear();
  kept_.clear();
  // One huge answer must not hold its memory for ever.
  if (blocks_.size() > 16) blocks_.resize(16);
  block_ = 0;
  used_ = 0;
}

void Rows::AddCell(std::string_view column, std::string_view value, Version version) {
  cells_.push_back({Copy(column), Copy(value), version});
}

void Rows::AddCellView(std::string_view column, std::string_view value, Version version) {
  cells_.push_back({column, value, version});
}

void Rows::EndRow() {
  const auto begin =
      cells_.begin() + static_cast<ptrdiff_t>(row_ends_.empty() ? 0 : row_ends_.back());
  if (!std::is_sorted(begin, cells_.end(), ByColumn)) std::sort(begin, cells_.end(), ByColumn);
  row_ends_.push_back(cells_.size());
}

void Rows::Keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }

std::string_view Rows::Copy(std::string_view bytes) {
  if (bytes.empty()) return {};
  while (block_ < blocks_.size() && blocks_[block_].capacity - used_ < bytes.size()) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const size_t capacity = std::max(kBlockBytes, bytes.size());
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(capacity), capacity});
  }
  char* const start = blocks_[block_].bytes.get() + used_;
  std::memcpy(start, bytes.data(), bytes.size());
  used_ += bytes.size();
  return {start, bytes.size()};
}

}  // namespace orbweaver
