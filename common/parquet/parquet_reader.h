// Reads Parquet files: at least those that ParquetWriter writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/parquet/byte_source.h"
#include "common/parquet/column_reader.h"
#include "common/parquet/metadata.h"
#include "common/parquet/schema.h"

namespace orbweaver::parquet {

struct ParquetReaderOptions {
  size_t max_footer_bytes = size_t{16} << 20;
  size_t max_page_bytes = size_t{64} << 20;
};

// Place: above ByteSource. Any bytes are read or refused with a poison status that says why: what
// is damaged, and by its name what this reader does not understand. Not thread-safe.
class ParquetReader {
 public:
  static absl::StatusOr<std::unique_ptr<ParquetReader>> Open(std::unique_ptr<ByteSource> source,
                                                             ParquetReaderOptions options = {});

  const Schema& schema() const { return schema_; }
  const FileMeta& meta() const { return meta_; }

  // A column of a row group. It must not outlive this.
  std::unique_ptr<ColumnReader> Column(size_t group, const Node& leaf);

 private:
  ParquetReader(std::unique_ptr<ByteSource> source, ParquetReaderOptions options, FileMeta meta,
                Schema schema);

  const std::unique_ptr<ByteSource> source_;
  const ParquetReaderOptions options_;
  const FileMeta meta_;
  const Schema schema_;
};

}  // namespace orbweaver::parquet
