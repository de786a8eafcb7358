// The one partition function (ARCHITECTURE.md): who owns a domain, and where its rows stand.
//
// For a power of two P ≤ 4096, PartitionOf(SlotOf(domain), P) is what the default partitioner of
// every Kafka client does with the key `domain`, so a foreign producer lands on the right
// partition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.h"

namespace orbweaver {

// As Kafka's clients compute it (the seed is theirs).
uint32_t Murmur2(std::string_view bytes);

Slot SlotOf(std::string_view domain);

// A power of two from 1 to kSlots.
bool IsPartitionCount(int64_t partitions);

// `partitions` must be a partition count: what comes from a user or a broker is checked before.
PartitionId PartitionOf(Slot slot, int partitions);

// How every row of a domain starts: the slot (2 bytes, big endian) and the reversed domain.
std::string DomainRow(std::string_view domain);

}  // namespace orbweaver
