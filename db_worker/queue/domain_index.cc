#include "db_worker/queue/domain_index.h"

#include <algorithm>
#include <cstring>

#include "absl/hash/hash.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

// Heads grow and shrink by a few bytes; blocks of these steps rarely move for it.
constexpr uint32_t kBlockStep = 16;
// Fewer wait for more, since erasing costs the store as much for one as for many; but not in a
// domain that may never get more.
constexpr uint16_t kGarbageWorthErasing = 16;

}  // namespace

size_t DomainIndex::NameHash::operator()(std::string_view name) const {
  return absl::Hash<absl::string_view>()(ToAbsl(name));
}

DomainIndex::DomainIndex() : ids_(0, NameHash{this}, NameEqual{this}) {}

DomainId DomainIndex::Find(std::string_view domain) const {
  const auto found = ids_.find(domain);
  return found == ids_.end() ? kNoDomain : *found;
}

DomainId DomainIndex::FindOrAdd(std::string_view domain) {
  const DomainId found = Find(domain);
  if (found != kNoDomain) return found;
  const DomainId id = NewEntry(domain);
  ids_.insert(id);
  return id;
}

DomainId DomainIndex::NewEntry(std::string_view domain) {
  CHECK(domain.size() <= UINT8_MAX);
  DomainId id;
  if (!free_.empty()) {
    id = free_.back();
    free_.pop_back();
  } else {
    CHECK(used_ != kNoDomain);
    id = used_++;
    if (id / kBlock == blocks_.size()) blocks_.push_back(std::make_unique<Entry[]>(kBlock));
  }
  Entry& entry = At(id);
  entry.name_size = static_cast<uint8_t>(domain.size());
  EncodeHead({}, &packed_);
  // With room for a band, since hardly a domain stays as it is now.
  constexpr size_t kBandBytes = 24;
  const auto needed = static_cast<uint32_t>(domain.size() + packed_.size() + kBandBytes);
  entry.capacity = (needed + kBlockStep - 1) / kBlockStep * kBlockStep;
  entry.bytes = std::make_unique<char[]>(entry.capacity);
  name_and_head_bytes_ += entry.capacity;
  std::memcpy(entry.bytes.get(), domain.data(), domain.size());
  StoreHead(entry, packed_);
  entry.band = kBands;
  return id;
}

std::string_view DomainIndex::DomainOf(DomainId id) const {
  const Entry& entry = At(id);
  return {entry.bytes.get(), entry.name_size};
}

std::string_view DomainIndex::PackedHead(DomainId id) const {
  const Entry& entry = At(id);
  return {entry.bytes.get() + entry.name_size, entry.head_size};
}

void DomainIndex::Read(DomainId id, Head* head) const {
  CHECK_OK(DecodeHead(PackedHead(id), head));
}

void DomainIndex::StoreHead(Entry& entry, std::string_view packed) {
  const auto needed = static_cast<uint32_t>(entry.name_size + packed.size());
  const uint32_t capacity = (needed + kBlockStep - 1) / kBlockStep * kBlockStep;
  // A block twice as large as needed is given back: a head that was long once is short for good.
  if (capacity > entry.capacity || capacity * 2 < entry.capacity) {
    auto moved = std::make_unique<char[]>(capacity);
    std::memcpy(moved.get(), entry.bytes.get(), entry.name_size);
    name_and_head_bytes_ += capacity;
    name_and_head_bytes_ -= entry.capacity;
    entry.bytes = std::move(moved);
    entry.capacity = capacity;
  }
  std::memcpy(entry.bytes.get() + entry.name_size, packed.data(), packed.size());
  entry.head_size = static_cast<uint32_t>(packed.size());
}

void DomainIndex::Put(DomainId id, const Head& head, bool dirty, WallTime now) {
  EncodeHead(head, &packed_);
  Entry& entry = At(id);
  StoreHead(entry, packed_);
  entry.ready_at = ReadyAt(head);
  entry.opens_at = head.delayed.empty() ? WallTime::max() : OpensAt(head.delayed.front().due);
  int band = 0;
  while (band < kBands && head.bands[band].empty()) ++band;
  entry.band = static_cast<uint8_t>(band);
  entry.garbage_chunks =
      static_cast<uint16_t>(std::min<uint64_t>(head.garbage_chunks(), UINT16_MAX));
  const bool is_empty = band == kBands && head.delayed.empty();
  entry.idle = is_empty && entry.garbage_chunks == 0;
  if (!entry.garbage && entry.garbage_chunks >= (is_empty ? 1 : kGarbageWorthErasing)) {
    entry.garbage = true;
    garbage_.push_back(id);
  }
  if (dirty && !entry.dirty) dirty_.push_back(id);
  dirty_count_ += static_cast<size_t>(dirty) - static_cast<size_t>(entry.dirty);
  entry.dirty = dirty;
  Enlist(id, now);
}

void DomainIndex::Enlist(DomainId id, WallTime now) {
  Entry& entry = At(id);
  const bool ready = entry.band < kBands && entry.ready_at <= now;
  const uint8_t list = ready ? entry.band : kNoList;
  if (list != entry.list) {
    Unlink(id);
    if (ready) Link(id, list);
  }
  if (entry.opens_at <= now && !entry.opened) {
    entry.opened = true;
    opened_.push_back(id);
  }
  SetTimer(id, WakeOf(entry));
}

WallTime DomainIndex::WakeOf(const Entry& entry) const {
  WallTime wake = WallTime::max();
  if (entry.band < kBands && entry.list == kNoList) wake = entry.ready_at;
  if (!entry.opened) wake = std::min(wake, entry.opens_at);
  return wake;
}

