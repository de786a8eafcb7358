// The metadata of Parquet files, as far as we write or read it. Field numbers and types are the format's
// (https://parquet.apache.org/docs/file-format/metadata/); fields that are not here are skipped when they are met.
//
// Enumerations are i32, which is the same on the wire: a file may hold any number, and a C++ enumeration may not. Their values
// stand in common/parquet/metadata.h.
namespace cpp orbweaver.parquet.wire

struct Statistics {
  3: optional i64 null_count
  5: optional binary max_value
  6: optional binary min_value
}

struct Empty {}

union TimeUnit {
  1: Empty millis
  2: Empty micros
  3: Empty nanos
}

struct TimestampType {
  1: required bool is_adjusted_to_utc
  2: required TimeUnit unit
}

struct IntType {
  1: required i8 bit_width
  2: required bool is_signed
}

// Another type than these leaves all of it unset.
union LogicalType {
  1: Empty string_type
  2: Empty map_type
  3: Empty list_type
  8: TimestampType timestamp_type
  10: IntType integer_type
}

struct SchemaElement {
  1: optional i32 type
  3: optional i32 repetition
  4: required string name
  5: optional i32 num_children
  6: optional i32 converted_type
  10: optional LogicalType logical_type
}

struct DataPageHeader {
  1: required i32 num_values
  2: required i32 encoding
  3: required i32 definition_level_encoding
  4: required i32 repetition_level_encoding
}

struct DictionaryPageHeader {
  1: required i32 num_values
  2: required i32 encoding
}

struct DataPageHeaderV2 {
  1: required i32 num_values
  2: required i32 num_nulls
  3: required i32 num_rows
  4: required i32 encoding
  5: required i32 definition_levels_byte_length
  6: required i32 repetition_levels_byte_length
  7: optional bool is_compressed = true
}

struct PageHeader {
  1: required i32 type
  2: required i32 uncompressed_page_size
  3: required i32 compressed_page_size
  4: optional i32 crc
  5: optional DataPageHeader data_page_header
  7: optional DictionaryPageHeader dictionary_page_header
  8: optional DataPageHeaderV2 data_page_header_v2
}

struct KeyValue {
  1: required string key
  2: optional string value
}

struct ColumnMetaData {
  1: required i32 type
  2: required list<i32> encodings
  3: required list<string> path_in_schema
  4: required i32 codec
  5: required i64 num_values
  6: required i64 total_uncompressed_size
  7: required i64 total_compressed_size
  9: required i64 data_page_offset
  11: optional i64 dictionary_page_offset
  12: optional Statistics statistics
}

struct ColumnChunk {
  1: optional string file_path
  2: required i64 file_offset
  3: required ColumnMetaData meta_data
}

struct RowGroup {
  1: required list<ColumnChunk> columns
  2: required i64 total_byte_size
  3: required i64 num_rows
}

union ColumnOrder {
  1: Empty type_order
}

struct FileMetaData {
  1: required i32 version
  2: required list<SchemaElement> schema
  3: required i64 num_rows
  4: required list<RowGroup> row_groups
  5: optional list<KeyValue> key_value_metadata
  6: optional string created_by
  7: optional list<ColumnOrder> column_orders
}
