#include "cli/crawl/sharing_memory.h"

#include <algorithm>

namespace orbweaver {
namespace {

constexpr size_t kSharedBytes = size_t{192} << 20;
// With more they are not faster; with less each flush would write a small file, and compactions
// would have more to merge.
constexpr size_t kMostBytes = size_t{160} << 20;
constexpr size_t kLeastBytes = size_t{32} << 20;

}  // namespace

size_t WriteBuffersBeside(size_t state_bytes) {
  // They are two thirds full on average, so half as much again must go as the states take.
  const size_t taken = std::min(kSharedBytes, state_bytes + state_bytes / 2);
  return std::clamp(kSharedBytes - taken, kLeastBytes, kMostBytes);
}

absl::Status SharingMemory::Step() {
  const absl::Status status = worker_->Step();
  database_.BoundWriteBuffers(WriteBuffersBeside(static_cast<size_t>(state_bytes_.value())));
  return status;
}

}  // namespace orbweaver
