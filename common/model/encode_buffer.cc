#include "common/model/encode_buffer.h"

#include <algorithm>

namespace orbweaver {

void EncodeBuffer::Grow(size_t bytes) {
  const size_t used = size();
  const size_t capacity = std::max({2 * capacity_, used + bytes, size_t{4096}});
  std::unique_ptr<char[]> larger(new char[capacity]);
  if (used != 0) std::memcpy(larger.get() + capacity - used, begin_, used);
  bytes_ = std::move(larger);
  capacity_ = capacity;
  begin_ = bytes_.get() + capacity - used;
}

}  // namespace orbweaver
