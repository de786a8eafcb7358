// The domains of one partition in memory: packed heads, who is ready, who waits until when.
//
// Place: inside a Partition, from take-over to release. Not thread-safe.
//
// Takes some 170 bytes a domain: a record of 56, its name and packed head in one block, a place in
// a hash set, a place in the timer. Heads stay packed, since a domain that is touched is worth a
// decoding, and the others are many.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "common/base/clock.h"
#include "db_worker/queue/head.h"

namespace orbweaver {

// A domain's place in its index, until it is forgotten.
using DomainId = uint32_t;
inline constexpr DomainId kNoDomain = UINT32_MAX;

class DomainIndex {
 public:
  DomainIndex();
  DomainIndex(const DomainIndex&) = delete;
  DomainIndex& operator=(const DomainIndex&) = delete;

  // kNoDomain when it is not known.
  DomainId Find(std::string_view domain) const;
  // The domain's id; a new one has an empty head, and stands nowhere until the first Put.
  DomainId FindOrAdd(std::string_view domain);

  std::string_view DomainOf(DomainId id) const;
  std::string_view PackedHead(DomainId id) const;
  void Read(DomainId id, Head* head) const;
  // Differs for each domain that ever had this id: keys outside that outlive a domain have it.
  uint32_t Generation(DomainId id) const { return At(id).generation; }

  // Replaces the head, and puts the domain where it belongs at `now`: at the end of the ready ones
  // of its best band (where it stays if it is there already), or among those that wait. `dirty`
  // says whether the store lacks the head now.
  void Put(DomainId id, const Head& head, bool dirty, WallTime now);

  // Moves those whose time has come to the ready ones, as the last of them.
  void Advance(WallTime now);

  // Ready domains whose best band is `band`, in the order of their turn.
  DomainId FirstReady(int band) const { return ready_[band].first; }
  DomainId NextReady(DomainId id) const { return At(id).next; }
  bool IsAnyReady() const;
  // The domain is being served: its next Put puts it behind the others.
  void TakeFromReady(DomainId id);

  // A domain with a delayed bucket that opened by the last Advance; kNoDomain when there is none.
  // Not told again until its next Put.
  DomainId TakeOpened();
  bool IsAnyOpened() const { return !opened_.empty(); }

  // When Advance has something to do next; WallTime::max() when never.
  WallTime NextWake() const;

  // Domains whose head the store lacks; in the order of their ids.
  std::vector<DomainId> Dirty();
  size_t dirty_count() const { return dirty_count_; }
  // The store has the head as it is.
  void MarkClean(DomainId id);

  // A domain is claimed once a head that this owner put is in the store: from then on no late put
  // of an owner before changes the head there. Nothing that follows from a head may leave this
  // worker before: no request into the feed, no commit of a message that the head has applied.
  bool IsClaimed(DomainId id) const { return At(id).claimed; }
  void MarkClaimed(DomainId id) { At(id).claimed = true; }

  // A domain whose garbage is worth an erasing; kNoDomain when there is none. Not told again until
  // its next Put.
  DomainId TakeGarbage();

  // While complete, an unknown domain has no row.
  bool complete() const { return complete_; }
  void SetIncomplete() { complete_ = false; }
  // Forgets domains that the store has whole, that have nothing queued and nothing to wait for;
  // then the index is no longer complete. How many they were.
  size_t ForgetIdle(WallTime now);

  size_t size() const { return ids_.size(); }
  // Heap memory.
  size_t bytes() const;
  // Calls `visit(id)` for every domain.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const DomainId id : ids_) visit(id);
  }

 private:
  static constexpr uint8_t kNoList = UINT8_MAX;
  static constexpr size_t kNotInTimer = UINT32_MAX;

  struct Entry {
    std::unique_ptr<char[]> bytes;  // name, then packed head
    uint32_t capacity = 0;
    uint32_t head_size = 0;
    DomainId previous = kNoDomain;
    DomainId next = kNoDomain;
    uint32_t timer_at = kNotInTimer;
    uint32_t generation = 0;
    WallTime ready_at;                    // not blocked and not paced
    WallTime opens_at = WallTime::max();  // its first delayed bucket
    uint16_t garbage_chunks = 0;
    uint8_t name_size = 0;
    uint8_t band = 0;        // the best that is not empty; kBands: none
    uint8_t list = kNoList;  // where it stands ready
    bool dirty : 1 = false;
    bool opened : 1 = false;   // in opened_
    bool idle : 1 = false;     // nothing queued, no garbage
    bool garbage : 1 = false;  // in garbage_
    bool claimed : 1 = false;
  };
  static_assert(sizeof(Entry) == 56);

  struct ReadyList {
    DomainId first = kNoDomain;
    DomainId last = kNoDomain;
  };
  struct Timer {
    WallTime at;
    DomainId id;
  };

  // Names are looked up through the entries, so that each stands in memory once.
  struct NameHash {
    using is_transparent = void;
    const DomainIndex* index;
    size_t operator()(DomainId id) const { return (*this)(index->DomainOf(id)); }
    size_t operator()(std::string_view name) const;
  };
  struct NameEqual {
    using is_transparent = void;
    const DomainIndex* index;
    bool operator()(DomainId a, DomainId b) const { return a == b; }
    bool operator()(DomainId id, std::string_view name) const {
      return index->DomainOf(id) == name;
    }
    bool operator()(std::string_view name, DomainId id) const { return (*this)(id, name); }
  };

  static constexpr size_t kBlock = 1024;
  Entry& At(DomainId id) { return blocks_[id / kBlock][id % kBlock]; }
  const Entry& At(DomainId id) const { return blocks_[id / kBlock][id % kBlock]; }

  DomainId NewEntry(std::string_view domain);
  void Forget(DomainId id);
  void StoreHead(Entry& entry, std::string_view packed);
  void Enlist(DomainId id, WallTime now);
  void Link(DomainId id, uint8_t list);
  void Unlink(DomainId id);
  WallTime WakeOf(const Entry& entry) const;
  // Timer: a binary heap whose entries know their place in it.
  void SetTimer(DomainId id, WallTime at);
  void SiftUp(size_t at);
  void SiftDown(size_t at);
  void SetTimerAt(size_t at, const Timer& timer);

  std::vector<std::unique_ptr<Entry[]>> blocks_;
  std::vector<DomainId> free_;
  DomainId used_ = 0;
  absl::flat_hash_set<DomainId, NameHash, NameEqual> ids_;
  ReadyList ready_[kBands];
  std::vector<Timer> timers_;
  std::vector<DomainId> opened_;
  std::vector<DomainId> dirty_;  // may name one that is clean again, or one twice
  size_t dirty_count_ = 0;
  std::vector<DomainId> garbage_;
  size_t name_and_head_bytes_ = 0;
  bool complete_ = true;
  std::string packed_;  // kept for its memory
};

}  // namespace orbweaver
