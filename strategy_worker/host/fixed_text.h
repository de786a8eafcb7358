// Text in a buffer of fixed size, put together without allocating: what a handler of fatal signals
// may do.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orbweaver {

// Text that does not fit is cut off; control characters become '?', since URLs and names may come
// from outside. Not thread-safe. Async-signal-safe.
class FixedText {
 public:
  FixedText& Add(std::string_view text) {
    const size_t count = std::min(text.size(), sizeof data_ - size_);
    for (size_t i = 0; i < count; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      data_[size_++] = byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
    return *this;
  }
  FixedText& Add(uint64_t number) {
    char digits[20];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number);
    return Add({digits, static_cast<size_t>(end.ptr - digits)});
  }

  std::string_view view() const { return {data_, size_}; }

 private:
  char data_[2048];
  size_t size_ = 0;
};

}  // namespace orbweaver
