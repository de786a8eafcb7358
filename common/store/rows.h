// The result of a MultiGet: rows of cells whose bytes stand in a few large blocks instead of a
// string each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/ids.h"

namespace orbweaver {

struct Cell {
  std::string_view column;
  std::string_view value;
  Version version;
};

// Not thread-safe. Spans and views are valid until Clear or destruction. An instance that is used
// again keeps its memory.
class Rows {
 public:
  size_t size() const { return row_ends_.size(); }

  // The row's cells, ascending by column; empty when the row does not exist.
  std::span<const Cell> operator[](size_t index) const;

  // The value of `column` in row `index`, or nullptr.
  const Cell* Find(size_t index, std::string_view column) const;

  void Clear();

  // For implementations: rows are appended one after the other; cells in any order, EndRow sorts
  // them when needed.
  void AddCell(std::string_view column, std::string_view value, Version version);  // copies
  // A view the caller vouches for: it lives as long as what was given to Keep.
  void AddCellView(std::string_view column, std::string_view value, Version version);
  void EndRow();
  // Keeps `owner` alive until Clear.
  void Keep(std::shared_ptr<const void> owner);

 private:
  std::string_view Copy(std::string_view bytes);

  struct Block {
    std::unique_ptr<char[]> bytes;
    size_t capacity = 0;
  };
  std::vector<Cell> cells_;
  std::vector<size_t> row_ends_;  // index into cells_ past the row's last
  std::vector<Block> blocks_;
  size_t block_ = 0;  // the one being filled
  size_t used_ = 0;   // bytes of it
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace orbweaver