void DomainIndex::Advance(WallTime now) {
  while (!timers_.empty() && timers_.front().at <= now) Enlist(timers_.front().id, now);
}

bool DomainIndex::IsAnyReady() const {
  return std::any_of(std::begin(ready_), std::end(ready_),
                     [](const ReadyList& list) { return list.first != kNoDomain; });
}

WallTime DomainIndex::NextWake() const {
  return timers_.empty() ? WallTime::max() : timers_.front().at;
}

void DomainIndex::TakeFromReady(DomainId id) { Unlink(id); }

DomainId DomainIndex::TakeOpened() {
  if (opened_.empty()) return kNoDomain;
  const DomainId id = opened_.back();
  opened_.pop_back();
  At(id).opened = false;
  return id;
}

std::vector<DomainId> DomainIndex::Dirty() {
  std::sort(dirty_.begin(), dirty_.end());
  dirty_.erase(std::unique(dirty_.begin(), dirty_.end()), dirty_.end());
  std::erase_if(dirty_, [this](DomainId id) { return !At(id).dirty; });
  return dirty_;
}

void DomainIndex::MarkClean(DomainId id) {
  Entry& entry = At(id);
  dirty_count_ -= static_cast<size_t>(entry.dirty);
  entry.dirty = false;
}

DomainId DomainIndex::TakeGarbage() {
  if (garbage_.empty()) return kNoDomain;
  const DomainId id = garbage_.back();
  garbage_.pop_back();
  At(id).garbage = false;
  return id;
}

size_t DomainIndex::ForgetIdle(WallTime now) {
  std::vector<DomainId> idle;
  for (const DomainId id : ids_) {
    const Entry& entry = At(id);
    if (entry.idle && !entry.dirty && !entry.opened && entry.ready_at <= now) idle.push_back(id);
  }
  for (const DomainId id : idle) Forget(id);
  if (!idle.empty()) complete_ = false;
  // A forgotten domain's id is used again: a clean one must not stay among the dirty.
  std::erase_if(dirty_, [this](DomainId id) { return !At(id).dirty; });
  return idle.size();
}

void DomainIndex::Forget(DomainId id) {
  ids_.erase(id);
  Entry& entry = At(id);
  CHECK(entry.list == kNoList && entry.timer_at == kNotInTimer);
  name_and_head_bytes_ -= entry.capacity;
  const uint32_t generation = entry.generation + 1;
  entry = Entry();
  entry.generation = generation;
  free_.push_back(id);
}

size_t DomainIndex::bytes() const {
  // The block of a name and head has a header of the allocator's; a hash set a byte beside each id.
  constexpr size_t kAllocator = 8;
  return blocks_.size() * kBlock * sizeof(Entry) + name_and_head_bytes_ + ids_.size() * kAllocator +
         ids_.capacity() * (sizeof(DomainId) + 1) + timers_.capacity() * sizeof(Timer) +
         (free_.capacity() + opened_.capacity() + dirty_.capacity() + garbage_.capacity()) *
             sizeof(DomainId);
}

void DomainIndex::Link(DomainId id, uint8_t list) {
  Entry& entry = At(id);
  ReadyList& ready = ready_[list];
  entry.list = list;
  entry.previous = ready.last;
  entry.next = kNoDomain;
  (ready.last == kNoDomain ? ready.first : At(ready.last).next) = id;
  ready.last = id;
}

void DomainIndex::Unlink(DomainId id) {
  Entry& entry = At(id);
  if (entry.list == kNoList) return;
  ReadyList& ready = ready_[entry.list];
  (entry.previous == kNoDomain ? ready.first : At(entry.previous).next) = entry.next;
  (entry.next == kNoDomain ? ready.last : At(entry.next).previous) = entry.previous;
  entry.list = kNoList;
}

void DomainIndex::SetTimer(DomainId id, WallTime at) {
  Entry& entry = At(id);
  if (entry.timer_at == kNotInTimer) {
    if (at == WallTime::max()) return;
    timers_.push_back({at, id});
    entry.timer_at = static_cast<uint32_t>(timers_.size() - 1);
    SiftUp(timers_.size() - 1);
    return;
  }
  const size_t place = entry.timer_at;
  if (at == WallTime::max()) {
    entry.timer_at = kNotInTimer;
    const Timer last = timers_.back();
    timers_.pop_back();
    if (place == timers_.size()) return;
    SetTimerAt(place, last);
  } else {
    timers_[place].at = at;
  }
  SiftUp(place);
  SiftDown(place);
}

void DomainIndex::SiftUp(size_t at) {
  const Timer moved = timers_[at];
  while (at > 0 && moved.at < timers_[(at - 1) / 2].at) {
    SetTimerAt(at, timers_[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  SetTimerAt(at, moved);
}

void DomainIndex::SiftDown(size_t at) {
  const Timer moved = timers_[at];
  for (size_t child = 2 * at + 1; child < timers_.size(); child = 2 * at + 1) {
    if (child + 1 < timers_.size() && timers_[child + 1].at < timers_[child].at) ++child;
    if (moved.at <= timers_[child].at) break;
    SetTimerAt(at, timers_[child]);
    at = child;
  }
  SetTimerAt(at, moved);
}

void DomainIndex::SetTimerAt(size_t at, const Timer& timer) {
  timers_[at] = timer;
  At(timer.id).timer_at = static_cast<uint32_t>(at);
}

}  // namespace orbweaver
