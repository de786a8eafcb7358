#include "spider/publish/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr std::string_view kOpen = ".open";

absl::Status SystemError(std::string_view action, std::string_view path) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return FatalError("{} {}: {}. {}", action, path, std::strerror(error),
                    full ? "Make room on the disk, then start again; nothing is lost"
                         : "Check spider.archive.folder");
}

// A renamed file is where it should be after a power cut only when its folder was synced too.
absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return done ? absl::OkStatus() : SystemError("sync folder", folder);
}

absl::Status FinishFile(int fd, const std::string& path) {
  if (fsync(fd) != 0) return SystemError("sync", path);
  const std::string open_path = path + std::string(kOpen);
  if (renameat2(AT_FDCWD, open_path.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
    return SystemError("finish", path);
  }
  return SyncFolderOf(path);
}

absl::Status RecoverFile(const std::string& path, int fd, const WholePrefix& whole_prefix) {
  ASSIGN_OR_RETURN(const uint64_t whole, whole_prefix(fd));
  if (whole == 0) {
    if (unlink((path + std::string(kOpen)).c_str()) != 0) return SystemError("remove", path);
    return absl::OkStatus();
  }
  if (ftruncate(fd, static_cast<off_t>(whole)) != 0) return SystemError("cut", path);
  return FinishFile(fd, path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& folder,
                                                               std::string_view name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return FatalError("make folder {}: {}. Check spider.archive.folder", folder, error.message());
  }
  std::string path = (std::filesystem::path(folder) / name).string();
  const absl::Status taken = absl::AlreadyExistsError(fmt::format("open {}: it exists", path));
  if (std::filesystem::exists(path, error)) return taken;
  const int fd =
      open((path + std::string(kOpen)).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0 && errno != EEXIST) return SystemError("open", path);
  if (fd < 0) return taken;
  // The lock says that somebody lives who writes it. Who recovers files may have been faster.
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return taken;
  }
  return std::unique_ptr<OutputFile>(new OutputFile(std::move(path), fd));
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status OutputFile::Append(std::string_view record) {
  const char* at = record.data();
  size_t left = record.size();
  while (left > 0) {
    const ssize_t written = write(fd_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const absl::Status status = SystemError("write", path_);
      // Should this fail too, the torn record is cut when the file is recovered.
      [[maybe_unused]] const int cut = ftruncate(fd_, static_cast<off_t>(size_));
      return status;
    }
    at += written;
    left -= static_cast<size_t>(written);
  }
  size_ += record.size();
  return absl::OkStatus();
}

absl::Status OutputFile::Finish() {
  RETURN_IF_ERROR(FinishFile(fd_, path_));
  close(fd_);
  fd_ = -1;
  return absl::OkStatus();
}

absl::StatusOr<int> RecoverOutputFiles(const std::string& folder, std::string_view suffix,
                                       const WholePrefix& whole_prefix) {
  const std::string ending = std::string(suffix) + std::string(kOpen);
  int found = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string open_path = entry.path().string();
    if (!open_path.ends_with(ending)) continue;
    const int fd = open(open_path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;  // another has finished it meanwhile
    absl::Status status;
    struct stat opened{};
    struct stat named{};
    // It may have been finished between opening and locking.
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 &&
        stat(open_path.c_str(), &named) == 0 && opened.st_ino == named.st_ino) {
      status = RecoverFile(open_path.substr(0, open_path.size() - kOpen.size()), fd, whole_prefix);
      ++found;
    }
    close(fd);
    RETURN_IF_ERROR(status);
  }
  return found;
}

}  // namespace orbweaver
