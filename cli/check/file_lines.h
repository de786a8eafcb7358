// Lines of a file from its beginning, with their places, however long they are.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace orbweaver {

// Of a longer line only so much is given.
inline constexpr size_t kMaxFileLineBytes = size_t{64} << 10;

// As pread, but never interrupted. -1: errno says why.
inline ssize_t ReadAt(int fd, std::span<char> buffer, uint64_t offset) {
  ssize_t count;
  do {
    count = pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return count;
}

struct FileLine {
  std::string_view text;  // without its line feed
  uint64_t number = 0;    // from 1 on
  uint64_t begin = 0;     // where it stands
  uint64_t end = 0;       // and where the next one does
  bool complete = false;  // it has its line feed
};

// Calls `take` with each. False: reading failed, and errno says why.
template <typename Take>
bool ForEachLine(int fd, const Take& take) {
  std::vector<char> buffer(size_t{1} << 20);
  std::string begun;  // of a line that goes on in the next piece
  FileLine line{.number = 1};
  for (;;) {
    const ssize_t count = ReadAt(fd, buffer, line.end);
    if (count < 0) return false;
    if (count == 0) break;
    std::string_view piece(buffer.data(), static_cast<size_t>(count));
    line.complete = true;
    for (size_t end; (end = piece.find('\n')) != std::string_view::npos; ++line.number) {
      line.text = piece.substr(0, end);
      piece.remove_prefix(end + 1);
      line.end += end + 1;
      if (line.begin + line.text.size() + 1 < line.end) {
        begun += line.text.substr(0, kMaxFileLineBytes);
        line.text = begun;
      }
      line.text = line.text.substr(0, kMaxFileLineBytes);
      take(line);
      begun.clear();
      line.begin = line.end;
    }
    line.end += piece.size();
    if (begun.size() < kMaxFileLineBytes) begun += piece.substr(0, kMaxFileLineBytes);
  }
  if (line.begin == line.end) return true;
  line.text = std::string_view(begun).substr(0, kMaxFileLineBytes);
  line.complete = false;
  take(line);
  return true;
}

}  // namespace orbweaver
