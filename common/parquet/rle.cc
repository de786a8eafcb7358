#include "common/parquet/rle.h"

#include <algorithm>
#include <bit>

namespace orbweaver::parquet {
namespace {

constexpr size_t kGroup = 8;  // packed values come in eights

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

template <typename T>
void AppendPacked(std::span<const T> values, int width, std::string* out) {
  if (values.empty()) return;
  const size_t groups = (values.size() + kGroup - 1) / kGroup;
  AppendVarint(groups << 1 | 1, out);
  uint64_t bits = 0;
  int filled = 0;
  for (size_t i = 0; i < groups * kGroup; ++i) {
    const uint64_t value = i < values.size() ? values[i] : 0;
    bits |= value << filled;
    for (filled += width; filled >= 8; filled -= 8) {
      out->push_back(static_cast<char>(bits));
      bits >>= 8;
    }
  }
}

template <typename T>
void AppendRun(uint64_t length, T value, int width, std::string* out) {
  AppendVarint(length << 1, out);
  for (int shift = 0; shift < width; shift += 8) {
    out->push_back(static_cast<char>(static_cast<uint32_t>(value) >> shift));
  }
}

template <typename T>
void Encode(std::span<const T> values, int width, std::string* out) {
  size_t packed = 0;  // where the values begin that are to be packed
  for (size_t at = 0; at < values.size();) {
    size_t run = 1;
    while (at + run < values.size() && values[at + run] == values[at]) ++run;
    // Packed values before it have to be eights, which the run's first ones may fill.
    const size_t fill = (kGroup - (at - packed) % kGroup) % kGroup;
    if (run < kGroup + fill) {
      at += run;
      continue;
    }
    AppendPacked(values.subspan(packed, at + fill - packed), width, out);
    AppendRun(run - fill, values[at], width, out);
    packed = at += run;
  }
  AppendPacked(values.subspan(packed), width, out);
}

}  // namespace

int BitWidth(uint32_t max) { return std::bit_width(max); }

void EncodeRle(std::span<const uint8_t> values, int width, std::string* out) {
  Encode(values, width, out);
}
void EncodeRle(std::span<const uint32_t> values, int width, std::string* out) {
  Encode(values, width, out);
}

bool RleDecoder::Refill() {
  if (width_ == 0) {
    repeated_ = 0;
    run_ = UINT64_MAX;
    return true;
  }
  uint64_t head = 0;
  for (int shift = 0;; shift += 7) {
    if (bytes_.empty() || shift > 28) return false;
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    head |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if ((head & 1) == 0) {
    run_ = head >> 1;
    const size_t size = (static_cast<size_t>(width_) + 7) / 8;
    if (run_ == 0 || bytes_.size() < size) return false;
    repeated_ = 0;
    for (size_t i = 0; i < size; ++i) {
      repeated_ |= static_cast<uint32_t>(static_cast<uint8_t>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(size);
    return true;
  }
  // The last group's bytes may be cut off behind its last value.
  const uint64_t groups = head >> 1;
  const uint64_t size = std::min<uint64_t>(groups * static_cast<uint64_t>(width_), bytes_.size());
  packed_ = std::min<uint64_t>(groups * kGroup, size * 8 / static_cast<uint64_t>(width_));
  if (packed_ == 0) return false;
  packed_bytes_ = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  bit_ = 0;
  return true;
}

uint32_t RleDecoder::Unpack() {
  uint64_t bits = 0;
  const size_t first = bit_ / 8;
  const size_t last = std::min(first + 5, packed_bytes_.size());
  for (size_t i = first; i < last; ++i) {
    bits |= static_cast<uint64_t>(static_cast<uint8_t>(packed_bytes_[i])) << (8 * (i - first));
  }
  bits >>= bit_ % 8;
  bit_ += static_cast<uint64_t>(width_);
  return static_cast<uint32_t>(bits & ((uint64_t{1} << width_) - 1));
}

}  // namespace orbweaver::parquet
