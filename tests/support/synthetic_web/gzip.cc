#include "tests/support/synthetic_web/gzip.h"

#include <zlib.h>

#include "common/base/check.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kHeaderBytes = 10;                 // RFC 1952, section 2.3
constexpr int kRawDeflate = -15, kGzipFormat = 31;  // window bits, as zlib wants it said

// Appends `content` deflated; `level` and `flush` as zlib's.
void Deflate(std::string_view content, int level, int window_bits, int flush, std::string* out) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  const size_t start = out->size();
  out->resize(start + deflateBound(&stream, content.size()) + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out->data() + start);
  stream.avail_out = static_cast<uInt>(out->size() - start);
  const int result = deflate(&stream, flush);
  CHECK(result == (flush == Z_FINISH ? Z_STREAM_END : Z_OK) && stream.avail_in == 0);
  out->resize(start + stream.total_out);
  deflateEnd(&stream);
}

void AppendLittleEndian(uint32_t number, std::string* out) {
  for (int shift = 0; shift < 32; shift += 8) out->push_back(static_cast<char>(number >> shift));
}

}  // namespace

void Gzip(std::string_view content, std::string* out) {
  out->clear();
  Deflate(content, Z_BEST_SPEED, kGzipFormat, Z_FINISH, out);
}

void BreakGzip(std::string* gzipped) { (*gzipped)[kHeaderBytes] = '\xff'; }

std::string GzipBomb(uint64_t unpacked_bytes) {
  const std::string zeros(1 << 20, '\0');
  // After a full flush nothing refers back, so that the same blocks may stand again and again.
  std::string blocks;
  Deflate(zeros, Z_BEST_COMPRESSION, kRawDeflate, Z_FULL_FLUSH, &blocks);
  const uLong blocks_crc =
      crc32(0, reinterpret_cast<const Bytef*>(zeros.data()), static_cast<uInt>(zeros.size()));
  const uint64_t count = (unpacked_bytes + zeros.size() - 1) / zeros.size();

  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", kHeaderBytes);
  uLong crc = 0;
  for (uint64_t i = 0; i < count; ++i) {
    out += blocks;
    crc = crc32_combine(crc, blocks_crc, static_cast<z_off_t>(zeros.size()));
  }
  out.append("\x03\0", 2);  // an empty last block
  AppendLittleEndian(static_cast<uint32_t>(crc), &out);
  AppendLittleEndian(static_cast<uint32_t>(count * zeros.size()), &out);
  return out;
}

}  // namespace orbweaver::synthetic
