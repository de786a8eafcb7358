#include "common/base/ids.h"

#include <string_view>

#include "common/base/big_endian.h"

namespace orbweaver {

std::array<char, 16> Fingerprint::ToBytes() const {
  std::array<char, 16> bytes;
  StoreBigEndian(high, bytes.data());
  StoreBigEndian(low, bytes.data() + 8);
  return bytes;
}

Fingerprint Fingerprint::FromBytes(const char (&bytes)[16]) {
  return {LoadBigEndian<uint64_t>(bytes), LoadBigEndian<uint64_t>(bytes + 8)};
}

std::string Fingerprint::ToHex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(32);
  for (const char c : ToBytes()) {
    const auto byte = static_cast<uint8_t>(c);
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

}  // namespace orbweaver
