// The pages of one column chunk, checked and unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/parquet/byte_source.h"
#include "common/parquet/metadata.h"

namespace orbweaver::parquet {

// Place: below ColumnReader. Memory: one page. Not thread-safe.
class PageReader {
 public:
  // `source` must outlive this. `max_page_bytes` bounds what a page unpacks to.
  PageReader(ByteSource& source, const ChunkMeta& chunk, size_t max_page_bytes);
  ~PageReader();

  // False at the end of the chunk. Poison where its bytes are damaged or not understood. Of a page
  // of kDataV2 `page` begins with its levels, as they are. Valid until the next call.
  absl::StatusOr<bool> Next(PageHeader* header, std::string_view* page);

 private:
  struct Unpacker;

  absl::Status ReadHeader(PageHeader* header);
  absl::StatusOr<std::string_view> Unpack(const PageHeader& header);

  ByteSource& source_;
  const int32_t codec_;
  const size_t max_page_bytes_;
  uint64_t at_ = 0;
  uint64_t end_ = 0;
  bool is_damaged_ = false;  // the chunk's place in the file
  const std::unique_ptr<Unpacker> unpacker_;
  std::string packed_;
  std::string page_;
};

}  // namespace orbweaver::parquet
