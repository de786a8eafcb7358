#include "spider/publish/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "spider/publish/disk_error.h"

namespace orbweaver {
namespace {

// Names that are tried when that of a file is taken.
constexpr int kMaxNames = 100;

// A renamed file is where it should be after a power cut only when its folder was synced too.
absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return DiskError("open folder", folder);
  // Some file systems cannot sync a folder; they say so.
  const bool done = fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  const absl::Status status = done ? absl::OkStatus() : DiskError("sync folder", folder);
  close(fd);
  return status;
}

bool AreOneFile(const std::string& a, const std::string& b) {
  struct stat first{};
  struct stat second{};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool IsEmptyFile(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0;
}

// Renames, unless there is a file named `to`: errno is then EEXIST. Should the process die within,
// a second call finishes it.
bool RenameToFree(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  const bool lacks_flag = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  // NFS and FUSE lack it. A link too fails where the name is taken.
  if (lacks_flag && link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) == 0;
  const int error = errno;
  if (error == EEXIST && AreOneFile(from, to)) return unlink(from.c_str()) == 0;
  errno = error;
  if (!lacks_flag) return false;
  // Some have no links either. A file that is made takes the name, and is replaced: it is empty, as
  // no finished file is.
  if (error != EEXIST) {
    const int fd = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0) close(fd);
    if (fd < 0 && errno != EEXIST) return false;
  }
  if (!IsEmptyFile(to)) {
    errno = EEXIST;
    return false;
  }
  return rename(from.c_str(), to.c_str()) == 0;
}

absl::Status FinishFile(int fd, const std::string& path, const std::string& open_path) {
  if (fsync(fd) != 0) return DiskError("sync", path);
  for (int n = 1; !RenameToFree(open_path, NumberedPath(path, n)); ++n) {
    // Somebody finished one of that name between our looking for it and our taking the other.
    if (errno != EEXIST || n == kMaxNames) return DiskError("finish", path);
  }
  return SyncFolderOf(path);
}

// How files of one kind are recovered.
struct Recovery {
  std::string_view ending;
  const Repair& repair;
  const FinishAs& finish;  // nullptr: the file gets its name
};

absl::Status CutAndFinish(const std::string& open_path, int fd, const Recovery& recovery) {
  const std::string path = open_path.substr(0, open_path.size() - recovery.ending.size());
  ASSIGN_OR_RETURN(const uint64_t whole, recovery.repair(fd, path));
  if (whole == 0) {
    if (unlink(open_path.c_str()) != 0) return DiskError("remove", path);
    return absl::OkStatus();
  }
  if (ftruncate(fd, static_cast<off_t>(whole)) != 0) return DiskError("cut", path);
  return recovery.finish == nullptr ? FinishFile(fd, path, open_path) : recovery.finish(path);
}

// False: somebody writes it, or has just finished it.
absl::StatusOr<bool> RecoverFile(const std::string& open_path, const Recovery& recovery) {
  // A pipe of that name is not waited for, and no link leads to a file elsewhere.
  const int fd = open(open_path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT) return false;
  if (fd < 0) return DiskError("open", open_path);
  struct stat opened{};
  struct stat named{};
  absl::StatusOr<bool> done = false;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) done = DiskError("lock", open_path);
  } else if (fstat(fd, &opened) == 0 && stat(open_path.c_str(), &named) == 0 &&
             opened.st_ino == named.st_ino) {
    // It was not finished between opening and locking.
    const absl::Status status = S_ISREG(opened.st_mode)
                                    ? CutAndFinish(open_path, fd, recovery)
                                    : FatalError("open {}: no file. Remove it", open_path);
    if (status.ok()) {
      done = true;
    } else {
      done = status;
    }
  }
  close(fd);
  return done;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& folder,
                                                               std::string_view name,
                                                               std::string_view ending) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return FatalError("make folder {}: {}. Check spider.archive.folder", folder, error.message());
  }
  std::string path = (std::filesystem::path(folder) / name).string();
  absl::Status taken = absl::AlreadyExistsError(fmt::format("open {}: it exists", path));
  if (std::filesystem::exists(path, error)) return taken;
  const std::string open_path = path + std::string(ending);
  const int fd = open(open_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0 && errno != EEXIST) return DiskError("open", path);
  if (fd < 0) return taken;
  // The lock says that its writer is alive. Another process that recovers files may have locked it
  // first.
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const bool locked = errno == EWOULDBLOCK;
    absl::Status status = DiskError("lock", path);
    close(fd);
    if (locked) return taken;
    unlink(open_path.c_str());
    return status;
  }
  return std::unique_ptr<OutputFile>(new OutputFile(std::move(path), ending, fd));
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
      const absl::Status status = DiskError("write", path_);
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
  RETURN_IF_ERROR(FinishFile(fd_, path_, open_path()));
  close(fd_);
  fd_ = -1;
  return absl::OkStatus();
}

std::string NumberedPath(const std::string& path, int number) {
  if (number == 1) return path;
  const size_t last_word = path.find_last_of("-/");
  const size_t suffix = path.find('.', last_word == std::string::npos ? 0 : last_word);
  const size_t at = std::min(suffix, path.size());
  return path.substr(0, at) + fmt::format("-{}", number) + path.substr(at);
}

int RecoverOutputFiles(const std::string& folder, std::string_view suffix, const Repair& repair) {
  return RecoverOutputFiles(folder, suffix, OutputFile::kOpen, repair, nullptr);
}

int RecoverOutputFiles(const std::string& folder, std::string_view suffix, std::string_view ending,
                       const Repair& repair, const FinishAs& finish) {
  const std::string tail = std::string(suffix) + std::string(ending);
  int finished = 0;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string open_path = entry->path().string();
    if (!open_path.ends_with(tail)) continue;
    const absl::StatusOr<bool> done = RecoverFile(open_path, {ending, repair, finish});
    if (!done.ok()) {
      Log(LogLevel::kWarning, "archive", "file {} is left as it is: {}", open_path,
          MessageOf(done.status()));
    } else if (*done) {
      ++finished;
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    Log(LogLevel::kWarning, "archive", "list folder {}: {}. Files left open there stay so", folder,
        error.message());
  }
  return finished;
}

}  // namespace orbweaver
