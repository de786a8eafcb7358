// Rows of a Parquet file, filled column by column: a column that is not set is null.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/parquet/parquet_writer.h"
#include "common/parquet/schema.h"

namespace orbweaver::lab {

// A field of a list's elements.
struct ElementField {
  const parquet::Node& list;
  const parquet::Node& leaf;
};

// Place: between the columns of a topic and ParquetWriter. Set each column once, then End. Not
// thread-safe.
class RowWriter {
 public:
  // `schema` must outlive this.
  explicit RowWriter(const parquet::Schema& schema);

  // A column by its name, and a field of the structs in a list. There must be such.
  const parquet::Node& Column(std::string_view name) const;
  ElementField Field(std::string_view list, std::string_view field) const;

  // Rows go to `writer` from now on; it must outlive their Ends.
  void To(parquet::ParquetWriter* writer) { writer_ = writer; }

  void Set(const parquet::Node& column, std::string_view text);
  void Set(const parquet::Node& column, int64_t number);  // of an int32, int64 or timestamp
  void Set(const parquet::Node& column, float number);
  void Set(const parquet::Node& column, bool truth);
  void Set(const parquet::Node& column, WallTime time) {
    Set(column, static_cast<int64_t>(time.time_since_epoch().count()));
  }
  // The same, but null for an empty text and for the beginning of time.
  void SetSaid(const parquet::Node& column, std::string_view text) {
    if (!text.empty()) Set(column, text);
  }
  void SetSaid(const parquet::Node& column, WallTime time) {
    if (time != WallTime()) Set(column, time);
  }

  // A list: every field of each of its elements, in order; `index` counts the elements. A list
  // without elements is null.
  void SetElement(const ElementField& field, size_t index, std::string_view text);
  void SetElement(const ElementField& field, size_t index, int64_t number);
  void SetElement(const ElementField& field, size_t index, float number);
  void SetNoElement(const ElementField& field, size_t index);

  // Ends the row, whose required columns are set; the status is the file's.
  absl::Status End();

 private:
  parquet::ColumnWriter& Begin(const parquet::Node& column);
  parquet::ColumnWriter& Begin(const ElementField& field, size_t index, uint8_t* repetition);
  void Mark(const parquet::Node& node);

  const parquet::Schema& schema_;
  parquet::ParquetWriter* writer_ = nullptr;
  std::vector<uint64_t> rows_;  // of each leaf, in which row it was set last
  uint64_t row_ = 1;
};

}  // namespace orbweaver::lab
