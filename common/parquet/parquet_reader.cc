#include "common/parquet/parquet_reader.h"

#include <cstring>
#include <utility>

#include "common/base/status.h"
#include "common/parquet/parquet_writer.h"

namespace orbweaver::parquet {
namespace {

constexpr size_t kTailBytes = 8;  // the footer's length, and the magic

absl::Status Damaged(std::string_view what) {
  return PoisonError("read a Parquet file: {}. The file is damaged", what);
}

absl::Status CheckGroups(const FileMeta& meta, const Schema& schema) {
  int64_t rows = 0;
  for (const RowGroupMeta& group : meta.groups) {
    if (group.rows < 0 || group.rows > meta.rows - rows) return Damaged("more rows than it says");
    rows += group.rows;
    if (group.chunks.size() != schema.leaves().size()) return Damaged("a row group lacks columns");
    for (size_t i = 0; i < group.chunks.size(); ++i) {
      const ChunkMeta& chunk = group.chunks[i];
      const Node& leaf = schema.leaf(static_cast<int>(i));
      if (chunk.type != PhysicalType(leaf.type)) return Damaged("a column has two types");
      if (chunk.elsewhere) {
        return PoisonError("read a Parquet file: column '{}' stands in another file", leaf.name);
      }
      if (chunk.values < group.rows) return Damaged("a column has fewer values than rows");
    }
  }
  return rows == meta.rows ? absl::OkStatus() : Damaged("fewer rows than it says");
}

}  // namespace

ParquetReader::ParquetReader(std::unique_ptr<ByteSource> source, ParquetReaderOptions options,
                             FileMeta meta, Schema schema)
    : source_(std::move(source)),
      options_(options),
      meta_(std::move(meta)),
      schema_(std::move(schema)) {}

absl::StatusOr<std::unique_ptr<ParquetReader>> ParquetReader::Open(
    std::unique_ptr<ByteSource> source, ParquetReaderOptions options) {
  const uint64_t size = source->size();
  std::string bytes;
  if (size < kMagic.size() + kTailBytes) return PoisonError("read a file: not a Parquet file");
  RETURN_IF_ERROR(source->Read(0, kMagic.size(), &bytes));
  const bool begins = bytes == kMagic;
  RETURN_IF_ERROR(source->Read(size - kTailBytes, kTailBytes, &bytes));
  if (bytes.ends_with("PARE")) return PoisonError("read a Parquet file: it is encrypted");
  if (!begins || !bytes.ends_with(kMagic)) {
    return PoisonError("read a file: not a Parquet file, or cut off");
  }
  uint32_t footer = 0;
  std::memcpy(&footer, bytes.data(), sizeof footer);
  if (footer > size - kMagic.size() - kTailBytes) return Damaged("its footer lies before it");
  if (footer > options.max_footer_bytes) {
    return PoisonError("read a Parquet file: a footer of {} bytes; this reader takes {}", footer,
                       options.max_footer_bytes);
  }
  RETURN_IF_ERROR(source->Read(size - kTailBytes - footer, footer, &bytes));
  ASSIGN_OR_RETURN(FileMeta meta, DecodeFileMeta(bytes));
  ASSIGN_OR_RETURN(Schema schema, Schema::FromElements(meta.schema));
  RETURN_IF_ERROR(CheckGroups(meta, schema));
  return std::unique_ptr<ParquetReader>(
      new ParquetReader(std::move(source), options, std::move(meta), std::move(schema)));
}

std::unique_ptr<ColumnReader> ParquetReader::Column(size_t group, const Node& leaf) {
  return std::make_unique<ColumnReader>(*source_, leaf,
                                        meta_.groups[group].chunks[static_cast<size_t>(leaf.leaf)],
                                        options_.max_page_bytes);
}

}  // namespace orbweaver::parquet
