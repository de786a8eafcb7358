// The bytes that are allocated, for benchmarks of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/check.h"

// jemalloc's; absent in builds with a sanitizer, which have an allocator of their own.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));

namespace orbweaver {

// Of this process, now; 0 without jemalloc.
inline size_t HeapBytes() {
  uint64_t epoch = 1;  // brings the statistics up to date
  size_t bytes = 0, size = sizeof bytes;
  if (mallctl == nullptr) return 0;
  CHECK(mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch) == 0);
  CHECK(mallctl("stats.allocated", &bytes, &size, nullptr, 0) == 0);
  return bytes;
}

}  // namespace orbweaver
