// The folder of a mirror: files that are whole or not there, and no way out of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace orbweaver {

// In the folder of a mirror: all that is no file of a site. No host's name begins with a dot.
inline constexpr std::string_view kMirrorOwn = ".mirror";

// Place: below MirrorWriter and MirrorBuilder. Paths are relative to the folder, in the form of
// MirrorPath. No symbolic link below the folder is followed, whoever made it. Files are written
// under a name of their own in `.mirror/new` and renamed. Thread-compatible.
class MirrorFolder {
 public:
  // Makes `folder` and what is missing above it. `writer` tells those apart that write at the same
  // time. Fatal when it cannot be made.
  static absl::StatusOr<std::unique_ptr<MirrorFolder>> Open(const std::string& folder,
                                                            std::string_view writer);
  ~MirrorFolder();
  MirrorFolder(const MirrorFolder&) = delete;
  MirrorFolder& operator=(const MirrorFolder&) = delete;

  // The fate of a file that stands where a folder of the path has to be.
  enum class InTheWay { kRefuse, kRemove };

  // The file `path` becomes `content`. Fatal when it cannot be written: it is then as it was.
  absl::Status Write(std::string_view path, std::string_view content, InTheWay in_the_way);

  // The file `path` becomes another name of the file `source`, or its copy where the file system
  // has one name a file.
  absl::Status Link(std::string_view source, std::string_view path, InTheWay in_the_way);

  // The same where nothing stands at `path` and folders can be made above it; else does nothing.
  // Errors of the disk are ignored: it is a convenience.
  void TryLink(std::string_view source, std::string_view path);

  // NotFound when there is no file.
  absl::StatusOr<std::string> Read(std::string_view path) const;

  // Its bytes; NotFound when there is no file.
  absl::StatusOr<uint64_t> SizeOf(std::string_view path) const;

  // Whether both are names of one file.
  bool AreOne(std::string_view a, std::string_view b) const;

  // Does nothing when there is no file.
  absl::Status Remove(std::string_view path);

  // Brings all that was written to the disk.
  absl::Status Sync();

  const std::string& name() const { return name_; }

 private:
  MirrorFolder(std::string name, std::string new_path, int fd)
      : name_(std::move(name)), new_path_(std::move(new_path)), fd_(fd) {}

  // The folder that `path` stands in, made where `make` says so; a descriptor to be closed.
  absl::StatusOr<int> OpenParent(std::string_view path, bool make, InTheWay in_the_way) const;
  // Aborted by each: another process took the new file away.
  absl::Status MoveInto(int from, std::string_view path, InTheWay in_the_way);
  absl::Status WriteOnce(std::string_view path, std::string_view content, InTheWay in_the_way);
  absl::Status LinkOnce(std::string_view source, std::string_view path, InTheWay in_the_way);

  const std::string name_;
  const std::string new_path_;  // of the file that is being written
  const int fd_;
};

// Removes what writers that died have left in `.mirror/new`.
void RemoveTornFiles(const std::string& folder);

}  // namespace orbweaver
