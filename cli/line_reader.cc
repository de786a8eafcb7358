#include "cli/line_reader.h"

#include <cerrno>
#include <unistd.h>

namespace orbweaver {
namespace {
constexpr size_t kReadBytes = 1 << 16;
}

bool LineReader::Fill() {
  if (ended_) return false;
  buffer_.erase(0, start_);
  start_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  ssize_t count;
  do {
    count = read(fd_, buffer_.data() + size, kReadBytes);
  } while (count < 0 && errno == EINTR);
  if (count < 0) error_ = errno;
  ended_ = count <= 0;
  buffer_.resize(size + static_cast<size_t>(count > 0 ? count : 0));
  return !ended_;
}

bool LineReader::Next(std::string_view* line) {
  size_t searched = start_;
  size_t end;
  while ((end = buffer_.find('\n', searched)) == std::string::npos) {
    // Of a line that is too long already only its end is still wanted.
    if (buffer_.size() - start_ > kMaxLineBytes) buffer_.resize(start_ + kMaxLineBytes);
    const size_t pending = buffer_.size() - start_;
    if (!Fill()) break;
    searched = pending;
  }
  if (end == std::string::npos) {
    if (error_ != 0 || start_ == buffer_.size()) return false;
    *line = std::string_view(buffer_).substr(start_);
    start_ = buffer_.size();
  } else {
    *line = std::string_view(buffer_).substr(start_, end - start_);
    if (line->ends_with('\r')) line->remove_suffix(1);
    start_ = end + 1;
  }
  *line = line->substr(0, kMaxLineBytes);
  return true;
}

}  // namespace orbweaver
