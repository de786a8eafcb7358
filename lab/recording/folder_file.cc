#include "lab/recording/folder_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <zlib.h>

#include "absl/functional/function_ref.h"

#include "common/base/status.h"

namespace orbweaver::lab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlockBytes = size_t{64} << 10;

absl::Status Failed(std::string_view action, const fs::path& path) {
  const int error = errno;
  if (error == ENOENT) {
    return absl::NotFoundError(fmt::format("{} {}: there is none", action, path.string()));
  }
  return FatalError("{} {}: {}. Check the disk", action, path.string(), std::strerror(error));
}

absl::Status SyncFolder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Failed("open", folder);
  // Some file systems cannot sync a folder, and say so.
  const bool done = fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  const absl::Status status = done ? absl::OkStatus() : Failed("sync", folder);
  close(fd);
  return status;
}

absl::Status ReadBlocks(const fs::path& path, absl::FunctionRef<void(std::string_view)> block) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed("open", path);
  const auto room = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  absl::Status status;
  while (true) {
    const ssize_t size = read(fd, room.get(), kBlockBytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) status = Failed("read", path);
    if (size <= 0) break;
    block(std::string_view(room.get(), static_cast<size_t>(size)));
  }
  close(fd);
  return status;
}

uint32_t CrcOf(uint32_t before, std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<FolderFile>> FolderFile::Create(const fs::path& path) {
  std::unique_ptr<FolderFile> file(new FolderFile(path, -1));
  file->fd_ = open(file->open_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file->fd_ < 0) return Failed("make", file->open_path());
  return file;
}

FolderFile::~FolderFile() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(open_path().c_str());
}

fs::path FolderFile::open_path() const {
  fs::path path = path_;
  path += kOpen;
  return path;
}

absl::Status FolderFile::Append(std::string_view bytes) {
  crc_ = CrcOf(crc_, bytes);
  size_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return Failed("write", open_path());
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status FolderFile::FinishAs(const fs::path& path) {
  if (fsync(fd_) != 0) return Failed("sync", open_path());
  if (rename(open_path().c_str(), path.c_str()) != 0) return Failed("finish", path);
  close(fd_);
  fd_ = -1;
  return SyncFolder(path.parent_path());
}

absl::Status ReplaceFile(const fs::path& path, std::string_view text) {
  ASSIGN_OR_RETURN(const auto file, FolderFile::Create(path));
  RETURN_IF_ERROR(file->Append(text));
  return file->Finish();
}

absl::StatusOr<std::string> ReadWholeFile(const fs::path& path) {
  std::string text;
  RETURN_IF_ERROR(ReadBlocks(path, [&text](std::string_view block) { text.append(block); }));
  return text;
}

absl::StatusOr<FileSum> SumOf(const fs::path& path) {
  FileSum sum;
  RETURN_IF_ERROR(ReadBlocks(path, [&sum](std::string_view block) {
    sum.bytes += block.size();
    sum.crc = CrcOf(sum.crc, block);
  }));
  return sum;
}

}  // namespace orbweaver::lab
