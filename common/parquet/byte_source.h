// Where a Parquet file is read from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace orbweaver::parquet {

// Place: below ParquetReader. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  // Replaces *bytes by `size` bytes from `offset`; they are within the file. Fatal when the file
  // cannot be read, poison when it has become shorter.
  virtual absl::Status Read(uint64_t offset, size_t size, std::string* bytes) = 0;
};

class FileSource : public ByteSource {
 public:
  // Fatal when it cannot be opened.
  static absl::StatusOr<std::unique_ptr<ByteSource>> Open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  uint64_t size() const override { return size_; }
  absl::Status Read(uint64_t offset, size_t size, std::string* bytes) override;

 private:
  FileSource(std::string path, int fd, uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}

  const std::string path_;
  const int fd_;
  const uint64_t size_;
};

// Bytes in memory, which must outlive it.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  absl::Status Read(uint64_t offset, size_t size, std::string* bytes) override {
    bytes->assign(bytes_.substr(offset, size));
    return absl::OkStatus();
  }

 private:
  const std::string_view bytes_;
};

}  // namespace orbweaver::parquet
