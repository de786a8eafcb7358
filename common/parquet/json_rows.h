// Rows of a Parquet file as objects of JSON, and back. A struct or map is an object, a list an
// array, a timestamp "2026-01-31T12:00:00.123Z", binary hexadecimal; nothing is null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/json.h"
#include "common/parquet/json_text.h"
#include "common/parquet/parquet_reader.h"
#include "common/parquet/parquet_writer.h"

namespace orbweaver::parquet {

// Place: above ParquetWriter. Fields may come in any order; one that is not there is null. Not
// thread-safe.
class JsonRowWriter {
 public:
  // Both must outlive this.
  JsonRowWriter(const Schema& schema, ParquetWriter* writer)
      : schema_(schema), writer_(*writer), seen_(schema.nodes()) {}

  // Adds a row. Poison when `object` is no such object: a field that is no column, a value of
  // another type, a field twice, null where there must be a value; the writer is then as before.
  // Fatal when the file cannot be written.
  absl::Status Add(std::string_view object);

 private:
  absl::Status AddValue(const Node& node, uint8_t repetition);
  absl::Status AddNull(const Node& node, uint8_t repetition);
  absl::Status AddStruct(const Node& node, uint8_t repetition);
  absl::Status AddList(const Node& node, uint8_t repetition);
  absl::Status AddMap(const Node& node, uint8_t repetition);
  absl::Status AddLeaf(const Node& leaf, uint8_t repetition);
  absl::Status AddText(const Node& leaf, uint8_t repetition, std::string_view text);

  const Schema& schema_;
  ParquetWriter& writer_;
  JsonText text_{""};
  std::string room_;
  std::vector<uint64_t> seen_;  // of each node, in which of the structs that were read last
  uint64_t structs_ = 0;
};

// Place: above ParquetReader. Columns that contradict each other are damage. Not thread-safe.
class JsonRowReader {
 public:
  // `reader` must outlive this.
  explicit JsonRowReader(ParquetReader* reader) : reader_(*reader) {}

  // Replaces *object by the next row, without a line break. False at the end.
  absl::StatusOr<bool> Next(std::string* object);

 private:
  absl::StatusOr<const Cell*> Expect(const Node& node, uint8_t repetition);
  absl::Status TakeNulls(const Node& node, uint8_t repetition, uint8_t definition);
  absl::Status ReadValue(const Node& node, uint8_t repetition, JsonWriter* json);
  absl::Status ReadRepeated(const Node& node, uint8_t repetition, JsonWriter* json);
  absl::Status ReadLeaf(const Node& leaf, const Cell& cell, JsonWriter* json);
  absl::StatusOr<bool> HasMore(const Node& node);
  absl::StatusOr<bool> BeginGroup();

  ParquetReader& reader_;
  size_t group_ = 0;
  int64_t rows_left_ = 0;  // in the group that is read
  std::vector<std::unique_ptr<ColumnReader>> columns_;
  std::string text_;
};

}  // namespace orbweaver::parquet
