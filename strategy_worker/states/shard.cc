#include "strategy_worker/states/shard.h"

#include <algorithm>
#include <optional>

#include "common/base/big_endian.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "strategy_worker/states/block.h"

namespace orbweaver {
namespace {

std::string Column(char letter, Version version) {
  std::string column(1, letter);
  AppendBigEndian(version.value(), &column);
  return column;
}

bool IsBlock(std::string_view column) {
  return column.size() == 1 + sizeof(uint64_t) && (column[0] == 'b' || column[0] == 'd');
}

// By key, each once.
void SortOnce(std::vector<ChangedLink>* changed) {
  std::ranges::sort(*changed, {}, &ChangedLink::key);
  size_t kept = 0;
  for (const ChangedLink& link : *changed) {
    if (kept > 0 && (*changed)[kept - 1].key == link.key) {
      (*changed)[kept - 1].word = kLookUp;  // which of the two was later is not known any more
    } else {
      (*changed)[kept++] = link;
    }
  }
  changed->resize(kept);
}

struct ChainBlock {
  Version version;
  const Cell* cell;
  size_t entries;
};

// The blocks from the base up to `last`, whose cells are all there.
absl::StatusOr<std::vector<ChainBlock>> FindChain(const Rows& rows, size_t row, Version last) {
  std::vector<ChainBlock> blocks;
  std::optional<Version> next = last;
  while (next.has_value()) {
    const Version version = *next;
    const Cell* const delta = rows.Find(row, DeltaColumn(version));
    const Cell* const cell = delta != nullptr ? delta : rows.Find(row, BaseColumn(version));
    if (cell == nullptr) return PoisonError("block {} of link states is missing", version);
    ASSIGN_OR_RETURN(const BlockHead head, DecodeHead(cell->value));
    blocks.push_back({version, cell, head.entries});
    next = head.before;
    if (next.has_value() == (delta == nullptr)) {
      return PoisonError("block {} of link states is not what its column says", version);
    }
    if (next.has_value() && *next >= version) {
      return PoisonError("block {} of link states comes after a later one", version);
    }
  }
  std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

size_t Shard::MemoryBytes() const {
  size_t bytes = sizeof(Shard) + links.HeapBytes() + 3 * kAllocationBytes;
  if (chain != nullptr) {
    bytes += sizeof(Chain) + chain->versions.capacity() * sizeof(Version) + 2 * kAllocationBytes;
  }
  return bytes;
}

std::string BaseColumn(Version version) { return Column('b', version); }
std::string DeltaColumn(Version version) { return Column('d', version); }

std::string ShardRow(std::string_view domain_row, uint16_t first) {
  std::string row(domain_row);
  row.push_back('\0');
  AppendBigEndian(first, &row);
  return row;
}

std::vector<std::string> BlockColumns(std::span<const Cell> cells) {
  std::vector<std::string> columns;
  for (const Cell& cell : cells) {
    if (IsBlock(cell.column)) columns.emplace_back(cell.column);
  }
  return columns;
}

void AppendColumns(const Shard::Chain& chain, std::vector<std::string>* columns) {
  for (size_t i = 0; i < chain.versions.size(); ++i) {
    columns->push_back(i == 0 ? BaseColumn(chain.versions[i]) : DeltaColumn(chain.versions[i]));
  }
}

absl::Status ReadShard(const Rows& rows, size_t row, Version last, uint64_t purges, Shard* shard,
                       std::vector<std::string>* strays) {
  ASSIGN_OR_RETURN(const std::vector<ChainBlock> blocks, FindChain(rows, row, last));
  auto chain = std::make_unique<Shard::Chain>();
  size_t urls = 0;
  for (const ChainBlock& block : blocks) {
    chain->versions.push_back(block.version);
    (chain->versions.size() == 1 ? chain->base_bytes : chain->delta_bytes) +=
        block.cell->value.size();
    urls += block.entries;
  }
  // Most deltas add URLs. Of those that only change some, the room is given back.
  shard->links.Reserve(urls, chain->base_bytes + chain->delta_bytes);
  for (const ChainBlock& block : blocks) {
    RETURN_IF_ERROR(DecodeEntries(block.cell->value, purges, &shard->links));
  }
  shard->links.Fit();
  std::vector<std::string> columns;
  AppendColumns(*chain, &columns);
  shard->chain = std::move(chain);
  for (std::string& column : BlockColumns(rows[row])) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      strays->push_back(std::move(column));
    }
  }
  return absl::OkStatus();
}

bool ForgetQueued(Shard* shard) {
  if (!shard->may_have_queued) return false;
  std::vector<uint64_t> queued;
  shard->links.ForEach([&queued](uint64_t key, const PackedLink& packed) {
    if (StatusOf(packed) == LinkStatus::kQueued) queued.push_back(key);
  });
  for (const uint64_t key : queued) {
    PackedLink packed;
    CHECK(shard->links.Find(key, &packed));
    char bytes[kMaxStateBytes];  // Put may move the box that `packed` points into
    const char* const end = WriteState(OutOfQueue(packed), bytes);
    shard->links.Put(key, StateOf({bytes, end}));
  }
  if (shard->changed != nullptr) {
    for (ChangedLink& link : *shard->changed) link.word = kLookUp;
  }
  shard->may_have_queued = false;
  return !queued.empty();
}

ShardBlock NextBlock(Version version, uint64_t purges, size_t max_deltas, Shard* shard,
                     std::vector<std::string>* replaced) {
  ShardBlock block;
  Shard::Chain* const chain = shard->chain.get();
  if (chain != nullptr && chain->versions.size() <= max_deltas) {
    SortOnce(shard->changed.get());
    EncodeDelta(shard->links, chain->versions.back(), purges, *shard->changed, &block.bytes);
    if (chain->delta_bytes + block.bytes.size() <= chain->base_bytes) {
      chain->versions.push_back(version);
      chain->delta_bytes += block.bytes.size();
      block.column = DeltaColumn(version);
      return block;
    }
    block.bytes.clear();
  }
  if (chain != nullptr) AppendColumns(*chain, replaced);
  EncodeBase(shard->links, purges, &block.bytes);
  block.column = BaseColumn(version);
  shard->chain = std::make_unique<Shard::Chain>(
      Shard::Chain{.versions = {version}, .base_bytes = block.bytes.size()});
  return block;
}

}  // namespace orbweaver
