// Pages, compressed and with their checksums, onto a file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "common/parquet/metadata.h"

namespace orbweaver::parquet {

// Takes the next bytes of a file.
using ByteSink = std::function<absl::Status(std::string_view)>;

// Place: in ParquetWriter, below its columns. Not thread-safe.
class PageWriter {
 public:
  PageWriter(ByteSink sink, int level);
  ~PageWriter();

  absl::Status Append(std::string_view bytes);  // as they are

  // Sizes and checksum of `header` are set here. *uncompressed grows by what the page is without
  // compression, its header included.
  absl::Status WritePage(PageHeader header, std::string_view page, int64_t* uncompressed);

  // Where the next byte comes to stand.
  int64_t offset() const { return offset_; }

 private:
  struct Compressor;

  const ByteSink sink_;
  const std::unique_ptr<Compressor> compressor_;
  int64_t offset_ = 0;
  std::string out_;
};

}  // namespace orbweaver::parquet
