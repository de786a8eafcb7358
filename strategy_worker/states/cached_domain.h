// A domain in memory: its record, and those of its shards that are loaded.
//
// Place: owned by StateCache; PackedStateStore fills it from rows and flushes it into puts; the
// core sees it as DomainStates. Not thread-safe.
//
// The record is kept encoded and becomes a DomainRecord only while it is used, because most domains
// have few URLs, and a struct of strings and vectors would be most of what they take.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"

#include "common/base/ids.h"
#include "common/store/rows.h"
#include "common/store/store.h"
#include "strategy_worker/states/flush_buffer.h"
#include "strategy_worker/states/lru_list.h"
#include "strategy_worker/states/shard.h"
#include "strategy_worker/states/state_options.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

class StateCache;

// Columns that no chain needs any more.
struct StateGarbage {
  std::string row;
  Version version;
  std::vector<std::string> columns;  // none: all of the row's below the version of the flush
};

class CachedDomain final : public DomainStates, public CacheUnit {
 public:
  // As it is when it has no row.
  CachedDomain(StateCache& cache, std::string_view name, PartitionId partition);

  std::string_view name() const { return name_; }
  PartitionId partition() const { return partition_; }

  DomainRecord& record() override;
  void MarkChanged() override;
  bool IsSharded() const override { return shards_.size() > 1; }
  void Find(std::span<const Fingerprint> fingerprints, std::span<LinkState> states,
            std::span<bool> known) const override;
  StatusCounts CountByStatus() const override;
  void Set(Fingerprint fingerprint, const LinkState& state) override;
  void ForgetQueued() override;
  void Forget() override;

  // Takes over the cells of the domain's first row, which may not exist; `whole`: they are all of
  // them, so that the first shard is loaded too. Poison when they cannot be understood; the domain
  // is then not to be used.
  absl::Status ReadFirstRow(const Rows& rows, size_t row, bool whole);
  // Takes over the whole row of a shard that is not loaded.
  absl::Status ReadShardRow(size_t shard, const Rows& rows, size_t row);
  std::string RowOf(size_t shard) const;

  size_t shard_count() const { return shards_.size(); }
  Shard* shard(size_t index) { return shards_[index].shard.get(); }  // null: not loaded
  // The shards that the request needs, each once, ascending.
  void ShardsOf(const StateRequest& request, std::vector<size_t>* shards) const;
  void Evict(Shard& shard);

  bool IsPinned() const { return changed_ || in_flight_; }
  bool changed() const { return changed_; }
  bool is_open() const { return open_ != nullptr; }
  // Encodes the record, with changes that were made without MarkChanged.
  void Close();
  // Of the domain and, when it has only one, its shard.
  size_t MemoryBytes() const;

  // Appends the puts that make all changes durable; views point into *buffer. From here to Flushed
  // the domain is in flight.
  void Flush(Version version, const StateOptions& options, FlushBuffer* buffer,
             std::vector<RowPut>* first, std::vector<RowPut>* second);
  // The puts are durable. Appends the blocks that they replace to *garbage.
  void Flushed(std::vector<StateGarbage>* garbage);

 private:
  struct ShardEntry {
    uint16_t first = 0;
    Version last_block;  // 0: none
    std::unique_ptr<Shard> shard;
  };
  using ShardEntries = absl::InlinedVector<ShardEntry, 1>;

  void Set(Shard* shard, uint64_t key, const LinkState& state);
  size_t IndexOf(uint64_t key) const;
  KeyRange RangeOf(size_t index) const;
  // All states stand in the record's cell, and are loaded with it.
  bool IsInline() const { return shards_.size() == 1 && shards_[0].last_block == Version(0); }
  void SplitLargeShards(const StateOptions& options);
  void Split(size_t index);
  void AddGarbage(size_t index, std::vector<std::string> columns);

  StateCache& cache_;
  const std::string name_;
  const PartitionId partition_;

  bool changed_ = false;
  bool in_flight_ = false;
  std::string encoded_;                 // the record while it is not open; empty: never was one
  std::unique_ptr<DomainRecord> open_;  // the record while it is
  ShardEntries shards_;                 // ascending, of all fingerprints
  // Waits until the domain's next flush is durable: before that, a put of the worker that owned the
  // domain before this one may still arrive and need these columns.
  std::unique_ptr<std::vector<StateGarbage>> garbage_;
};

}  // namespace orbweaver
