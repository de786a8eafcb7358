#include "common/parquet/metadata.h"

#include <algorithm>
#include <memory>

#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "common/base/status.h"
#include "parquet_thrift/parquet_types.h"

namespace orbweaver::parquet {
namespace {

using apache::thrift::protocol::TCompactProtocolT;
using apache::thrift::transport::TMemoryBuffer;

// Of a list: room for all of it is made before its first element is read. No file of ours comes
// near it.
constexpr size_t kMaxElements = 1 << 16;

template <typename Struct>
std::string ToBytes(const Struct& from) {
  const auto buffer = std::make_shared<TMemoryBuffer>();
  TCompactProtocolT<TMemoryBuffer> protocol(buffer);
  from.write(&protocol);
  return buffer->getBufferAsString();
}

template <typename Struct>
absl::StatusOr<size_t> FromBytes(std::string_view bytes, std::string_view what, Struct* to) {
  try {
    // It is only read.
    const auto buffer = std::make_shared<TMemoryBuffer>(
        const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(bytes.data())),
        static_cast<uint32_t>(bytes.size()));
    TCompactProtocolT<TMemoryBuffer> protocol(
        buffer, static_cast<int32_t>(bytes.size()),
        static_cast<int32_t>(std::clamp<size_t>(bytes.size(), 1, kMaxElements)));
    to->read(&protocol);
    return bytes.size() - buffer->available_read();
  } catch (const std::exception& e) {
    return PoisonError("read {} of a Parquet file: {}. The file is damaged", what, e.what());
  }
}

wire::LogicalType ToLogical(LogicalKind kind) {
  wire::LogicalType logical;
  switch (kind) {
    case LogicalKind::kString:
      logical.__set_string_type({});
      break;
    case LogicalKind::kMap:
      logical.__set_map_type({});
      break;
    case LogicalKind::kList:
      logical.__set_list_type({});
      break;
    case LogicalKind::kTimestampMillis: {
      wire::TimestampType timestamp;
      timestamp.is_adjusted_to_utc = true;
      timestamp.unit.__set_millis({});
      logical.__set_timestamp_type(timestamp);
      break;
    }
    case LogicalKind::kInt32:
    case LogicalKind::kInt64: {
      wire::IntType integer;
      integer.bit_width = kind == LogicalKind::kInt32 ? 32 : 64;
      integer.is_signed = true;
      logical.__set_integer_type(integer);
      break;
    }
    case LogicalKind::kNone:
    case LogicalKind::kOther:
      break;
  }
  return logical;
}

LogicalKind FromLogical(const wire::LogicalType& logical) {
  if (logical.__isset.string_type) return LogicalKind::kString;
  if (logical.__isset.map_type) return LogicalKind::kMap;
  if (logical.__isset.list_type) return LogicalKind::kList;
  if (logical.__isset.timestamp_type && logical.timestamp_type.is_adjusted_to_utc &&
      logical.timestamp_type.unit.__isset.millis) {
    return LogicalKind::kTimestampMillis;
  }
  if (logical.__isset.integer_type && logical.integer_type.is_signed) {
    if (logical.integer_type.bit_width == 32) return LogicalKind::kInt32;
    if (logical.integer_type.bit_width == 64) return LogicalKind::kInt64;
  }
  return LogicalKind::kOther;
}

wire::SchemaElement ToWire(const SchemaElementMeta& from) {
  wire::SchemaElement to;
  to.name = from.name;
  if (from.type) to.__set_type(*from.type);
  if (from.repetition) to.__set_repetition(*from.repetition);
  if (!from.type) to.__set_num_children(from.children);
  if (from.converted) to.__set_converted_type(*from.converted);
  if (from.logical != LogicalKind::kNone) to.__set_logical_type(ToLogical(from.logical));
  return to;
}

SchemaElementMeta FromWire(wire::SchemaElement& from) {
  SchemaElementMeta to;
  to.name = std::move(from.name);
  if (from.__isset.type) to.type = from.type;
  if (from.__isset.repetition) to.repetition = from.repetition;
  if (from.__isset.num_children) to.children = from.num_children;
  if (from.__isset.converted_type) to.converted = from.converted_type;
  if (from.__isset.logical_type) to.logical = FromLogical(from.logical_type);
  return to;
}

wire::ColumnChunk ToWire(const ChunkMeta& from) {
  wire::ColumnMetaData meta;
  meta.type = from.type;
  meta.encodings = from.encodings;
  meta.path_in_schema = from.path;
  meta.codec = from.codec;
  meta.num_values = from.values;
  meta.total_uncompressed_size = from.uncompressed_bytes;
  meta.total_compressed_size = from.compressed_bytes;
  meta.data_page_offset = from.data_page_offset;
  if (from.dictionary_page_offset) meta.__set_dictionary_page_offset(*from.dictionary_page_offset);
  wire::Statistics statistics;
  if (from.statistics.min) statistics.__set_min_value(*from.statistics.min);
  if (from.statistics.max) statistics.__set_max_value(*from.statistics.max);
  if (from.statistics.nulls) statistics.__set_null_count(*from.statistics.nulls);
  meta.__set_statistics(statistics);
  wire::ColumnChunk to;
  to.file_offset = 0;  // the format's own description calls it deprecated, and has writers write 0
  to.meta_data = std::move(meta);
  return to;
}

ChunkMeta FromWire(wire::ColumnChunk& from) {
  wire::ColumnMetaData& meta = from.meta_data;
  ChunkMeta to;
  to.type = meta.type;
  to.encodings = std::move(meta.encodings);
  to.path = std::move(meta.path_in_schema);
  to.codec = meta.codec;
  to.values = meta.num_values;
  to.uncompressed_bytes = meta.total_uncompressed_size;
  to.compressed_bytes = meta.total_compressed_size;
  to.data_page_offset = meta.data_page_offset;
  if (meta.__isset.dictionary_page_offset) to.dictionary_page_offset = meta.dictionary_page_offset;
  if (meta.statistics.__isset.min_value) to.statistics.min = std::move(meta.statistics.min_value);
  if (meta.statistics.__isset.max_value) to.statistics.max = std::move(meta.statistics.max_value);
  if (meta.statistics.__isset.null_count) to.statistics.nulls = meta.statistics.null_count;
  to.elsewhere = from.__isset.file_path && !from.file_path.empty();
  return to;
}

}  // namespace

