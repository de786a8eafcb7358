// Text with its white space collapsed, up to a bound.
#pragma once

#include <algorithm>
#include <cstdint>
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

// How many bytes collapsed text has: what TextBuffer would hold without a bound. Not thread-safe.
class TextCounter {
 public:
  void Append(std::string_view text) {
    if (text.find('\0') == std::string_view::npos) {
      AppendPlain(text);
    } else {
      for (const char& c : text) {
        if (c != '\0') AppendPlain({&c, 1});
      }
    }
  }
  void Break() { pending_space_ = bytes_ != 0; }
  uint64_t bytes() const { return bytes_; }

 private:
  // So that a sum of them fits into a byte.
  static constexpr size_t kBlock = 120;

  // Most of a page passes through here: without branches, so that compilers take many bytes at
  // once.
  void AppendPlain(std::string_view text) {
    while (bytes_ == 0 && !text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    if (text.empty()) return;
    if (!IsSpace(text.front())) bytes_ += pending_space_ ? 2 : 1;
    for (size_t begin = 1; begin < text.size(); begin += kBlock) {
      const size_t end = std::min(begin + kBlock, text.size());
      uint8_t count = 0;
      for (size_t i = begin; i < end; ++i) {
        const bool is_word = !IsSpace(text[i]);
        const bool begins = is_word & IsSpace(text[i - 1]);
        count = static_cast<uint8_t>(count + is_word + begins);
      }
      bytes_ += count;
    }
    pending_space_ = IsSpace(text.back());
  }

  uint64_t bytes_ = 0;
  bool pending_space_ = false;
};

}  // namespace orbweaver
