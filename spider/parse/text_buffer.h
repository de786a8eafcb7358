// Text with its white space collapsed, up to a bound.
#pragma once

#include <string>
#include <string_view>

#include "common/base/utf8.h"
#include "spider/parse/ascii.h"

namespace orbweaver {

// Not thread-safe; keeps its memory.
class TextBuffer {
 public:
  explicit TextBuffer(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Runs of white space become one space, none at the beginning and the end. NUL bytes, which
  // engines treat each in its own way, are left out.
  void Append(std::string_view text) {
    for (const char c : text) {
      if (IsSpace(c)) {
        pending_space_ = !text_.empty();
      } else if (c != '\0') {
        // More than the bound, so that clamping sees where the last character ends.
        if (text_.size() > max_bytes_) return;
        if (pending_space_) text_.push_back(' ');
        pending_space_ = false;
        text_.push_back(c);
      }
    }
  }
  // What comes next is a word of its own.
  void Break() { pending_space_ = !text_.empty(); }

  void Clear() {
    text_.clear();
    pending_space_ = false;
  }

  // At most `max_bytes`, no character cut. Valid until the next call that is not const.
  std::string_view view() const { return TrimSpace(ClampUtf8(text_, max_bytes_)); }

 private:
  const size_t max_bytes_;
  std::string text_;
  bool pending_space_ = false;
};

// How many bytes collapsed text has.
class TextCounter {
 public:
  void Append(std::string_view text) {
    for (const char c : text) {
      if (IsSpace(c)) {
        pending_space_ = bytes_ != 0;
      } else if (c != '\0') {
        bytes_ += pending_space_ ? 2 : 1;
        pending_space_ = false;
      }
    }
  }
  void Break() { pending_space_ = bytes_ != 0; }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
  bool pending_space_ = false;
};

}  // namespace orbweaver
