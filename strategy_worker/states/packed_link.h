// A link state in its packed form, in memory and in blocks alike.
//
// One word holds what every state has, from the lowest bit: status 3, fetched 1, has data 1, has
// due time 1, depth 16, due time 42 (milliseconds). The strategy's 8 bytes are a second word, and
// what only a fetched link has are `fetched` bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/base/byte_format.h"
#include "common/model/limits.h"
#include "strategy_worker/states/link_state.h"

namespace orbweaver {

struct PackedLink {
  uint64_t word = 0;
  uint64_t data = 0;
  // Varints of fetches, errors and HTTP status; 6 bytes of fetched_at; 8 of the content hash; the
  // validators. Empty: never fetched.
  std::string_view fetched;

  friend bool operator==(const PackedLink&, const PackedLink&) = default;
};

inline constexpr int kStatusBits = 3;
inline constexpr uint64_t kStatusMask = (1u << kStatusBits) - 1;
inline constexpr uint64_t kFetchedBit = 1u << 3;
inline constexpr uint64_t kHasDataBit = 1u << 4;
inline constexpr uint64_t kHasDueBit = 1u << 5;
inline constexpr int kDepthShift = 6;
inline constexpr int kDueShift = 22;

inline constexpr size_t kMaxFetchedBytes =
    5 + 5 + 3 + 6 + 8 + 2 + kMaxEtagBytes + 2 + kMaxLastModifiedBytes;
inline constexpr size_t kMaxStateBytes = 16 + kMaxFetchedBytes;
// Of an entry in a block without its fetched bytes: key, word, data.
inline constexpr size_t kMaxUnfetchedEntryBytes = 24;
// Key and the 3 bytes that a word takes without a due time.
inline constexpr size_t kMinEntryBytes = 11;

// Not thread-safe. Lives on the stack: its buffer is what keeps packing free of allocations.
class LinkPacker {
 public:
  // The result points into this object until the next call. Bounds values that do not fit: depths
  // end at 65,535, times at the year 2109, and a validator longer than a message may carry is
  // dropped (cut short it would never match).
  PackedLink Pack(const LinkState& state);

 private:
  char fetched_[kMaxFetchedBytes];
};

// `packed` came from Pack or ReadEntry.
void Unpack(const PackedLink& packed, LinkState* state);

inline LinkStatus StatusOf(const PackedLink& packed) {
  return static_cast<LinkStatus>(packed.word & kStatusMask);
}

// The same state with StatusOutOfQueue. `packed` is queued.
PackedLink OutOfQueue(const PackedLink& packed);

// Whether the word alone is all of the state.
inline bool IsPlain(const PackedLink& packed) {
  return (packed.word & (kHasDataBit | kFetchedBit)) == 0;
}

// The state's bytes, at most kMaxStateBytes; returns where to go on.
char* WriteState(const PackedLink& packed, char* out);

// The state of bytes that WriteState wrote.
PackedLink StateOf(std::string_view bytes);

// The entry of a block: the key and the state's bytes. False, and the reader has failed, for
// anything that WriteFixed(key) and WriteState would not have written.
bool ReadAnyEntry(ByteReader& reader, uint64_t* key, PackedLink* packed);

// The same. Most entries are of URLs never fetched: key and 3 bytes, read as two words.
inline bool ReadEntry(ByteReader& reader, uint64_t* key, PackedLink* packed) {
  constexpr uint32_t kShortWord = (uint32_t{1} << 8 * (kMinEntryBytes - sizeof *key)) - 1;
  constexpr uint32_t kLong = kFetchedBit | kHasDataBit | kHasDueBit;
  uint32_t word;
  if (reader.left() >= sizeof *key + sizeof word) {
    const char* const entry = reader.position();
    std::memcpy(&word, entry + sizeof *key, sizeof word);
    word &= kShortWord;
    const bool is_known = (word & kStatusMask) <= static_cast<uint64_t>(LinkStatus::kGone);
    if ((word & kLong) == 0 && word >> kDueShift == 0 && is_known) {
      std::memcpy(key, entry, sizeof *key);
      *packed = {.word = word, .data = 0, .fetched = {}};
      reader.Raw(kMinEntryBytes);
      return true;
    }
  }
  return ReadAnyEntry(reader, key, packed);
}

}  // namespace orbweaver
