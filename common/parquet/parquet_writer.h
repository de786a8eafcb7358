// Writes a Parquet file: zstd pages with checksums, dictionaries where they pay, statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "common/parquet/column_writer.h"
#include "common/parquet/metadata.h"
#include "common/parquet/page_writer.h"
#include "common/parquet/schema.h"

namespace orbweaver::parquet {

struct ParquetWriterOptions {
  // Memory of a row group, all columns together, before it is written; a row more at most.
  size_t row_group_bytes = size_t{32} << 20;
  size_t page_bytes = size_t{1} << 20;
  size_t dictionary_bytes = size_t{1} << 20;  // a column with more different values has none
  int level = 3;                              // zstd's
  std::string software;                       // who wrote it: "name version 1.2"
};

// Place: below what makes rows. For each row, put its values into the columns, in any order of
// columns, then EndRow. Memory: one row group and one page. Not thread-safe.
class ParquetWriter {
 public:
  ParquetWriter(const Schema& schema, ParquetWriterOptions options, ByteSink sink);

  ColumnWriter& column(const Node& leaf) { return columns_[static_cast<size_t>(leaf.leaf)]; }
  // Says of all leaves at or below `node` that there is nothing from `definition` on.
  void AddNulls(const Node& node, uint8_t repetition, uint8_t definition);

  // Each column must have got the row. The status is the sink's.
  absl::Status EndRow();
  // Takes back what columns have got since the last EndRow.
  void DropRow();

  // Writes what is left, and the footer. Nothing can be added any more.
  absl::Status Finish(KeyValues key_values = {});

  int64_t rows() const { return meta_.rows + group_rows_; }

 private:
  absl::Status FlushGroup();

  const ParquetWriterOptions options_;
  PageWriter pages_;
  std::vector<ColumnWriter> columns_;
  std::vector<ColumnWriter::Mark> marks_;  // at the last EndRow
  int64_t group_rows_ = 0;
  FileMeta meta_;
};

inline constexpr std::string_view kMagic = "PAR1";

}  // namespace orbweaver::parquet
