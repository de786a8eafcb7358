// Files of a folder that appear whole or not at all, also after a power cut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace orbweaver::lab {

// Place: below the recorder, one for each file in the works. Not thread-safe.
class FolderFile {
 public:
  static constexpr std::string_view kOpen = ".open";

  // Makes or empties `path`.open. Fatal when that cannot be.
  static absl::StatusOr<std::unique_ptr<FolderFile>> Create(const std::filesystem::path& path);
  // Removes what was not finished.
  ~FolderFile();
  FolderFile(const FolderFile&) = delete;
  FolderFile& operator=(const FolderFile&) = delete;

  absl::Status Append(std::string_view bytes);
  // Onto the disk, and then its name, in place of a file that has it.
  absl::Status Finish() { return FinishAs(path_); }
  // The same with another name in the same folder.
  absl::Status FinishAs(const std::filesystem::path& path);

  uint64_t size() const { return size_; }
  uint32_t crc() const { return crc_; }

 private:
  FolderFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path open_path() const;

  const std::filesystem::path path_;
  int fd_;
  uint64_t size_ = 0;
  uint32_t crc_ = 0;
};

// The same for a text that is there as a whole.
absl::Status ReplaceFile(const std::filesystem::path& path, std::string_view text);
// Fatal when it cannot be read.
absl::StatusOr<std::string> ReadWholeFile(const std::filesystem::path& path);

struct FileSum {
  uint64_t bytes = 0;
  uint32_t crc = 0;  // CRC-32
};
// Fatal when it cannot be read, NotFound when there is no such file.
absl::StatusOr<FileSum> SumOf(const std::filesystem::path& path);

}  // namespace orbweaver::lab
