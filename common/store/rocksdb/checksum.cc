#include "common/store/rocksdb/checksum.h"

#include <algorithm>
#include <isa-l/crc.h>
#include <string_view>

namespace rocksdb::crc32c {

uint32_t Extend(uint32_t crc, const char* data, size_t size) {
  constexpr size_t kMost = size_t{1} << 30;  // ISA-L's sizes are ints
  while (size > 0) {
    const size_t part = std::min(size, kMost);
    // RocksDB hands checksums on inverted, as they are stored; ISA-L as they are computed. Its
    // parameter is not const, and is only read.
    auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(data));
    crc = ~crc32_iscsi(bytes, static_cast<int>(part), ~crc);
    data += part;
    size -= part;
  }
  return crc;
}

}  // namespace rocksdb::crc32c

namespace orbweaver {

bool IsChecksumRight() {
  constexpr std::string_view kDigits = "123456789";
  constexpr uint32_t kOfDigits = 0xe3069283;  // the check value of CRC-32C
  return rocksdb::crc32c::Extend(0, kDigits.data(), kDigits.size()) == kOfDigits;
}

}  // namespace orbweaver
