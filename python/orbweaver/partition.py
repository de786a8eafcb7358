"""The one partition function: who owns a domain (ARCHITECTURE.md).

For a count of partitions that is a power of two up to 4,096 it is the default partitioner of Kafka's Java client, which
librdkafka calls `murmur2_random`, with the registered domain as key.
"""

from __future__ import annotations

SLOTS = 4096

_MASK = 0xFFFFFFFF
_MULTIPLIER = 0x5BD1E995
_SEED = 0x9747B28C


def murmur2(key: bytes) -> int:
    """Kafka's hash, from 0 to 2^32 - 1."""
    length = len(key)
    result = _SEED ^ length
    whole = length & ~3
    for at in range(0, whole, 4):
        word = int.from_bytes(key[at:at + 4], "little") * _MULTIPLIER & _MASK
        word = (word ^ word >> 24) * _MULTIPLIER & _MASK
        result = result * _MULTIPLIER & _MASK ^ word
    if length != whole:
        result = (result ^ int.from_bytes(key[whole:], "little")) * _MULTIPLIER & _MASK
    result = (result ^ result >> 13) * _MULTIPLIER & _MASK
    return result ^ result >> 15


def slot_of(domain: str) -> int:
    """The slot of a registered domain in its canonical form: lower case, punycode."""
    return (murmur2(domain.encode()) & 0x7FFFFFFF) % SLOTS


def is_partition_count(count: int) -> bool:
    return 0 < count <= SLOTS and count & (count - 1) == 0


def partition_of(domain: str, partitions: int) -> int:
    """The partition of a registered domain. ValueError when there cannot be so many partitions."""
    if not is_partition_count(partitions):
        raise ValueError(f"{partitions} partitions: expected a power of two from 1 to {SLOTS}")
    return slot_of(domain) % partitions
