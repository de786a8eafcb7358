#include "common/parquet/page_reader.h"

#include <algorithm>
#include <zlib.h>
#include <zstd.h>

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver::parquet {
namespace {

// A page's header; those with statistics of long values are read with the second.
constexpr uint64_t kHeaderBytes = 4 << 10;
constexpr uint64_t kMaxHeaderBytes = 1 << 20;

absl::Status Damaged(std::string_view what) {
  return PoisonError("read a Parquet file: {}. The file is damaged", what);
}

}  // namespace

struct PageReader::Unpacker {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  ~Unpacker() { ZSTD_freeDCtx(context); }
};

PageReader::PageReader(ByteSource& source, const ChunkMeta& chunk, size_t max_page_bytes)
    : source_(source),
      codec_(chunk.codec),
      max_page_bytes_(max_page_bytes),
      unpacker_(std::make_unique<Unpacker>()) {
  // Some writers say 0 where there is no dictionary.
  int64_t begin = chunk.data_page_offset;
  if (chunk.dictionary_page_offset.value_or(0) > 0) {
    begin = std::min(begin, *chunk.dictionary_page_offset);
  }
  const auto size = static_cast<int64_t>(source.size());
  if (begin < 0 || begin > size || chunk.compressed_bytes < 0 ||
      chunk.compressed_bytes > size - begin) {
    is_damaged_ = true;
    return;
  }
  at_ = static_cast<uint64_t>(begin);
  end_ = at_ + static_cast<uint64_t>(chunk.compressed_bytes);
}

PageReader::~PageReader() = default;

absl::Status PageReader::ReadHeader(PageHeader* header) {
  size_t size = 0;
  absl::StatusOr<PageHeader> decoded;
  for (const uint64_t room : {kHeaderBytes, kMaxHeaderBytes}) {
    RETURN_IF_ERROR(source_.Read(at_, std::min(room, end_ - at_), &packed_));
    decoded = DecodePageHeader(packed_, &size);
    if (decoded.ok() || packed_.size() < room) break;
  }
  RETURN_IF_ERROR(decoded.status());
  *header = *decoded;
  at_ += size;
  return absl::OkStatus();
}

absl::StatusOr<bool> PageReader::Next(PageHeader* header, std::string_view* page) {
  if (is_damaged_) return Damaged("a column lies beyond its end");
  do {
    if (at_ == end_) return false;
    RETURN_IF_ERROR(ReadHeader(header));
    if (header->compressed_bytes < 0 || header->uncompressed_bytes < 0 || header->values < 0 ||
        static_cast<uint64_t>(header->compressed_bytes) > end_ - at_) {
      return Damaged("a page lies beyond its column");
    }
    if (static_cast<size_t>(header->uncompressed_bytes) > max_page_bytes_ ||
        static_cast<size_t>(header->compressed_bytes) > max_page_bytes_) {
      return PoisonError("read a Parquet file: a page of {} bytes; this reader takes {}",
                         std::max(header->uncompressed_bytes, header->compressed_bytes),
                         max_page_bytes_);
    }
    RETURN_IF_ERROR(source_.Read(at_, static_cast<size_t>(header->compressed_bytes), &packed_));
    at_ += packed_.size();
  } while (header->type == page_type::kIndex);
  if (header->crc &&
      crc32_z(0, reinterpret_cast<const Bytef*>(packed_.data()), packed_.size()) != *header->crc) {
    return Damaged("a page's checksum is another");
  }
  ASSIGN_OR_RETURN(*page, Unpack(*header));
  return true;
}

absl::StatusOr<std::string_view> PageReader::Unpack(const PageHeader& header) {
  const auto size = static_cast<size_t>(header.uncompressed_bytes);
  // Levels of kDataV2 stand before what is compressed.
  size_t levels = 0;
  if (header.type == page_type::kDataV2) {
    if (header.definition_bytes < 0 || header.repetition_bytes < 0) {
      return Damaged("a page's levels lie beyond it");
    }
    levels =
        static_cast<size_t>(header.definition_bytes) + static_cast<size_t>(header.repetition_bytes);
    if (levels > std::min(size, packed_.size())) return Damaged("a page's levels lie beyond it");
  }
  if (codec_ == codec::kNone || !header.is_compressed) {
    if (packed_.size() != size) return Damaged("a page has another size than its header says");
    return packed_;
  }
  if (codec_ != codec::kZstd) {
    return PoisonError(
        "read a Parquet file: compressed by codec {}; this reader knows zstd (6) and none (0)",
        codec_);
  }
  page_.resize(size);
  std::copy_n(packed_.data(), levels, page_.data());
  // A page without values may have nothing behind its levels.
  if (size == levels && packed_.size() == levels) return page_;
  const size_t unpacked =
      ZSTD_decompressDCtx(unpacker_->context, page_.data() + levels, size - levels,
                          packed_.data() + levels, packed_.size() - levels);
  if (ZSTD_isError(unpacked) != 0 || unpacked != size - levels) {
    return Damaged("a page cannot be unpacked");
  }
  return page_;
}

}  // namespace orbweaver::parquet
