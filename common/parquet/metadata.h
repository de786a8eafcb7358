// The metadata of Parquet files as plain structs, and their bytes: Thrift's compact protocol
// (proto/parquet.thrift). The numbers are those of https://parquet.apache.org/docs/file-format/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace orbweaver::parquet {

// In a file stands any number; these are those that we know.
namespace physical {
inline constexpr int32_t kBoolean = 0, kInt32 = 1, kInt64 = 2, kInt96 = 3, kFloat = 4, kDouble = 5,
                         kByteArray = 6, kFixedLengthByteArray = 7;
}
namespace repetition {
inline constexpr int32_t kRequired = 0, kOptional = 1, kRepeated = 2;
}
namespace converted {
inline constexpr int32_t kUtf8 = 0, kMap = 1, kMapKeyValue = 2, kList = 3, kTimestampMillis = 9,
                         kInt32 = 17, kInt64 = 18;
}
namespace encoding {
inline constexpr int32_t kPlain = 0, kPlainDictionary = 2, kRle = 3, kRleDictionary = 8;
}
namespace codec {
inline constexpr int32_t kNone = 0, kZstd = 6;
}
namespace page_type {
inline constexpr int32_t kData = 0, kIndex = 1, kDictionary = 2, kDataV2 = 3;
}

enum class LogicalKind : uint8_t {
  kNone,
  kString,
  kMap,
  kList,
  kTimestampMillis,  // in UTC
  kInt32,
  kInt64,
  kOther
};

struct SchemaElementMeta {
  std::optional<int32_t> type;        // absent: a group
  std::optional<int32_t> repetition;  // absent at the root
  std::string name;
  int32_t children = 0;
  std::optional<int32_t> converted;
  LogicalKind logical = LogicalKind::kNone;
};

struct ChunkStatistics {
  std::optional<std::string> min;  // plain, without the length of a byte array
  std::optional<std::string> max;
  std::optional<int64_t> nulls;
};

struct ChunkMeta {
  int32_t type = 0;
  std::vector<int32_t> encodings;
  std::vector<std::string> path;
  int32_t codec = codec::kZstd;
  int64_t values = 0;  // nulls and empty lists count
  int64_t uncompressed_bytes = 0;
  int64_t compressed_bytes = 0;
  int64_t data_page_offset = 0;
  std::optional<int64_t> dictionary_page_offset;
  ChunkStatistics statistics;
  bool elsewhere = false;  // in another file
};

struct RowGroupMeta {
  std::vector<ChunkMeta> chunks;  // as the leaves stand in the schema
  int64_t bytes = 0;              // uncompressed
  int64_t rows = 0;
};

using KeyValues = std::vector<std::pair<std::string, std::string>>;

struct FileMeta {
  std::vector<SchemaElementMeta> schema;
  int64_t rows = 0;
  std::vector<RowGroupMeta> groups;
  KeyValues key_values;
  std::string created_by;
};

struct PageHeader {
  int32_t type = page_type::kData;
  int32_t uncompressed_bytes = 0;
  int32_t compressed_bytes = 0;
  std::optional<uint32_t> crc;
  // Of the page's own kind.
  int32_t values = 0;
  int32_t encoding = encoding::kPlain;
  int32_t level_encoding = encoding::kRle;
  // Of kDataV2.
  int32_t definition_bytes = 0;
  int32_t repetition_bytes = 0;
  bool is_compressed = true;
};

std::string EncodeFileMeta(const FileMeta& meta);
std::string EncodePageHeader(const PageHeader& header);

// Poison when the bytes are none of it. Memory is in proportion to the bytes.
absl::StatusOr<FileMeta> DecodeFileMeta(std::string_view bytes);
// *size becomes how many of the bytes it has; what follows is not looked at.
absl::StatusOr<PageHeader> DecodePageHeader(std::string_view bytes, size_t* size);

}  // namespace orbweaver::parquet
