// The folder of a recording, as its recorder has it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "lab/recording/manifest.h"

namespace orbweaver::lab {

// A file appears with its name first; then the manifest names it. Between the two a crash leaves a
// file that says itself which part of the log it stands for, and the next Open adds it. So what was
// recorded is never recorded again, and what was not never missing.
//
// Place: below Recorder. The folder is locked as long as this lives. Not thread-safe.
class RecordingFolder {
 public:
  // Makes the folder, or goes on with the recording that it has. Fatal: another process records
  // there, its files are of something else, or `sample` is not that of the recording.
  static absl::StatusOr<std::unique_ptr<RecordingFolder>> Open(const std::filesystem::path& folder,
                                                               const RecordingOrigin& origin,
                                                               double sample, WallTime now);
  ~RecordingFolder();
  RecordingFolder(const RecordingFolder&) = delete;
  RecordingFolder& operator=(const RecordingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const Manifest& manifest() const { return manifest_; }

  // Up to where a partition was read; nullopt when nothing was.
  std::optional<Offset> Position(std::string_view topic, PartitionId partition) const;
  // The first offset of a partition's next file: the end of its last file or gap.
  Offset NextFirst(std::string_view topic, PartitionId partition) const;

  // Partitions that are to be read from `first` on; those that have a position keep it. Durable.
  absl::Status Begin(std::span<const LogRangeOf> ranges);
  // A file that has its name. Durable when OK.
  absl::Status Add(const RecordedFile& file);
  // Up to `end` there is nothing to record. Durable with the next change, or Save.
  void Advance(std::string_view topic, PartitionId partition, Offset end);
  // From the position to `end` the log has been deleted. Durable when OK.
  absl::Status AddGap(std::string_view topic, PartitionId partition, Offset end);
  // Makes durable what has changed, if anything has.
  absl::Status Save();

 private:
  RecordingFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  absl::Status Load(const RecordingOrigin& origin, double sample, WallTime now);
  // Deals with what a process that died left behind.
  absl::Status TakeUp();

  const std::filesystem::path path_;
  const int lock_;
  Manifest manifest_;
  bool is_changed_ = false;
};

}  // namespace orbweaver::lab
