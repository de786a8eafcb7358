#include "strategy_worker/states/link_set.h"

#include <algorithm>
#include <bit>
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

using BoxLength = uint16_t;
static_assert(kMaxStateBytes <= std::numeric_limits<BoxLength>::max());
// A slot has 29 bits for where its box is.
constexpr size_t kMaxBoxesBytes = size_t{1} << 29;

// The size of an allocation of so many bytes: jemalloc has four sizes between two powers of two.
// Growing arrays use the whole size, and go from one size to the next.
size_t AllocatedBytes(size_t bytes) {
  const size_t step = std::max<size_t>(std::bit_floor(bytes) / 4, 16);
  return (bytes + step - 1) / step * step;
}

// Slots after the last home, for what is pushed past it.
size_t OverflowSlots(size_t homes) { return 8 + std::min<size_t>(homes / 64, 120); }
// And behind the last one in use: the next URL, and one that ends searches.
constexpr size_t kSpareSlots = 4;

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
  return StateOf(InBox(slot));
}

std::string_view LinkSet::InBox(const Slot& slot) const {
  const char* const box = &boxes_[slot.BoxAt()];
  BoxLength length;
  std::memcpy(&length, box, sizeof length);
  return {box + sizeof length, length};
}

bool LinkSet::Find(uint64_t key, PackedLink* packed) const {
  if (size_ == 0) return false;
  const Slot& slot = slots_[LowerBound(key)];
  if (slot.key != key || slot.IsEmpty()) return false;
  *packed = PackedOf(slot);
  return true;
}

