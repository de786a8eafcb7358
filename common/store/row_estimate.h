// How large the rows of a table are expected to be: who reads many asks for as many at once as are
// expected to fit into the memory for an answer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace orbweaver {

// May be used by several threads at once.
class RowEstimate {
 public:
  // At least one.
  size_t RowsIn(size_t bytes) const { return std::max<size_t>(1, bytes / row_bytes_); }

  size_t row_bytes() const { return row_bytes_; }

  // An answer of `rows` rows took so many bytes. Larger rows are believed at once, smaller ones by
  // and by: rows of a table differ, and grow.
  void Learn(size_t rows, size_t bytes) {
    if (rows == 0) return;
    const size_t seen = bytes / rows + 1, before = row_bytes_;
    row_bytes_ = seen > before ? seen : before - (before - seen) / kShare;
  }
  void ExpectAtLeast(size_t row_bytes) { row_bytes_ = std::max(row_bytes_.load(), row_bytes); }

 private:
  static constexpr size_t kFirstBytes = size_t{32} << 10;  // until something is known
  static constexpr size_t kShare = 4;

  std::atomic<size_t> row_bytes_ = kFirstBytes;
};

}  // namespace orbweaver
