// A range of one domain's link states in memory, and which of its blocks count in the store. Small
// domains have one shard, for all fingerprints.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/ids.h"
#include "common/store/rows.h"
#include "strategy_worker/states/block.h"
#include "strategy_worker/states/link_set.h"
#include "strategy_worker/states/lru_list.h"

namespace orbweaver {

// The allocator adds so much to each allocation.
inline constexpr size_t kAllocationBytes = 16;

class CachedDomain;

struct Shard : CacheUnit {
  // The blocks that count.
  struct Chain {
    std::vector<Version> versions;  // the base's and then the deltas', ascending
    uint64_t base_bytes = 0;
    uint64_t delta_bytes = 0;
  };

  Shard(CachedDomain* owner, KeyRange range) : domain(owner), links(range) {}

  bool IsPinned() const { return changed != nullptr || in_flight; }
  size_t MemoryBytes() const;

  CachedDomain* const domain;
  LinkSet links;
  std::unique_ptr<Chain> chain;                       // null: no block was written
  std::unique_ptr<std::vector<ChangedLink>> changed;  // since the last flush, some twice
  bool in_flight = false;                             // flushed, not known to be durable
  bool may_have_queued = true;                        // false: none of the states is QUEUED
};

// The record and the blocks of a row. Blocks are named by the version of the flush that wrote them,
// so no flush of any worker, dead or deposed, ever touches another's.
inline constexpr std::string_view kRecordColumn = "r";
std::string BaseColumn(Version version);
std::string DeltaColumn(Version version);

// `row`: the row's name without the shard. The shard of a domain whose lowest key begins with
// `first` stands in the row of that number.
std::string ShardRow(std::string_view domain_row, uint16_t first);

// Takes the shard's states from the cells of its whole row: the block of `last` and those it names,
// as they are after `purges` of the domain.
// *strays are the columns with blocks that do not count. Poison when they cannot be understood, or
// one is missing; the shard is then not to be used.
absl::Status ReadShard(const Rows& rows, size_t row, Version last, uint64_t purges, Shard* shard,
                       std::vector<std::string>* strays);

struct ShardBlock {
  std::string column;
  std::string bytes;
};

// The block that makes the shard's changes durable: a delta, or a new base when the chain is at one
// of its limits. The columns of a chain that it ends are appended to *replaced.
ShardBlock NextBlock(Version version, uint64_t purges, size_t max_deltas, Shard* shard,
                     std::vector<std::string>* replaced);

// Gives each QUEUED state the status that it had before; returns whether there was one. The change
// is not written: the blocks that have these states belong to an earlier purge from now on.
bool ForgetQueued(Shard* shard);

// The columns of a row that have blocks, whether they count or not.
std::vector<std::string> BlockColumns(std::span<const Cell> cells);

// The columns of the shard's chain.
void AppendColumns(const Shard::Chain& chain, std::vector<std::string>* columns);

}  // namespace orbweaver
