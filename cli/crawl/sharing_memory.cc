#include "cli/crawl/sharing_memory.h"

#include <algorithm>

namespace orbweaver {
namespace {

constexpr size_t kSharedBytes = size_t{160} << 20;
// With less each flush would write a small file, and compactions would have more to merge.
constexpr size_t kLeastBytes = size_t{32} << 20;

}  // namespace

size_t WriteBuffersBeside(size_t state_bytes) {
  return std::max(kLeastBytes, kSharedBytes - std::min(kSharedBytes, state_bytes));
}

absl::Status SharingMemory::Step() {
  const absl::Status status = worker_->Step();
  database_.BoundWriteBuffers(WriteBuffersBeside(static_cast<size_t>(state_bytes_.value())));
  return status;
}

}  // namespace orbweaver
