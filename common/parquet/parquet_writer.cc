#include "common/parquet/parquet_writer.h"

#include <utility>

#include "common/base/status.h"

namespace orbweaver::parquet {

ParquetWriter::ParquetWriter(const Schema& schema, ParquetWriterOptions options, ByteSink sink)
    : options_(std::move(options)), pages_(std::move(sink), options_.level) {
  for (const int leaf : schema.leaves()) columns_.emplace_back(schema.node(leaf));
  marks_.resize(columns_.size());
  meta_.schema = schema.Elements();
  meta_.created_by = options_.software;
}

void ParquetWriter::AddNulls(const Node& node, uint8_t repetition, uint8_t definition) {
  for (int leaf = node.first_leaf; leaf < node.first_leaf + node.leaves; ++leaf) {
    columns_[static_cast<size_t>(leaf)].AddNull(repetition, definition);
  }
}

absl::Status ParquetWriter::EndRow() {
  ++group_rows_;
  size_t bytes = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    marks_[i] = columns_[i].mark();
    bytes += columns_[i].bytes();
  }
  return bytes < options_.row_group_bytes ? absl::OkStatus() : FlushGroup();
}

void ParquetWriter::DropRow() {
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].BackTo(marks_[i]);
}

absl::Status ParquetWriter::FlushGroup() {
  if (pages_.offset() == 0) RETURN_IF_ERROR(pages_.Append(kMagic));
  RowGroupMeta group{.rows = group_rows_};
  for (ColumnWriter& column : columns_) {
    ASSIGN_OR_RETURN(ChunkMeta chunk,
                     column.Flush(&pages_, options_.page_bytes, options_.dictionary_bytes));
    group.bytes += chunk.uncompressed_bytes;
    group.chunks.push_back(std::move(chunk));
  }
  meta_.rows += std::exchange(group_rows_, 0);
  meta_.groups.push_back(std::move(group));
  marks_.assign(columns_.size(), {});
  return absl::OkStatus();
}

absl::Status ParquetWriter::Finish(KeyValues key_values) {
  if (pages_.offset() == 0) RETURN_IF_ERROR(pages_.Append(kMagic));
  if (group_rows_ > 0) RETURN_IF_ERROR(FlushGroup());
  meta_.key_values = std::move(key_values);
  std::string footer = EncodeFileMeta(meta_);
  const auto size = static_cast<uint32_t>(footer.size());
  footer.append(reinterpret_cast<const char*>(&size), sizeof size);
  footer.append(kMagic);
  return pages_.Append(footer);
}

}  // namespace orbweaver::parquet
