#include "common/url/partition.h"

#include <bit>
#include <cstring>

#include "common/base/big_endian.h"
#include "common/base/check.h"
#include "common/url/domain.h"

namespace orbweaver {

// MurmurHash2 for 32-bit machines, over little-endian words.
uint32_t Murmur2(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  constexpr uint32_t kSeed = 0x9747b28c;
  constexpr uint32_t kMultiplier = 0x5bd1e995;
  const auto mix = [](uint32_t word) {
    word *= kMultiplier;
    return (word ^ (word >> 24)) * kMultiplier;
  };
  uint32_t hash = kSeed ^ static_cast<uint32_t>(bytes.size());
  while (bytes.size() >= 4) {
    uint32_t word;
    std::memcpy(&word, bytes.data(), 4);
    hash = hash * kMultiplier ^ mix(word);
    bytes.remove_prefix(4);
  }
  if (!bytes.empty()) {
    uint32_t rest = 0;
    std::memcpy(&rest, bytes.data(), bytes.size());
    hash = (hash ^ rest) * kMultiplier;
  }
  hash = (hash ^ (hash >> 13)) * kMultiplier;
  return hash ^ (hash >> 15);
}

Slot SlotOf(std::string_view domain) {
  return Slot(static_cast<uint16_t>((Murmur2(domain) & 0x7fffffffu) % kSlots));
}

bool IsPartitionCount(int64_t partitions) {
  return partitions >= 1 && partitions <= kSlots &&
         std::has_single_bit(static_cast<uint64_t>(partitions));
}

PartitionId PartitionOf(Slot slot, int partitions) {
  CHECK(IsPartitionCount(partitions));
  return PartitionId(slot.value() % partitions);
}

std::string DomainRow(std::string_view domain) {
  std::string row;
  row.reserve(sizeof(uint16_t) + domain.size());
  AppendBigEndian(SlotOf(domain).value(), &row);
  AppendReversedDomain(domain, &row);
  return row;
}

}  // namespace orbweaver
