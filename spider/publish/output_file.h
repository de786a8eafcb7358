// A file that grows by whole records and never shows anyone a torn one.
//
// While it is written its name has `.open` behind it, or another ending; finished, it has its own.
// A file that a dead process left behind is cut to its whole records and finished by the next
// process (RecoverOutputFiles).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace orbweaver {

// Place: below the archive's writers, one for each file in the works. A record that Append took
// survives the death of the process at once, and that of the machine once the file is finished.
// Not thread-safe.
class OutputFile {
 public:
  static constexpr std::string_view kOpen = ".open";

  // Makes `folder`/`name`.open, and the folder. AlreadyExists when there is a file of that name,
  // finished or not; fatal when it cannot be made.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& folder,
                                                            std::string_view name,
                                                            std::string_view ending = kOpen);
  // A file that was not finished stays open, without its lock.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // All of `record`, or, with a fatal error (a full disk), nothing of it.
  absl::Status Append(std::string_view record);

  uint64_t size() const { return size_; }

  // Gives the file its name, all of it on the disk; should another have got that meanwhile, a name
  // with a number more. Nothing can be appended any more.
  absl::Status Finish();

  // The file's path once it is finished.
  const std::string& path() const { return path_; }
  std::string open_path() const { return path_ + ending_; }

 private:
  OutputFile(std::string path, std::string_view ending, int fd)
      : path_(std::move(path)), ending_(ending), fd_(fd) {}

  const std::string path_;
  const std::string ending_;
  int fd_;
  uint64_t size_ = 0;
};

// The name that a file gets instead when others have `path` and its like: "a-00001.warc.gz" is
// "a-00001-2.warc.gz" as number 2, and itself as number 1.
std::string NumberedPath(const std::string& path, int number);

// Makes the file behind `fd` whole, as far as it can; returns how many bytes of it, from its start,
// are to be kept. `path` is the file's without `.open`.
using Repair = std::function<absl::StatusOr<uint64_t>(int fd, const std::string& path)>;

// Finishes the files in `folder` that end in `suffix`.open and that no living process writes, cut
// to what is whole; those with nothing are removed. A file that cannot be finished is logged
// and stays as it is: what is new has another name. Returns how many were finished or removed.
int RecoverOutputFiles(const std::string& folder, std::string_view suffix, const Repair& repair);

// The same for files that become others: `finish` gets the path without `ending`, and the file,
// whole, is to be gone when it returns OK. Its lock is held meanwhile.
using FinishAs = std::function<absl::Status(const std::string& path)>;
int RecoverOutputFiles(const std::string& folder, std::string_view suffix, std::string_view ending,
                       const Repair& repair, const FinishAs& finish);

}  // namespace orbweaver
