// The identities that all parts share.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/base/strong_int.h"

namespace orbweaver {

// A domain's place in the one partition function (ARCHITECTURE.md): murmur2(domain) % 4096.
using Slot = StrongInt<struct SlotTag, uint16_t>;
inline constexpr int kSlots = 4096;

// slot % P, for P partitions of a topic.
using PartitionId = StrongInt<struct PartitionIdTag, int32_t>;

// A message's place in its partition.
using Offset = StrongInt<struct OffsetTag, int64_t>;

// Orders two puts of one cell: (topic epoch, epoch, flush number), packed by the worker; HBase's
// cell timestamp. 63 bits: HBase's timestamps are signed.
using Version = StrongInt<struct VersionTag, uint64_t>;
inline constexpr Version kMaxVersion{(uint64_t{1} << 63) - 2};

// XXH3-128 of a canonical URL.
struct Fingerprint {
  uint64_t high = 0;
  uint64_t low = 0;

  friend constexpr auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Fingerprint& f) {
    // Already a hash: half of it is as good as a hash of both.
    return H::combine(std::move(h), f.low);
  }

  // Big endian, so that bytes sort as numbers.
  std::array<char, 16> ToBytes() const;
  static Fingerprint FromBytes(const char (&bytes)[16]);
  // 32 lower-case hexadecimal digits.
  std::string ToHex() const;
};

}  // namespace orbweaver
