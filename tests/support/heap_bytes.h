#pragma once

#include <cstddef>
#include <malloc.h>

namespace orbweaver {

// The bytes that this process has allocated and not freed, in all its threads: the rest when work
// is done, which resident memory does not tell. 0 under sanitizers, whose allocator is another.
inline size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace orbweaver
