#include "lab/recording/recorded_file_reader.h"

#include <utility>

#include "common/base/status.h"
#include "common/parquet/byte_source.h"
#include "lab/recording/folder_file.h"
#include "lab/recording/topic_columns.h"

namespace orbweaver::lab {

using parquet::Cell;
using parquet::Node;
using parquet::Schema;
using parquet::Type;

namespace {

// Null: no such column of that type.
const Node* Find(const Schema& schema, std::string_view name, Type type) {
  size_t next = 0;
  const int index = schema.Child(schema.root(), name, &next);
  if (index < 0 || schema.node(index).type != type) return nullptr;
  return &schema.node(index);
}

const Node* FindHeader(const Schema& schema, std::string_view name) {
  const Node* const list = Find(schema, kHeadersColumn, Type::kList);
  if (list == nullptr) return nullptr;
  for (const int child : schema.node(list->children[0]).children) {
    const Node& node = schema.node(child);
    if (node.name == name && node.type == Type::kBinary) return &node;
  }
  return nullptr;
}

absl::Status CheckClaim(const parquet::FileMeta& meta, std::string_view recording_id,
                        const RecordedFile& file) {
  for (const auto& [key, value] : meta.key_values) {
    if (key != kFileKey) continue;
    ASSIGN_OR_RETURN(const FileClaim claim, ParseFileText(value));
    if (claim.recording_id != recording_id) return PoisonError("it is of another recording");
    if (claim.file.range != file.range) return PoisonError("it is of another part of the log");
    return absl::OkStatus();
  }
  return PoisonError("it is no file of a recording");
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordedFileReader>> RecordedFileReader::Open(
    const std::filesystem::path& folder, std::string_view recording_id, const RecordedFile& file) {
  const std::filesystem::path path = folder / file.Name();
  const auto sum = SumOf(path);
  if (absl::IsNotFound(sum.status())) return PoisonError("{}: it is missing", path.string());
  RETURN_IF_ERROR(sum.status());
  if (sum->bytes != file.bytes) {
    return PoisonError("{}: it has {} bytes, and the manifest says {}. It is damaged",
                       path.string(), sum->bytes, file.bytes);
  }
  if (sum->crc != file.crc) {
    return PoisonError("{}: its checksum is {:08x}, and the manifest says {:08x}. It is damaged",
                       path.string(), sum->crc, file.crc);
  }
  std::unique_ptr<RecordedFileReader> reader(new RecordedFileReader(path.string(), file));
  ASSIGN_OR_RETURN(auto source, parquet::FileSource::Open(path.string()));
  auto parquet = parquet::ParquetReader::Open(std::move(source));
  if (!parquet.ok()) return Annotate(parquet.status(), path.string());
  reader->parquet_ = *std::move(parquet);
  const absl::Status status = CheckClaim(reader->parquet_->meta(), recording_id, file);
  if (!status.ok()) return Annotate(status, path.string());
  RETURN_IF_ERROR(reader->OpenColumns());
  return reader;
}

absl::Status RecordedFileReader::OpenColumns() {
  const Schema& schema = parquet_->schema();
  offset_.leaf = Find(schema, kOffsetColumn, Type::kInt64);
  timestamp_.leaf = Find(schema, kTimestampColumn, Type::kTimestamp);
  key_.leaf = Find(schema, kKeyColumn, Type::kBinary);
  value_.leaf = Find(schema, kValueColumn, Type::kBinary);
  header_name_.leaf = FindHeader(schema, "name");
  header_value_.leaf = FindHeader(schema, "value");
  for (const Column* column :
       {&offset_, &timestamp_, &key_, &value_, &header_name_, &header_value_}) {
    if (column->leaf == nullptr) return PoisonError("{}: it lacks a record's columns", name_);
  }
  next_ = file_.range.first;
  return absl::OkStatus();
}

absl::StatusOr<bool> RecordedFileReader::BeginGroup() {
  const auto& groups = parquet_->meta().groups;
  while (rows_left_ == 0) {
    if (group_ == groups.size()) return false;
    rows_left_ = groups[group_].rows;
    for (Column* column : {&offset_, &timestamp_, &key_, &value_, &header_name_, &header_value_}) {
      column->reader = parquet_->Column(group_, *column->leaf);
    }
    ++group_;
  }
  --rows_left_;
  return true;
}

absl::StatusOr<bool> RecordedFileReader::Next(Message* message) {
  auto is_there = NextRow(message);
  if (!is_there.ok()) return Annotate(is_there.status(), name_);
  return is_there;
}

absl::StatusOr<const Cell*> RecordedFileReader::Take(Column& column) {
  // The cell stays until the next Peek.
  ASSIGN_OR_RETURN(const Cell* const cell, column.reader->Peek());
  if (cell == nullptr || cell->definition < column.leaf->definition) {
    return PoisonError("column '{}' ends too early", column.leaf->name);
  }
  column.reader->Pop();
  return cell;
}

absl::StatusOr<bool> RecordedFileReader::NextRow(Message* message) {
  ASSIGN_OR_RETURN(const bool is_there, BeginGroup());
  if (!is_there) {
    if (records_ == file_.records) return false;
    return PoisonError("it has {} records, and the manifest says {}", records_, file_.records);
  }
  ++records_;
  ASSIGN_OR_RETURN(const Cell* const offset, Take(offset_));
  ASSIGN_OR_RETURN(const Cell* const timestamp, Take(timestamp_));
  ASSIGN_OR_RETURN(const Cell* const key, Take(key_));
  ASSIGN_OR_RETURN(const Cell* const value, Take(value_));
  *message = {.partition = file_.range.partition,
              .offset = Offset(offset->integer),
              .time = WallTime(std::chrono::milliseconds(timestamp->integer)),
              .key = key->bytes,
              .value = value->bytes,
              .headers = {}};
  if (message->offset < next_ || message->offset >= file_.range.end) {
    return PoisonError("offset {} stands where {} or more, below {}, must be", message->offset,
                       next_, file_.range.end);
  }
  next_ = Offset(message->offset.value() + 1);
  RETURN_IF_ERROR(ReadHeaders(message));
  return true;
}

absl::Status RecordedFileReader::ReadHeaders(Message* message) {
  headers_.clear();
  header_bytes_.clear();
  for (bool first = true;; first = false) {
    ASSIGN_OR_RETURN(const Cell* const name, header_name_.reader->Peek());
    const bool ends = name == nullptr || (!first && name->repetition == 0);
    if (ends && first) return PoisonError("column 'raw_headers' ends too early");
    if (ends) break;
    ASSIGN_OR_RETURN(const Cell* const value, header_value_.reader->Peek());
    if (value == nullptr || value->repetition != name->repetition ||
        (value->definition == header_value_.leaf->definition) !=
            (name->definition == header_name_.leaf->definition)) {
      return PoisonError("the columns of 'raw_headers' contradict each other");
    }
    // A next page may take the place of the bytes.
    if (name->definition == header_name_.leaf->definition) {
      header_bytes_.emplace_back(name->bytes);
      header_bytes_.emplace_back(value->bytes);
    }
    header_name_.reader->Pop();
    header_value_.reader->Pop();
  }
  for (size_t i = 0; i < header_bytes_.size(); i += 2) {
    headers_.push_back({.name = header_bytes_[i], .value = header_bytes_[i + 1]});
  }
  message->headers = headers_;
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