std::string EncodeFileMeta(const FileMeta& meta) {
  wire::FileMetaData file;
  file.version = 2;
  size_t leaves = 0;
  for (const SchemaElementMeta& element : meta.schema) {
    file.schema.push_back(ToWire(element));
    leaves += element.type.has_value() ? 1 : 0;
  }
  file.num_rows = meta.rows;
  for (const RowGroupMeta& from : meta.groups) {
    wire::RowGroup& group = file.row_groups.emplace_back();
    for (const ChunkMeta& chunk : from.chunks) group.columns.push_back(ToWire(chunk));
    group.total_byte_size = from.bytes;
    group.num_rows = from.rows;
  }
  std::vector<wire::KeyValue> pairs;
  for (const auto& [key, value] : meta.key_values) {
    wire::KeyValue& pair = pairs.emplace_back();
    pair.key = key;
    pair.__set_value(value);
  }
  if (!pairs.empty()) file.__set_key_value_metadata(pairs);
  file.__set_created_by(meta.created_by);
  // By it readers know how the statistics compare.
  wire::ColumnOrder order;
  order.__set_type_order({});
  file.__set_column_orders(std::vector<wire::ColumnOrder>(leaves, order));
  return ToBytes(file);
}

absl::StatusOr<FileMeta> DecodeFileMeta(std::string_view bytes) {
  wire::FileMetaData file;
  RETURN_IF_ERROR(FromBytes(bytes, "the footer", &file).status());
  FileMeta meta;
  for (wire::SchemaElement& element : file.schema) meta.schema.push_back(FromWire(element));
  meta.rows = file.num_rows;
  for (wire::RowGroup& from : file.row_groups) {
    RowGroupMeta& group = meta.groups.emplace_back();
    for (wire::ColumnChunk& chunk : from.columns) group.chunks.push_back(FromWire(chunk));
    group.bytes = from.total_byte_size;
    group.rows = from.num_rows;
  }
  for (wire::KeyValue& pair : file.key_value_metadata) {
    meta.key_values.emplace_back(std::move(pair.key), std::move(pair.value));
  }
  meta.created_by = std::move(file.created_by);
  return meta;
}

std::string EncodePageHeader(const PageHeader& header) {
  wire::PageHeader to;
  to.type = header.type;
  to.uncompressed_page_size = header.uncompressed_bytes;
  to.compressed_page_size = header.compressed_bytes;
  if (header.crc) to.__set_crc(static_cast<int32_t>(*header.crc));
  if (header.type == page_type::kDictionary) {
    wire::DictionaryPageHeader dictionary;
    dictionary.num_values = header.values;
    dictionary.encoding = header.encoding;
    to.__set_dictionary_page_header(dictionary);
  } else {
    wire::DataPageHeader data;
    data.num_values = header.values;
    data.encoding = header.encoding;
    data.definition_level_encoding = header.level_encoding;
    data.repetition_level_encoding = header.level_encoding;
    to.__set_data_page_header(data);
  }
  return ToBytes(to);
}

absl::StatusOr<PageHeader> DecodePageHeader(std::string_view bytes, size_t* size) {
  wire::PageHeader from;
  ASSIGN_OR_RETURN(*size, FromBytes(bytes, "a page's header", &from));
  PageHeader header{.type = from.type,
                    .uncompressed_bytes = from.uncompressed_page_size,
                    .compressed_bytes = from.compressed_page_size};
  if (from.__isset.crc) header.crc = static_cast<uint32_t>(from.crc);
  if (from.type == page_type::kDictionary && from.__isset.dictionary_page_header) {
    header.values = from.dictionary_page_header.num_values;
    header.encoding = from.dictionary_page_header.encoding;
  } else if (from.type == page_type::kData && from.__isset.data_page_header) {
    const wire::DataPageHeader& data = from.data_page_header;
    header.values = data.num_values;
    header.encoding = data.encoding;
    // Of levels that there are none of it says nothing; either may then be anything.
    header.level_encoding = data.definition_level_encoding == encoding::kRle
                                ? data.repetition_level_encoding
                                : data.definition_level_encoding;
  } else if (from.type == page_type::kDataV2 && from.__isset.data_page_header_v2) {
    const wire::DataPageHeaderV2& data = from.data_page_header_v2;
    header.values = data.num_values;
    header.encoding = data.encoding;
    header.definition_bytes = data.definition_levels_byte_length;
    header.repetition_bytes = data.repetition_levels_byte_length;
    header.is_compressed = data.is_compressed;
  } else if (from.type != page_type::kIndex) {
    return PoisonError("read a Parquet file: a page of type {}, which this reader does not know",
                       from.type);
  }
  return header;
}

}  // namespace orbweaver::parquet
