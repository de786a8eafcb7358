#include "strategy_worker/states/link_set.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "common/base/check.h"

namespace orbweaver {
namespace {

// Up to here moving half of all slots for a new URL costs less than gaps would take in memory.
constexpr size_t kDenseUrls = 128;
// How full the homes may get: above, searches get long quickly.
constexpr double kMaxLoad = 0.85;

// What a set of `urls` makes room for when it grows by one.
size_t Grown(size_t urls) { return urls + 2 + urls / 4; }

// Slots after the last home, for what is pushed past it.
size_t OverflowSlots(size_t homes) { return 8 + std::min<size_t>(homes / 64, 120); }

}  // namespace

size_t LinkSet::LowerBound(uint64_t key) const {
  size_t index = Guess(key);
  while (slots_[index].key < key) ++index;
  if (IsDense()) {
    while (index > 0 && slots_[index - 1].key >= key) --index;
  }
  return index;
}

PackedLink LinkSet::PackedOf(const Slot& slot) const {
  if (!slot.IsBoxed()) return {slot.word, 0, {}};
  return StateOf({&boxes_[slot.BoxAt()], slot.BoxBytes()});
}

bool LinkSet::Find(uint64_t key, PackedLink* packed) const {
  if (size_ == 0) return false;
  const Slot& slot = slots_[LowerBound(key)];
  if (slot.key != key || slot.IsEmpty()) return false;
  *packed = PackedOf(slot);
  return true;
}

LinkSet::Outcome LinkSet::Put(uint64_t key, const PackedLink& packed) {
  if (slot_count_ == 0) Rebuild(Grown(0));
  size_t index = LowerBound(key);
  const bool is_new = slots_[index].key != key || slots_[index].IsEmpty();
  if (is_new) {
    const bool is_full = !IsDense() && static_cast<double>(size_) >= kMaxLoad * homes_;
    if (is_full || !MakeRoom(index)) {
      Rebuild(Grown(size_));
      index = LowerBound(key);
      CHECK(MakeRoom(index));
    }
    ++size_;
    if (IsDense()) homes_ = size_;
    slots_[index] = {key, 0};
  } else if (PackedOf(slots_[index]) == packed) {
    return Outcome::kUnchanged;
  }
  SetWord(index, packed);
  return is_new ? Outcome::kAdded : Outcome::kChanged;
}

void LinkSet::SetWord(size_t index, const PackedLink& packed) {
  uint64_t& word = slots_[index].word;
  const size_t old_bytes = slots_[index].IsBoxed() ? slots_[index].BoxBytes() : 0;
  char state[kMaxStateBytes];
  const size_t bytes = IsPlain(packed) ? 0 : static_cast<size_t>(WriteState(packed, state) - state);
  if (bytes == 0 || bytes != old_bytes) {
    boxes_garbage_ += static_cast<uint32_t>(old_bytes);
    word = packed.word;  // so that the old box is not moved along
    if (bytes == 0) return;
    word = BoxWord(NewBox(bytes), bytes);
  }
  std::memcpy(&boxes_[slots_[index].BoxAt()], state, bytes);
}

bool LinkSet::MakeRoom(size_t index) {
  size_t empty = IsDense() ? size_ : index;
  while (!slots_[empty].IsEmpty()) ++empty;
  if (empty + 1 == slot_count_) return false;
  std::move_backward(&slots_[index], &slots_[empty], &slots_[empty + 1]);
  return true;
}

void LinkSet::Reserve(size_t urls) {
  if (urls > size_) Rebuild(urls);
}

void LinkSet::Append(uint64_t key, const PackedLink& packed) {
  // Right after the last one, unless it has a home further on.
  size_t index = IsDense() ? size_ : Guess(key);
  while (index < slot_count_ && !slots_[index].IsEmpty()) ++index;
  if (index + 1 >= slot_count_) {
    Put(key, packed);
    return;
  }
  ++size_;
  if (IsDense()) homes_ = size_;
  slots_[index] = {key, 0};
  SetWord(index, packed);
}

void LinkSet::Rebuild(size_t urls) {
  CHECK(urls >= size_ && urls < std::numeric_limits<uint32_t>::max() / 2);
  const std::unique_ptr<Slot[]> old = std::move(slots_);
  const std::span<const Slot> old_slots(old.get(), slot_count_);
  const bool was_dense = dense_;
  dense_ = urls <= kDenseUrls;
  if (dense_ && was_dense) {
    slot_count_ = static_cast<uint32_t>(urls + 1);
    slots_ = std::make_unique<Slot[]>(slot_count_);
    std::copy_n(old_slots.begin(), size_, &slots_[0]);
    return;
  }
  homes_ = dense_ ? size_ : static_cast<uint32_t>(static_cast<double>(urls) / kMaxLoad) + 1;
  // Keys that somebody chose to be neighbours may be pushed far past the last home.
  size_t end = 0;
  const auto place = [&](uint64_t key) { return dense_ ? end : std::max(end, Guess(key)); };
  for (const Slot& slot : old_slots) {
    if (!slot.IsEmpty()) end = place(slot.key) + 1;
  }
  slot_count_ = static_cast<uint32_t>(
      dense_ ? urls + 1 : std::max<size_t>(end, homes_) + OverflowSlots(homes_));
  slots_ = std::make_unique<Slot[]>(slot_count_);
  end = 0;
  for (const Slot& slot : old_slots) {
    if (slot.IsEmpty()) continue;
    const size_t index = place(slot.key);
    slots_[index] = slot;
    end = index + 1;
  }
}

uint32_t LinkSet::NewBox(size_t bytes) {
  if (boxes_size_ + bytes > boxes_capacity_) MoveBoxes(bytes);
  const uint32_t at = boxes_size_;
  boxes_size_ += static_cast<uint32_t>(bytes);
  return at;
}

// Into a larger buffer, without the garbage.
void LinkSet::MoveBoxes(size_t more) {
  const size_t needed = boxes_size_ - boxes_garbage_ + more;
  const size_t capacity = needed + needed / 4;
  CHECK(capacity < std::numeric_limits<uint32_t>::max());
  auto moved = std::make_unique_for_overwrite<char[]>(capacity);
  uint32_t size = 0;
  for (size_t i = 0; i < slot_count_; ++i) {
    Slot& slot = slots_[i];
    if (!slot.IsBoxed()) continue;
    const size_t bytes = slot.BoxBytes();
    std::memcpy(&moved[size], &boxes_[slot.BoxAt()], bytes);
    slot.word = BoxWord(size, bytes);
    size += static_cast<uint32_t>(bytes);
  }
  boxes_ = std::move(moved);
  boxes_size_ = size;
  boxes_garbage_ = 0;
  boxes_capacity_ = static_cast<uint32_t>(capacity);
}

LinkSet LinkSet::SplitOff() {
  LinkSet lower(range_.LowerHalf());
  LinkSet upper(range_.UpperHalf());
  const auto half = [&](uint64_t key) -> LinkSet& {
    return lower.range_.Contains(key) ? lower : upper;
  };
  size_t lower_urls = 0;
  ForEach([&](uint64_t key, const PackedLink&) { lower_urls += lower.range_.Contains(key); });
  lower.Reserve(lower_urls);
  upper.Reserve(size_ - lower_urls);
  ForEach([&](uint64_t key, const PackedLink& packed) { half(key).Append(key, packed); });
  *this = std::move(lower);
  return upper;
}

}  // namespace orbweaver
