// Bytes that are written once and read in any order, on disk and not in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace orbweaver::lab {

// A file without a name: it is gone with the process. Read by pread and not mapped, so that its
// pages do not count as memory of the process. Append and Flush are of one thread; Read is
// thread-safe after Flush.
class SpillFile {
 public:
  struct Extent {
    uint64_t offset = 0;
    uint32_t size = 0;
  };

  // In `folder`; empty: TMPDIR, or /tmp. Fatal when no file can be made there.
  static absl::StatusOr<std::unique_ptr<SpillFile>> Create(std::filesystem::path folder);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // Fatal when the disk takes no more.
  absl::StatusOr<Extent> Append(std::string_view bytes);
  absl::Status Flush();

  // Appends the extent's bytes to *out. Fatal when they cannot be read.
  absl::Status Read(const Extent& extent, std::string* out) const;

  uint64_t bytes() const { return written_ + buffer_.size(); }

 private:
  SpillFile(int fd, std::filesystem::path folder) : fd_(fd), folder_(std::move(folder)) {}

  const int fd_;
  const std::filesystem::path folder_;
  std::string buffer_;  // not written yet
  uint64_t written_ = 0;
};

}  // namespace orbweaver::lab
