#include "common/parquet/byte_source.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/status.h"

namespace orbweaver::parquet {

absl::StatusOr<std::unique_ptr<ByteSource>> FileSource::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FatalError("open {}: {}", path, std::strerror(errno));
  struct stat found{};
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
    close(fd);
    return FatalError("open {}: no file", path);
  }
  return std::unique_ptr<ByteSource>(
      new FileSource(path, fd, static_cast<uint64_t>(found.st_size)));
}

FileSource::~FileSource() { close(fd_); }

absl::Status FileSource::Read(uint64_t offset, size_t size, std::string* bytes) {
  bytes->resize(size);
  for (size_t have = 0; have < size;) {
    const ssize_t n =
        pread(fd_, bytes->data() + have, size - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FatalError("read {}: {}. Check the disk", path_, std::strerror(errno));
    if (n == 0) return PoisonError("read {}: it has become shorter", path_);
    have += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver::parquet
