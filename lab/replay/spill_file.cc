#include "lab/replay/spill_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "common/base/status.h"

namespace orbweaver::lab {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

int OpenWithoutName(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  // A file system that has no such files.
  std::string name = (folder / "orbweaver-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SpillFile>> SpillFile::Create(std::filesystem::path folder) {
  if (folder.empty()) {
    const char* const configured = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
    folder = configured != nullptr && *configured != '\0' ? configured : "/tmp";
  }
  const int fd = OpenWithoutName(folder);
  if (fd < 0) {
    return FatalError("make a temporary file in {}: {}. TMPDIR, or --work, names another folder",
                      folder.string(), std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
  }
  return std::unique_ptr<SpillFile>(new SpillFile(fd, std::move(folder)));
}

SpillFile::~SpillFile() { ::close(fd_); }

absl::StatusOr<SpillFile::Extent> SpillFile::Append(std::string_view bytes) {
  const Extent extent{.offset = this->bytes(), .size = static_cast<uint32_t>(bytes.size())};
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) RETURN_IF_ERROR(Flush());
  return extent;
}

absl::Status SpillFile::Flush() {
  size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return FatalError(
          "write to a temporary file in {}, {} bytes so far: {}. TMPDIR, or --work, names "
          "another folder",
          folder_.string(), written_ + done,
          std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
    }
    done += static_cast<size_t>(n);
  }
  written_ += done;
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status SpillFile::Read(const Extent& extent, std::string* out) const {
  const size_t begin = out->size();
  out->resize(begin + extent.size);
  size_t done = 0;
  while (done < extent.size) {
    const ssize_t n = ::pread(fd_, out->data() + begin + done, extent.size - done,
                              static_cast<off_t>(extent.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return FatalError("read a temporary file in {} back: {}", folder_.string(),
                        n < 0 ? std::strerror(errno)  // NOLINT(concurrency-mt-unsafe)
                              : "the file ends");
    }
    done += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
