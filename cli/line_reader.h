// Lines of a file, pipe or terminal, whatever is in them.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// Not thread-safe. A line ends with a line feed, or a carriage return and a line feed, neither part
// of it; the last one may lack them. Memory stays bounded: of a longer line than kMaxLineBytes the
// first so many bytes are given, and the rest is skipped.
class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = 1 << 20;

  // `fd` stays the caller's.
  explicit LineReader(int fd) : fd_(fd) {}

  // False at the end, or when reading failed (see error()). Blocks only when HasLine() is false.
  // `line` is valid until the next call.
  bool Next(std::string_view* line);

  // Whether a whole line is there already: if not, now is the time to flush one's output.
  bool HasLine() const { return buffer_.find('\n', start_) != std::string::npos; }

  // errno of the read that failed, or 0.
  int error() const { return error_; }

 private:
  // Reads once more; false at the end or on an error.
  bool Fill();

  const int fd_;
  std::string buffer_;
  size_t start_ = 0;  // of what was not given yet
  bool ended_ = false;
  int error_ = 0;
};

}  // namespace orbweaver
