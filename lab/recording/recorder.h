// Reads logs into a recording.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/url/domain.h"
#include "lab/recording/record_file_writer.h"
#include "lab/recording/recording_folder.h"
#include "lab/recording/topic_columns.h"

namespace orbweaver::lab {

struct RecorderOptions {
  // Of a file: keys, values and headers of its records.
  uint64_t file_bytes = uint64_t{64} << 20;
  // Only what was written in [since, until).
  std::optional<WallTime> since, until;
  // Bounds each wait for the bus.
  Duration timeout = std::chrono::seconds(20);
};

// Whether a sample of this share has the registered domain; it always has what has none.
bool IsInSample(std::string_view domain, double share);

// Place: `orbweaver record`, and beside a crawl. One partition after the other, so memory is that
// of one file in the making. Not thread-safe.
class Recorder {
 public:
  // The first two must outlive it.
  Recorder(RecordingFolder* folder, const PublicSuffixes& suffixes, RecorderOptions options)
      : folder_(*folder), suffixes_(suffixes), options_(options) {}

  // Checks that the partitions of the recording are those of `bus`: fatal when a log ends below its
  // recorded end, or has another record where the last recorded one stood.
  absl::Status CheckLogs(Bus& bus);

  // Reads a partition from where the recording stands, or else `range.first`, up to `range.end`.
  // Whole files appear, the last one when it ends, also by an error. Messages that retention has
  // deleted become a gap of the manifest. Ends early, with OK, when `go_on` says false, which is
  // asked after each poll of the bus. Retry and fatal errors as the bus's; fatal where the disk
  // fails.
  absl::Status Record(Bus& bus, const LogRangeOf& range, absl::FunctionRef<bool()> go_on);

  // Of all calls.
  uint64_t records() const { return records_; }
  uint64_t raw_bytes() const { return raw_bytes_; }
  // Up to where the partition that is being read was read: for progress.
  Offset at() const { return at_; }

 private:
  absl::StatusOr<TopicColumns*> ColumnsOf(const std::string& topic);
  absl::Status CheckLog(Bus& bus, const LogRangeOf& range);
  absl::Status ReadOn(Bus& bus, const LogRangeOf& range, absl::FunctionRef<bool()> go_on);
  absl::Status Take(const LogRangeOf& range, const MessageBatch& batch);
  absl::Status SkipDeleted(Bus& bus, const LogRangeOf& range);
  // The file in the making stands for the log up to where it was read.
  absl::Status FinishFile(const LogRangeOf& range);
  bool IsWanted(const Message& message) const;

  RecordingFolder& folder_;
  const PublicSuffixes& suffixes_;
  const RecorderOptions options_;
  std::map<std::string, std::unique_ptr<TopicColumns>, std::less<>> columns_;
  std::unique_ptr<RecordFileWriter> file_;
  Offset at_;
  uint64_t records_ = 0;
  uint64_t raw_bytes_ = 0;
};

}  // namespace orbweaver::lab
