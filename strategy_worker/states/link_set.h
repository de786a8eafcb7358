// The link states of one domain, or of one shard of it, in memory.
//
// A sorted array of 12-byte slots with gaps in it, so that it is hash table and sorted block at
// once: a URL's key is a hash already, so its place in the order is nearly its place in the array.
// Up to kDenseUrls it has no gaps and the search starts from the guess; above, each key has a home
// slot and stands in it or after it, as in linear probing, with what follows kept sorted. Encoding
// a block walks the array. A state that does not fit into a slot (the strategy's bytes, a due time,
// and the fields of a fetched link) stands in a box: some bytes of a buffer that all share.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "strategy_worker/states/packed_link.h"

namespace orbweaver {

// The keys that a shard holds: those whose first `bits` bits are those of `first`.
struct KeyRange {
  uint16_t first = 0;  // the upper 16 bits of its lowest key
  uint8_t bits = 0;    // at most 16

  bool Contains(uint64_t key) const {
    return bits == 0 || ((uint64_t{first} << 48 ^ key) >> (64 - bits)) == 0;
  }
  // Its two halves. `bits` must be below 16.
  KeyRange LowerHalf() const { return {first, static_cast<uint8_t>(bits + 1)}; }
  KeyRange UpperHalf() const {
    return {static_cast<uint16_t>(first | 0x8000u >> bits), static_cast<uint8_t>(bits + 1)};
  }

  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

// Not thread-safe. Keys must lie in the set's range.
class LinkSet {
 public:
  explicit LinkSet(KeyRange range = {}) : range_(range) {}

  KeyRange range() const { return range_; }
  size_t size() const { return size_; }
  // Taken from the heap.
  size_t HeapBytes() const { return slot_count_ * sizeof(Slot) + boxes_capacity_; }
  // An upper bound of the bytes of all entries in a block.
  size_t EntryBytesBound() const {
    return size_ * kMaxUnfetchedEntryBytes + (boxes_size_ - boxes_garbage_);
  }

  // Starts to fetch the key's place from memory.
  void Prefetch(uint64_t key) const {
    if (size_ != 0) __builtin_prefetch(&slots_[Guess(key)]);
  }

  // False when the key is not in the set. Views live until the next change.
  bool Find(uint64_t key, PackedLink* packed) const;

  enum class Outcome { kUnchanged, kChanged, kAdded };
  Outcome Put(uint64_t key, const PackedLink& packed);

  // Makes room for that many URLs in all, unless there is, and for what they take in a block.
  void Reserve(size_t urls, size_t entry_bytes);
  // Gives room back of which little is used.
  void Fit();
  // Adds a URL whose key is above all others; quicker than Put when there is room.
  void Append(uint64_t key, const PackedLink& packed);

  // Calls visit(key, packed), ascending by key.
  template <typename Visitor>
  void ForEach(Visitor visit) const {
    for (size_t i = 0; i < slot_count_; ++i) {
      if (!slots_[i].IsEmpty()) visit(slots_[i].key, PackedOf(slots_[i]));
    }
  }

  // Moves the upper half of the range into a set of its own and keeps the lower one.
  LinkSet SplitOff();

 private:
  // The lowest bits of a word are a status; these are none of a state.
  static constexpr uint32_t kEmptyTag = 7;
  static constexpr uint32_t kBoxTag = 6;
  static constexpr int kTagBits = 3;

  // An empty slot has the highest key, so that searches stop at it.
#pragma pack(push, 4)  // there are as many of them as there are URLs: no four bytes of padding
  struct Slot {
    uint64_t key = ~uint64_t{0};
    uint32_t word = kEmptyTag;  // the whole state, or where its box is

    bool IsEmpty() const { return word == kEmptyTag; }
    bool IsBoxed() const { return (word & ((1 << kTagBits) - 1)) == kBoxTag; }
    uint32_t BoxAt() const { return word >> kTagBits; }
  };
#pragma pack(pop)
  static_assert(sizeof(Slot) == 12);

  // Where the search for a key starts. Never past its place unless the set is dense.
  size_t Guess(uint64_t key) const {
    const unsigned __int128 scaled = static_cast<unsigned __int128>(key << range_.bits) * homes_;
    return static_cast<size_t>(scaled >> 64);
  }
  // The first slot whose key is not below `key`. The set has slots.
  size_t LowerBound(uint64_t key) const;
  PackedLink PackedOf(const Slot& slot) const;
  // The state in the slot's box, as bytes.
  std::string_view InBox(const Slot& slot) const;

  // Opens slot `index` by moving what follows. False when there is no empty slot to move into.
  bool MakeRoom(size_t index);
  // How many URLs the slots are for.
  size_t Room() const;
  // Makes room for one more, at least.
  void Grow();
  void Rebuild(size_t urls);
  static uint32_t AllocatedSlots(size_t at_least);
  bool IsDense() const { return dense_; }

  void SetWord(size_t index, const PackedLink& packed);
  // Where a new box stands that has these bytes.
  uint32_t NewBox(std::string_view state);
  void MoveBoxes(size_t more);

  std::unique_ptr<Slot[]> slots_;  // the last one is always empty
  std::unique_ptr<char[]> boxes_;  // each with its length before it
  uint32_t size_ = 0;
  uint32_t slot_count_ = 0;
  uint32_t homes_ = 0;  // dense: the URLs that it has
  uint32_t boxes_size_ = 0;
  uint32_t boxes_capacity_ = 0;
  uint32_t boxes_garbage_ = 0;
  KeyRange range_;
  bool dense_ = true;
};

}  // namespace orbweaver
