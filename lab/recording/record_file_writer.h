// One file of a recording in the making.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/message.h"
#include "common/parquet/parquet_writer.h"
#include "lab/recording/folder_file.h"
#include "lab/recording/manifest.h"
#include "lab/recording/topic_columns.h"

namespace orbweaver::lab {

// Place: in Recorder. Until Finish the folder has nothing of it but a file `.open`, which goes with
// this. Memory: a row group. Not thread-safe.
class RecordFileWriter {
 public:
  // For records of `columns`' topic from `range.first` on. `columns` must outlive it.
  static absl::StatusOr<std::unique_ptr<RecordFileWriter>> Create(
      const std::filesystem::path& folder, std::string_view recording_id, std::string software,
      LogRangeOf range, TopicColumns* columns);

  absl::Status Add(const Message& message);

  // The file stands for the log up to `end`, and appears. It is to be added to the manifest.
  absl::StatusOr<RecordedFile> Finish(Offset end);

  uint64_t raw_bytes() const { return file_.raw_bytes; }

 private:
  RecordFileWriter(std::filesystem::path folder, std::string_view recording_id, LogRangeOf range,
                   TopicColumns* columns)
      : folder_(std::move(folder)), recording_id_(recording_id), columns_(*columns) {
    file_.range = std::move(range);
  }

  const std::filesystem::path folder_;
  const std::string recording_id_;
  TopicColumns& columns_;
  RecordedFile file_;
  Fingerprint last_;  // of the last record
  std::unique_ptr<FolderFile> bytes_;
  std::unique_ptr<parquet::ParquetWriter> rows_;
};

}  // namespace orbweaver::lab
