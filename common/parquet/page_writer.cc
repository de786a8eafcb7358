#include "common/parquet/page_writer.h"

#include <utility>
#include <zlib.h>
#include <zstd.h>

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver::parquet {

struct PageWriter::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ~Compressor() { ZSTD_freeCCtx(context); }
};

PageWriter::PageWriter(ByteSink sink, int level)
    : sink_(std::move(sink)), compressor_(std::make_unique<Compressor>()) {
  CHECK(ZSTD_isError(
            ZSTD_CCtx_setParameter(compressor_->context, ZSTD_c_compressionLevel, level)) == 0);
}

PageWriter::~PageWriter() = default;

absl::Status PageWriter::Append(std::string_view bytes) {
  RETURN_IF_ERROR(sink_(bytes));
  offset_ += static_cast<int64_t>(bytes.size());
  return absl::OkStatus();
}

absl::Status PageWriter::WritePage(PageHeader header, std::string_view page,
                                   int64_t* uncompressed) {
  out_.resize(ZSTD_compressBound(page.size()));
  const size_t size =
      ZSTD_compress2(compressor_->context, out_.data(), out_.size(), page.data(), page.size());
  CHECK(ZSTD_isError(size) == 0);
  const std::string_view body = std::string_view(out_).substr(0, size);
  if (page.size() > INT32_MAX || body.size() > INT32_MAX) {
    return FatalError("write a Parquet file: a value has {} bytes", page.size());
  }
  header.uncompressed_bytes = static_cast<int32_t>(page.size());
  header.compressed_bytes = static_cast<int32_t>(size);
  header.crc =
      static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
  const std::string head = EncodePageHeader(header);
  *uncompressed += static_cast<int64_t>(head.size() + page.size());
  RETURN_IF_ERROR(Append(head));
  return Append(body);
}

}  // namespace orbweaver::parquet
