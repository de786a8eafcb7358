#include "common/base/ids.h"

#include "fmt/format.h"

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

std::string Fingerprint::ToHex() const { return fmt::format("{:016x}{:016x}", high, low); }

}  // namespace orbweaver
