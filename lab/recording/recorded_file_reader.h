// One file of a recording, read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/message.h"
#include "common/parquet/parquet_reader.h"
#include "lab/recording/manifest.h"

namespace orbweaver::lab {

// Place: in RecordReader and in the check. Not thread-safe.
class RecordedFileReader {
 public:
  // Reads the file once to compare it with what the manifest says. Poison, naming the file, when
  // it is not there, is another, or cannot be read.
  static absl::StatusOr<std::unique_ptr<RecordedFileReader>> Open(
      const std::filesystem::path& folder, std::string_view recording_id, const RecordedFile& file);

  // Replaces *message; its views live until the next call. False at the end. Poison, naming the
  // file.
  absl::StatusOr<bool> Next(Message* message);

  // All columns, for those who read what is decoded.
  parquet::ParquetReader& parquet() { return *parquet_; }

 private:
  RecordedFileReader(std::string name, const RecordedFile& file)
      : name_(std::move(name)), file_(file) {}

  absl::Status OpenColumns();
  absl::StatusOr<bool> BeginGroup();
  absl::StatusOr<bool> NextRow(Message* message);
  absl::Status ReadHeaders(Message* message);

  struct Column {
    const parquet::Node* leaf = nullptr;
    std::unique_ptr<parquet::ColumnReader> reader;
  };
  absl::StatusOr<const parquet::Cell*> Take(Column& column);

  const std::string name_;
  const RecordedFile file_;
  std::unique_ptr<parquet::ParquetReader> parquet_;
  Column offset_, timestamp_, key_, value_, header_name_, header_value_;
  size_t group_ = 0;
  int64_t rows_left_ = 0;
  uint64_t records_ = 0;
  Offset next_;  // the least that may come
  std::vector<std::string> header_bytes_;
  std::vector<Header> headers_;
};

}  // namespace orbweaver::lab