LinkSet::Outcome LinkSet::Put(uint64_t key, const PackedLink& packed) {
  if (slot_count_ == 0) Grow();
  size_t index = LowerBound(key);
  const bool is_new = slots_[index].key != key || slots_[index].IsEmpty();
  if (is_new) {
    if (size_ >= Room() || !MakeRoom(index)) {
      Grow();
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
  Slot& slot = slots_[index];
  const std::string_view old = slot.IsBoxed() ? InBox(slot) : std::string_view();
  char bytes[kMaxStateBytes];
  std::string_view state;
  if (!IsPlain(packed) || packed.word > std::numeric_limits<uint32_t>::max()) {
    state = {bytes, static_cast<size_t>(WriteState(packed, bytes) - bytes)};
  }
  if (!state.empty() && state.size() == old.size()) {
    std::memcpy(&boxes_[slot.BoxAt() + sizeof(BoxLength)], state.data(), state.size());
    return;
  }
  if (!old.empty()) boxes_garbage_ += static_cast<uint32_t>(sizeof(BoxLength) + old.size());
  slot.word = static_cast<uint32_t>(packed.word);  // no box, so that the old one is not moved along
  if (!state.empty()) slot.word = NewBox(state) << kTagBits | kBoxTag;
}

bool LinkSet::MakeRoom(size_t index) {
  size_t empty = IsDense() ? size_ : index;
  while (!slots_[empty].IsEmpty()) ++empty;
  if (empty + 1 == slot_count_) return false;
  std::move_backward(&slots_[index], &slots_[empty], &slots_[empty + 1]);
  return true;
}

void LinkSet::Reserve(size_t urls, size_t entry_bytes) {
  if (urls > Room()) Rebuild(urls);
  // Bytes beyond those of the shortest entries stand in boxes; a box has a length that a block
  // lacks.
  const size_t in_boxes = entry_bytes - std::min(entry_bytes, urls * kMinEntryBytes);
  const size_t box_bytes = in_boxes + in_boxes / 4;
  if (boxes_size_ + box_bytes > boxes_capacity_) MoveBoxes(box_bytes);
}

void LinkSet::Fit() {
  if (size_ < Room() / 4 * 3) Rebuild(size_);
  if (boxes_size_ - boxes_garbage_ < boxes_capacity_ / 2) MoveBoxes(0);
}

size_t LinkSet::Room() const {
  if (slot_count_ == 0) return 0;
  return IsDense() ? slot_count_ - 1 : static_cast<size_t>(kMaxLoad * homes_);
}

// When it is full to the allocator's next size, which is an eighth more at least. Otherwise
// neighbours at the end of the range took the slots behind the last home: only these get more.
void LinkSet::Grow() {
  const size_t room = Room();
  Rebuild(size_ < room ? room : room + room / 16 + 2);
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
  if (dense_) {
    slot_count_ = AllocatedSlots(urls + 1);
    homes_ = size_;
  } else {
    const auto homes = static_cast<size_t>(static_cast<double>(urls) / kMaxLoad) + 1;
    slot_count_ = AllocatedSlots(homes + OverflowSlots(homes));
    homes_ = slot_count_ - static_cast<uint32_t>(OverflowSlots(slot_count_));
  }
  if (dense_ && was_dense) {
    slots_ = std::make_unique<Slot[]>(slot_count_);
    std::copy_n(old_slots.begin(), size_, &slots_[0]);
    return;
  }
  // Keys that somebody chose to be neighbours may be pushed far past the last home.
  size_t end = 0;
  const auto place = [&](uint64_t key) { return dense_ ? end : std::max(end, Guess(key)); };
  for (const Slot& slot : old_slots) {
    if (!slot.IsEmpty()) end = place(slot.key) + 1;
  }
  slot_count_ = std::max(slot_count_, AllocatedSlots(end + kSpareSlots));
  slots_ = std::make_unique<Slot[]>(slot_count_);
  end = 0;
  for (const Slot& slot : old_slots) {
    if (slot.IsEmpty()) continue;
    const size_t index = place(slot.key);
    slots_[index] = slot;
    end = index + 1;
  }
}

uint32_t LinkSet::NewBox(std::string_view state) {
  const size_t bytes = sizeof(BoxLength) + state.size();
  if (boxes_size_ + bytes > boxes_capacity_) MoveBoxes(bytes);
  const uint32_t at = boxes_size_;
  boxes_size_ += static_cast<uint32_t>(bytes);
  const auto length = static_cast<BoxLength>(state.size());
  std::memcpy(&boxes_[at], &length, sizeof length);
  std::memcpy(&boxes_[at + sizeof length], state.data(), state.size());
  return at;
}

// Into a larger buffer, without the garbage.
void LinkSet::MoveBoxes(size_t more) {
  const size_t needed = boxes_size_ - boxes_garbage_ + more;
  const size_t capacity = AllocatedBytes(needed + needed / 8);
  CHECK(capacity < kMaxBoxesBytes);
  auto moved = std::make_unique_for_overwrite<char[]>(capacity);
  uint32_t size = 0;
  for (size_t i = 0; boxes_size_ != 0 && i < slot_count_; ++i) {
    Slot& slot = slots_[i];
    if (!slot.IsBoxed()) continue;
    const size_t bytes = sizeof(BoxLength) + InBox(slot).size();
    std::memcpy(&moved[size], &boxes_[slot.BoxAt()], bytes);
    slot.word = size << kTagBits | kBoxTag;
    size += static_cast<uint32_t>(bytes);
  }
  boxes_ = std::move(moved);
  boxes_size_ = size;
  boxes_garbage_ = 0;
  boxes_capacity_ = static_cast<uint32_t>(capacity);
}

uint32_t LinkSet::AllocatedSlots(size_t at_least) {
  return static_cast<uint32_t>(AllocatedBytes(at_least * sizeof(Slot)) / sizeof(Slot));
}

LinkSet LinkSet::SplitOff() {
  LinkSet lower(range_.LowerHalf());
  LinkSet upper(range_.UpperHalf());
  const auto half = [&](uint64_t key) -> LinkSet& {
    return lower.range_.Contains(key) ? lower : upper;
  };
  size_t lower_urls = 0;
  ForEach([&](uint64_t key, const PackedLink&) { lower_urls += lower.range_.Contains(key); });
  lower.Reserve(lower_urls, 0);
  upper.Reserve(size_ - lower_urls, 0);
  ForEach([&](uint64_t key, const PackedLink& packed) { half(key).Append(key, packed); });
  *this = std::move(lower);
  return upper;
}

}  // namespace orbweaver
