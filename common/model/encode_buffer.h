// Where an encoder writes: from the back to the front, so that a nested message's length is known
// when it is its turn to be written, and one pass suffices.
//
// Place: one for each thread that encodes, used again for every message. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace orbweaver {

class EncodeBuffer {
 public:
  // Forgets what was written, keeps the memory.
  void Clear() { begin_ = bytes_.get() + capacity_; }

  // Valid until the next change.
  std::string_view written() const { return {begin_, size()}; }
  size_t size() const { return static_cast<size_t>(bytes_.get() + capacity_ - begin_); }

  // Room for `bytes` more in front of what is written.
  char* Prepend(size_t bytes) {
    if (static_cast<size_t>(begin_ - bytes_.get()) < bytes) Grow(bytes);
    begin_ -= bytes;
    return begin_;
  }

 private:
  void Grow(size_t bytes);

  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
  char* begin_ = nullptr;  // of what is written; it ends at the buffer's end
};

}  // namespace orbweaver
