#include "common/store/rocksdb/compression.h"

#include "common/base/big_endian.h"
#include "lz4.h"

namespace orbweaver {
namespace {

// Below, a header and LZ4's table cost more than there is to save.
constexpr size_t kLeastBytes = 256;
// One over it is left alone: store and bus have their own bounds, far below.
constexpr size_t kMostBytes = size_t{64} << 20;
// LZ4 makes no more of a byte.
constexpr size_t kMostGrowth = 255;
constexpr size_t kSizeBytes = sizeof(uint32_t);

}  // namespace

bool Compress(std::string_view bytes, std::string* out) {
  if (bytes.size() < kLeastBytes || bytes.size() > kMostBytes) return false;
  const size_t begin = out->size();
  const size_t most = bytes.size() - bytes.size() / 8 - kSizeBytes;
  out->resize(begin + kSizeBytes + most);
  char* const to = out->data() + begin;
  StoreBigEndian(static_cast<uint32_t>(bytes.size()), to);
  // Gives up where the result would not fit.
  const int written = LZ4_compress_default(bytes.data(), to + kSizeBytes,
                                           static_cast<int>(bytes.size()), static_cast<int>(most));
  out->resize(written > 0 ? begin + kSizeBytes + static_cast<size_t>(written) : begin);
  return written > 0;
}

bool Decompress(std::string_view compressed, std::string* out) {
  if (compressed.size() <= kSizeBytes) return false;
  const size_t size = LoadBigEndian<uint32_t>(compressed.data());
  const std::string_view in = compressed.substr(kSizeBytes);
  if (size > kMostBytes || size / kMostGrowth > in.size() || in.size() > kMostBytes) return false;
  const size_t begin = out->size();
  out->resize(begin + size);
  return LZ4_decompress_safe(in.data(), out->data() + begin, static_cast<int>(in.size()),
                             static_cast<int>(size)) == static_cast<int>(size);
}

}  // namespace orbweaver
