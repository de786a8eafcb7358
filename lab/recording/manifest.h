// The manifest of a recording: which records of which logs it has, in which files, and where they
// came from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"

namespace orbweaver::lab {

inline constexpr std::string_view kManifestName = "manifest.json";

// A part of a partition's log, [first, end).
struct LogRangeOf {
  std::string topic;
  PartitionId partition;
  Offset first;
  Offset end;

  bool IsOf(std::string_view of_topic, PartitionId of_partition) const {
    return topic == of_topic && partition == of_partition;
  }
  friend bool operator==(const LogRangeOf&, const LogRangeOf&) = default;
};

// A file, and the part of the log that it stands for: what of it the sample takes is in the file.
struct RecordedFile {
  LogRangeOf range;
  uint64_t records = 0;
  uint64_t raw_bytes = 0;  // of keys, values and headers
  WallTime first_time;     // of the records
  WallTime last_time;
  // The last record, by which the log is known again (common/protocol/log_witness.h).
  Offset last_offset;
  std::string last_hash;
  uint64_t bytes = 0;  // of the file
  uint32_t crc = 0;    // CRC-32 of the file

  // "spider-log-00003-00000000000000012345-00000000000000020000.parquet": by name they stand in
  // order.
  std::string Name() const;
  friend bool operator==(const RecordedFile&, const RecordedFile&) = default;
};

// The origin of a recording, for its later readers.
struct RecordingOrigin {
  std::string software;  // "orbweaver 0.1.0"
  std::string source;    // "folder /data/crawl" or "cluster kafka:9092"
  std::string strategy;  // its name; empty: not known
  uint32_t strategy_version = 0;
  std::map<std::string, std::string> strategy_params;
  std::map<std::string, std::string> configuration;  // what was configured, without secrets

  friend bool operator==(const RecordingOrigin&, const RecordingOrigin&) = default;
};

struct Manifest {
  std::string id;  // of the recording; stands in each of its files
  WallTime begun_at;
  RecordingOrigin origin;
  double sample = 1;  // the share of registered domains that are in it
  // The part of each partition that was read, gaps included. Files may end before it: then the rest
  // has nothing for them.
  std::vector<LogRangeOf> partitions;
  std::vector<LogRangeOf> gaps;     // deleted by retention before they were recorded
  std::vector<RecordedFile> files;  // those of a partition in order

  LogRangeOf* Find(std::string_view topic, PartitionId partition);
  const LogRangeOf* Find(std::string_view topic, PartitionId partition) const;
  // The topics, each once, sorted.
  std::vector<std::string> Topics() const;
  // Those of a topic, sorted.
  std::vector<PartitionId> Partitions(std::string_view topic) const;
  std::vector<RecordedFile> FilesOf(std::string_view topic, PartitionId partition) const;
};

std::string ManifestText(const Manifest& manifest);
// Poison for text that is no manifest, or one of a later format.
absl::StatusOr<Manifest> ParseManifest(std::string_view text);

// The words of a file about itself (FileMeta::key_values), without size and checksum.
inline constexpr std::string_view kFileKey = "orbweaver.recording";
std::string FileText(std::string_view recording_id, const RecordedFile& file);
struct FileClaim {
  std::string recording_id;
  RecordedFile file;
};
absl::StatusOr<FileClaim> ParseFileText(std::string_view text);

}  // namespace orbweaver::lab
