// A recording, read: its records as they stood in the logs.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/message.h"
#include "lab/recording/manifest.h"
#include "lab/recording/recorded_file_reader.h"

namespace orbweaver::lab {

// Files that could not be read and were left out.
struct LeftOut {
  uint64_t files = 0;
  uint64_t records = 0;          // of which the manifest says that they are in these files
  std::vector<std::string> why;  // for each file
};

// The records of one partition in the order of the log. Place: whatever replays or copies a
// recording. Memory: of each column that is read a page and a dictionary. Not thread-safe.
class RecordReader {
 public:
  // Replaces *message; its views live until the next call. False at the end. Poison, naming the
  // file, when one is missing or damaged: none of its records has been given then. With
  // `skip_damaged` such a file is left out and counted instead.
  absl::StatusOr<bool> Next(Message* message);

  const LeftOut& left_out() const { return left_out_; }

 private:
  friend class Recording;
  RecordReader(std::filesystem::path folder, std::string recording_id,
               std::vector<RecordedFile> files, bool skip_damaged)
      : folder_(std::move(folder)),
        recording_id_(std::move(recording_id)),
        files_(files.begin(), files.end()),
        skip_damaged_(skip_damaged) {}

  const std::filesystem::path folder_;
  const std::string recording_id_;
  std::deque<RecordedFile> files_;  // that were not begun
  const bool skip_damaged_;
  std::unique_ptr<RecordedFileReader> file_;
  LeftOut left_out_;
};

// Place: opened by a command. Thread-safe: its readers are independent. A recording may grow
// meanwhile; it is seen as it was at Open.
class Recording {
 public:
  // Fatal or poison when there is none in the folder.
  static absl::StatusOr<std::unique_ptr<Recording>> Open(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  const Manifest& manifest() const { return manifest_; }

  // Without records for a partition that was not recorded.
  std::unique_ptr<RecordReader> Read(std::string_view topic, PartitionId partition,
                                     bool skip_damaged = false) const;

 private:
  Recording(std::filesystem::path path, Manifest manifest)
      : path_(std::move(path)), manifest_(std::move(manifest)) {}

  const std::filesystem::path path_;
  const Manifest manifest_;
};

}  // namespace orbweaver::lab
