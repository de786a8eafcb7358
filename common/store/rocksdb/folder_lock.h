// Keeps a second process out of a data folder, and names the one that is in.
//
// Place: taken by Database before it touches anything else of the folder. RocksDB has a lock of its
// own, but rotates its log before it takes it and cannot say who holds it.
#pragma once

#include <filesystem>

#include "absl/status/statusor.h"

namespace orbweaver {

// Held from Take to destruction; the kernel frees it when the process dies, however it dies.
class FolderLock {
 public:
  // `folder` must exist. Fatal when another holder (another process, or this one a second time) has
  // it: `open FOLDER: in use by process PID (COMMAND). …`. Does not wait.
  static absl::StatusOr<FolderLock> Take(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}

  int file_;
};

}  // namespace orbweaver
