// Small numbers as runs or packed into bits: levels, and places in a dictionary. "RLE" in
// https://parquet.apache.org/docs/file-format/data-pages/encodings/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orbweaver::parquet {

// Bits that numbers up to `max` take.
int BitWidth(uint32_t max);

// Appends `values`, each below 2^width.
void EncodeRle(std::span<const uint8_t> values, int width, std::string* out);
void EncodeRle(std::span<const uint32_t> values, int width, std::string* out);

// Reads them one by one, without making room for them: a run of two thousand million is six bytes.
// Not thread-safe.
class RleDecoder {
 public:
  RleDecoder() = default;
  // `bytes` must outlive this. `width`: 0 to 32; with 0 there are no bytes, and all values are 0.
  RleDecoder(std::string_view bytes, int width) : bytes_(bytes), width_(width) {}

  // False at the end of the bytes, or where they are damaged.
  bool Next(uint32_t* value) {
    if (run_ == 0 && packed_ == 0 && !Refill()) return false;
    if (run_ > 0) {
      --run_;
      *value = repeated_;
      return true;
    }
    --packed_;
    *value = Unpack();
    return true;
  }

 private:
  bool Refill();
  uint32_t Unpack();

  std::string_view bytes_;
  int width_ = 0;
  uint64_t run_ = 0;     // how often repeated_ comes yet
  uint64_t packed_ = 0;  // values of packed bits yet to come, from bit_ of packed_bytes_
  uint32_t repeated_ = 0;
  uint64_t bit_ = 0;
  std::string_view packed_bytes_;
};

}  // namespace orbweaver::parquet
