// How the rows of one call are split into Thrift calls.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/store/store.h"

namespace orbweaver {

// Indices begin … end-1 of the call's rows.
struct RowChunk {
  size_t begin = 0;
  size_t end = 0;

  friend bool operator==(const RowChunk&, const RowChunk&) = default;
};

struct ChunkLimits {
  size_t max_rows;
  size_t max_bytes;  // one row may be larger
};

// `rows` into equal parts of at most `max_rows`.
std::vector<RowChunk> SplitEvenly(size_t rows, size_t max_rows);

// Chunks that may be written at the same time.
using Wave = std::vector<RowChunk>;

// A row that comes again begins a new wave, to be sent when the one before is durable: so puts of
// one row keep their order, whatever is split, sent in parallel or sent again.
std::vector<Wave> SplitPuts(std::span<const RowPut> puts, const ChunkLimits& limits);

}  // namespace orbweaver
