// Text with its white space collapsed, up to a bound.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/byte_mask.h"
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
    while (!text.empty()) {
      const size_t words = WordsAt(text);
      if (words > 0) {
        if (text_.size() > max_bytes_) return;
        if (pending_space_) text_.push_back(' ');
        pending_space_ = false;
        // One byte more than the bound, so that clamping sees where the last character ends.
        text_.append(text.substr(0, std::min(words, max_bytes_ + 1 - text_.size())));
      } else if (text[0] != '\0') {
        pending_space_ = !text_.empty();
      }
      text.remove_prefix(std::max<size_t>(words, 1));
    }
  }
  // The next text is a word of its own.
  void Break() { pending_space_ = !text_.empty(); }

  void Clear() {
    text_.clear();
    pending_space_ = false;
  }

  // At most `max_bytes`, no character cut. Valid until the next call that is not const.
  std::string_view view() const { return TrimSpace(ClampUtf8(text_, max_bytes_)); }

 private:
  static bool IsOfWord(char c) { return !IsSpace(c) && c != '\0'; }
  // How many bytes `text` begins with that need no change: words with one space between them.
  static size_t WordsAt(std::string_view text) {
    size_t end = 0;
    while (end < text.size() && IsOfWord(text[end])) {
      ++end;
      if (end + 1 < text.size() && text[end] == ' ' && IsOfWord(text[end + 1])) ++end;
    }
    return end;
  }

  const size_t max_bytes_;
  std::string text_;
  bool pending_space_ = false;
};

// How many bytes collapsed text has: what TextBuffer would hold without a bound. Not thread-safe.
class TextCounter {
 public:
  // Most of a page passes through here.
  void Append(std::string_view text) {
    while (bytes_ == 0 && !text.empty() && (IsSpace(text.front()) || text.front() == '\0')) {
      text.remove_prefix(1);
    }
    for (; text.size() >= kMaskBytes; text.remove_prefix(kMaskBytes)) {
      Count(MaskOf<' ', '\n', '\t', '\r', '\f'>(text.data()), MaskOf<'\0'>(text.data()),
            kMaskBytes);
    }
    if (text.empty()) return;
    Count(MaskOf<' ', '\n', '\t', '\r', '\f'>(text.data(), text.size()),
          MaskOf<'\0'>(text.data(), text.size()), text.size());
  }
  void Break() { pending_space_ = bytes_ != 0; }
  uint64_t bytes() const { return bytes_; }

 private:
  // The next `size` bytes, at least one; `spaces` and `nuls` have a bit for each.
  void Count(uint64_t spaces, uint64_t nuls, size_t size) {
    if (nuls != 0) {  // byte by byte, as if these were not there
      for (size_t i = 0; i < size; ++i) {
        const uint64_t space = spaces >> i & 1;
        if ((nuls >> i & 1) == 0 && (space == 0 || bytes_ != 0)) Count(space, 0, 1);
      }
      return;
    }
    const uint64_t words = ~spaces & (~uint64_t{0} >> (kMaskBytes - size));
    const uint64_t after_space = spaces << 1 | static_cast<uint64_t>(pending_space_);
    bytes_ += static_cast<uint64_t>(std::popcount(words) + std::popcount(words & after_space));
    pending_space_ = (spaces >> (size - 1) & 1) != 0;
  }

  uint64_t bytes_ = 0;
  bool pending_space_ = false;
};

}  // namespace orbweaver
