#include "cli/read_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "common/base/status.h"

namespace orbweaver {

absl::StatusOr<std::string> ReadFileOrStdin(const std::string& path, size_t max_bytes) {
  const auto close = [](std::FILE* file) {
    if (file != stdin) (void)std::fclose(file);
  };
  const std::unique_ptr<std::FILE, decltype(close)> file(
      path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
  if (file == nullptr) return FatalError("read '{}': {}.", path, std::strerror(errno));
  std::string bytes;
  char piece[1 << 16];
  size_t count;
  while ((count = std::fread(piece, 1, sizeof piece, file.get())) > 0) {
    bytes.append(piece, count);
    if (bytes.size() > max_bytes) {
      return FatalError("read '{}': more than {} bytes.", path, max_bytes);
    }
  }
  if (std::ferror(file.get()) != 0) return FatalError("read '{}': {}.", path, std::strerror(errno));
  return bytes;
}

}  // namespace orbweaver
