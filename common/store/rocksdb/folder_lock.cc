#include "common/store/rocksdb/folder_lock.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr char kFileName[] = "OWNER";

// The program's name and its first argument, which for our programs is the command: `orbweaver
// crawl`. No more of the command line: it may hold secrets.
std::string ThisCommand() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string program;
  std::string argument;
  std::getline(file, program, '\0');
  std::getline(file, argument, '\0');
  std::string command = std::filesystem::path(program).filename();
  if (!argument.empty() && argument.front() != '-') command += " " + argument;
  return command;
}

// "process 1234 (orbweaver crawl)", as the holder wrote it.
std::string HolderOf(int file) {
  std::array<char, 256> text;
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  if (size <= 0) return "another process";
  return std::string(text.data(), static_cast<size_t>(size));
}

}  // namespace

absl::StatusOr<FolderLock> FolderLock::Take(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kFileName;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) {
    return FatalError("open {}: {}. Choose a folder that this user may write to", path.string(),
                      std::strerror(errno));
  }
  FolderLock lock(file);
  // flock and not fcntl: it also keeps this process from opening the folder twice.
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return FatalError("lock {}: {}", path.string(), std::strerror(errno));
    }
    return FatalError("open {}: in use by {}. Stop it or choose another folder", folder.string(),
                      HolderOf(file));
  }
  const std::string holder = fmt::format("process {} ({})", getpid(), ThisCommand());
  // The text only helps whoever is refused: on a full disk the lock holds without it.
  if (ftruncate(file, 0) == 0 && pwrite(file, holder.data(), holder.size(), 0) < 0) {
    static_cast<void>(ftruncate(file, 0));
  }
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace orbweaver
