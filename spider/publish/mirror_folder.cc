#include "spider/publish/mirror_folder.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "absl/functional/function_ref.h"
#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "spider/publish/disk_error.h"

namespace orbweaver {
namespace {

constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;
constexpr int kMaxTries = 100;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

// A path's last component, as the system's calls take it.
std::string NameIn(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

absl::Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return DiskError("write", path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

std::string NewFolder() { return std::string(kMirrorOwn) + "/new"; }

// Opens the folder `name` in `parent`; -1 with errno. ENOTDIR: something else stands there.
int OpenFolder(int parent, const std::string& name) {
  return openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Errors that say what stands at a path and not that the disk fails.
bool IsInTheWay(int error) {
  return error == EEXIST || error == ENOTDIR || error == EISDIR || error == ELOOP ||
         error == ENOTEMPTY;
}

// Another process that starts may take a new file for one that a crash has left, between its being
// made and its lock.
absl::Status Again(absl::FunctionRef<absl::Status()> once) {
  for (int tries = 1;; ++tries) {
    absl::Status status = once();
    if (!absl::IsAborted(status)) return status;
    if (tries == kMaxTries) return FatalError("write a file: {}", MessageOf(status));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<MirrorFolder>> MirrorFolder::Open(const std::string& folder,
                                                                 std::string_view writer) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return FatalError("make folder {}: {}. Check spider.archive.folder", folder, error.message());
  }
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return DiskError("open folder", folder);
  std::unique_ptr<MirrorFolder> opened(new MirrorFolder(
      folder, fmt::format("{}/{}-{}", NewFolder(), writer, static_cast<int>(getpid())), fd));
  ASSIGN_OR_RETURN(const int own, opened->OpenParent(opened->new_path_, true, InTheWay::kRefuse));
  close(own);
  return opened;
}

MirrorFolder::~MirrorFolder() { close(fd_); }

absl::StatusOr<int> MirrorFolder::OpenParent(std::string_view path, bool make,
                                             InTheWay in_the_way) const {
  Descriptor at(fcntl(fd_, F_DUPFD_CLOEXEC, 0));
  if (at.get() < 0) return DiskError("open folder", name_);
  int tries = 0;
  for (size_t begin = 0;;) {
    const size_t end = path.find('/', begin);
    if (end == std::string_view::npos) return at.Release();
    const std::string name(path.substr(begin, end - begin));
    const std::string whole = name_ + "/" + std::string(path.substr(0, end));
    const int next = OpenFolder(at.get(), name);
    if (next >= 0) {
      at.Reset(next);
      begin = end + 1;
      continue;
    }
    if (errno != ENOENT && !IsInTheWay(errno)) return DiskError("open folder", whole);
    if (!make) return absl::NotFoundError(whole);
    if (++tries > kMaxTries) return DiskError("make folder", whole);
    if (errno == ENOENT) {
      if (mkdirat(at.get(), name.c_str(), kFolderMode) != 0 && errno != EEXIST) {
        return DiskError("make folder", whole);
      }
      continue;
    }
    struct stat found{};
    if (fstatat(at.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(found.st_mode) && in_the_way == InTheWay::kRemove) {
      if (unlinkat(at.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
        return DiskError("remove", whole);
      }
    } else if (!S_ISDIR(found.st_mode)) {
      return FatalError("make folder {}: {} stands there. Remove it", whole,
                        S_ISLNK(found.st_mode) ? "a symbolic link" : "something else");
    }
  }
}

absl::Status MirrorFolder::MoveInto(int from, std::string_view path, InTheWay in_the_way) {
  ASSIGN_OR_RETURN(const int to_fd, OpenParent(path, /*make=*/true, in_the_way));
  const Descriptor to(to_fd);
  const std::string new_name = NameIn(new_path_);
  const std::string name = NameIn(path);
  const auto rename = [&] { return renameat(from, new_name.c_str(), to.get(), name.c_str()) == 0; };
  if (rename()) return absl::OkStatus();
  if (errno == ENOENT) return absl::AbortedError("the new file is gone");
  // A folder that was needed once and is empty now.
  if (errno == EISDIR && in_the_way == InTheWay::kRemove &&
      unlinkat(to.get(), name.c_str(), AT_REMOVEDIR) == 0 && rename()) {
    return absl::OkStatus();
  }
  return DiskError("write", fmt::format("{}/{}", name_, path));
}

absl::Status MirrorFolder::WriteOnce(std::string_view path, std::string_view content,
                                     InTheWay in_the_way) {
  const std::string shown = fmt::format("{}/{}", name_, path);
  ASSIGN_OR_RETURN(const int folder_fd, OpenParent(new_path_, /*make=*/true, InTheWay::kRefuse));
  const Descriptor folder(folder_fd);
  const std::string name = NameIn(new_path_);
  // One of this name is of a process that died.
  unlinkat(folder.get(), name.c_str(), 0);
  const Descriptor file(
      openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (file.get() < 0) return DiskError("write", shown);
  // The lock says that somebody lives who writes it.
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? absl::AbortedError("the new file is being removed")
                                : DiskError("lock", shown);
  }
  absl::Status status = WriteAll(file.get(), content, shown);
  if (status.ok()) status = MoveInto(folder.get(), path, in_the_way);
  if (!status.ok()) unlinkat(folder.get(), name.c_str(), 0);
  return status;
}

absl::Status MirrorFolder::LinkOnce(std::string_view source, std::string_view path,
                                    InTheWay in_the_way) {
  ASSIGN_OR_RETURN(const int source_fd, OpenParent(source, /*make=*/false, InTheWay::kRefuse));
  const Descriptor from(source_fd);
  ASSIGN_OR_RETURN(const int folder_fd, OpenParent(new_path_, /*make=*/true, InTheWay::kRefuse));
  const Descriptor folder(folder_fd);
  const std::string name = NameIn(new_path_);
  unlinkat(folder.get(), name.c_str(), 0);
  if (linkat(from.get(), NameIn(source).c_str(), folder.get(), name.c_str(), 0) != 0) {
    ASSIGN_OR_RETURN(const std::string content, Read(source));
    return WriteOnce(path, content, in_the_way);
  }
  const absl::Status status = MoveInto(folder.get(), path, in_the_way);
  // Also when both were names of one file: then renaming does nothing.
  unlinkat(folder.get(), name.c_str(), 0);
  return status;
}

absl::Status MirrorFolder::Write(std::string_view path, std::string_view content,
                                 InTheWay in_the_way) {
  return Again([&] { return WriteOnce(path, content, in_the_way); });
}

absl::Status MirrorFolder::Link(std::string_view source, std::string_view path,
                                InTheWay in_the_way) {
  return Again([&] { return LinkOnce(source, path, in_the_way); });
}

void MirrorFolder::TryLink(std::string_view source, std::string_view path) {
  const auto from_fd = OpenParent(source, /*make=*/false, InTheWay::kRefuse);
  if (!from_fd.ok()) return;
  const Descriptor from(*from_fd);
  const auto to_fd = OpenParent(path, /*make=*/true, InTheWay::kRefuse);
  if (!to_fd.ok()) return;
  const Descriptor to(*to_fd);
  [[maybe_unused]] const int done =
      linkat(from.get(), NameIn(source).c_str(), to.get(), NameIn(path).c_str(), 0);
}

absl::StatusOr<std::string> MirrorFolder::Read(std::string_view path) const {
  const std::string shown = fmt::format("{}/{}", name_, path);
  ASSIGN_OR_RETURN(const int folder_fd, OpenParent(path, /*make=*/false, InTheWay::kRefuse));
  const Descriptor folder(folder_fd);
  const Descriptor file(
      openat(folder.get(), NameIn(path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    return errno == ENOENT || errno == ELOOP ? absl::NotFoundError(shown)
                                             : DiskError("read", shown);
  }
  struct stat found{};
  if (fstat(file.get(), &found) != 0) return DiskError("read", shown);
  if (!S_ISREG(found.st_mode)) return absl::NotFoundError(shown);
  std::string content(static_cast<size_t>(found.st_size), '\0');
  for (size_t at = 0; at < content.size();) {
    const ssize_t size = read(file.get(), content.data() + at, content.size() - at);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return DiskError("read", shown);
    if (size == 0) content.resize(at);
    at += static_cast<size_t>(size);
  }
  return content;
}

absl::StatusOr<uint64_t> MirrorFolder::SizeOf(std::string_view path) const {
  const std::string shown = fmt::format("{}/{}", name_, path);
  ASSIGN_OR_RETURN(const int folder_fd, OpenParent(path, /*make=*/false, InTheWay::kRefuse));
  const Descriptor folder(folder_fd);
  struct stat found{};
  if (fstatat(folder.get(), NameIn(path).c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? absl::NotFoundError(shown) : DiskError("look at", shown);
  }
  if (!S_ISREG(found.st_mode)) return absl::NotFoundError(shown);
  return static_cast<uint64_t>(found.st_size);
}

bool MirrorFolder::AreOne(std::string_view a, std::string_view b) const {
  struct stat found[2]{};
  for (int i = 0; i < 2; ++i) {
    const std::string_view path = i == 0 ? a : b;
    const auto folder_fd = OpenParent(path, /*make=*/false, InTheWay::kRefuse);
    if (!folder_fd.ok()) return false;
    const Descriptor folder(*folder_fd);
    if (fstatat(folder.get(), NameIn(path).c_str(), &found[i], AT_SYMLINK_NOFOLLOW) != 0) {
      return false;
    }
  }
  return found[0].st_dev == found[1].st_dev && found[0].st_ino == found[1].st_ino;
}

absl::Status MirrorFolder::Remove(std::string_view path) {
  const auto folder_fd = OpenParent(path, /*make=*/false, InTheWay::kRefuse);
  if (!folder_fd.ok()) {
    return absl::IsNotFound(folder_fd.status()) ? absl::OkStatus() : folder_fd.status();
  }
  const Descriptor folder(*folder_fd);
  if (unlinkat(folder.get(), NameIn(path).c_str(), 0) == 0) return absl::OkStatus();
  // A folder is none of ours to remove.
  if (errno == ENOENT || errno == EISDIR || errno == EPERM) return absl::OkStatus();
  return DiskError("remove", fmt::format("{}/{}", name_, path));
}

absl::Status MirrorFolder::Sync() {
  return syncfs(fd_) == 0 ? absl::OkStatus() : DiskError("sync", name_);
}

void RemoveTornFiles(const std::string& folder) {
  const std::filesystem::path torn = std::filesystem::path(folder) / NewFolder();
  std::error_code error;
  // Where somebody put links in place of our folders, nothing is removed behind them.
  if (std::filesystem::is_symlink(torn.parent_path(), error) ||
      std::filesystem::is_symlink(torn, error)) {
    return;
  }
  std::filesystem::directory_iterator entry(torn, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 || flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (unlink(path.c_str()) != 0 && errno != ENOENT) {
      Log(LogLevel::kWarning, "archive", "file {} is left as it is: {}", path,
          MessageOf(DiskError("remove", path)));
    }
  }
}

}  // namespace orbweaver
