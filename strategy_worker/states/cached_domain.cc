#include "strategy_worker/states/cached_domain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/partition.h"
#include "strategy_worker/states/block.h"
#include "strategy_worker/states/state_cache.h"

namespace orbweaver {
namespace {

constexpr size_t kMapEntryBytes = 32;  // of the cache's table of domains
constexpr int kMaxShardBits = 16;
constexpr Version kNotFlushed{0};  // of garbage

uint64_t KeyOf(Fingerprint fingerprint) { return fingerprint.high; }

}  // namespace

CachedDomain::CachedDomain(StateCache& cache, std::string_view name, PartitionId partition)
    : cache_(cache), name_(name), partition_(partition) {
  shards_.emplace_back();
  shards_[0].shard = std::make_unique<Shard>(this, KeyRange{});
}

DomainRecord& CachedDomain::record() {
  if (open_ == nullptr) {
    open_ = std::make_unique<DomainRecord>();
    std::string_view states;
    if (!encoded_.empty()) CHECK_OK(DecodeRecordCell(encoded_, open_.get(), &states));
    cache_.OnOpened(*this);
  }
  return *open_;
}

void CachedDomain::MarkChanged() {
  if (changed_) return;
  changed_ = true;
  cache_.OnChanged(*this);
}

size_t CachedDomain::IndexOf(uint64_t key) const {
  if (shards_.size() == 1) return 0;
  const auto after = std::upper_bound(
      shards_.begin(), shards_.end(), key >> 48,
      [](uint64_t prefix, const ShardEntry& entry) { return prefix < entry.first; });
  return static_cast<size_t>(after - shards_.begin()) - 1;
}

void CachedDomain::Find(std::span<const Fingerprint> fingerprints, std::span<LinkState> states,
                        std::span<bool> known) const {
  CHECK(fingerprints.size() == states.size() && states.size() == known.size());
  for (const Fingerprint fingerprint : fingerprints) {
    const uint64_t key = KeyOf(fingerprint);
    const Shard* const shard = shards_[IndexOf(key)].shard.get();
    CHECK(shard != nullptr);
    shard->links.Prefetch(key);
  }
  for (size_t i = 0; i < fingerprints.size(); ++i) {
    const uint64_t key = KeyOf(fingerprints[i]);
    PackedLink packed;
    known[i] = shards_[IndexOf(key)].shard->links.Find(key, &packed);
    Unpack(packed, &states[i]);
  }
}

StatusCounts CachedDomain::CountByStatus() const {
  StatusCounts counts{};
  for (const ShardEntry& entry : shards_) {
    if (entry.shard == nullptr) continue;
    entry.shard->links.ForEach([&counts](uint64_t, const PackedLink& link) {
      ++counts[static_cast<size_t>(StatusOf(link))];
    });
  }
  return counts;
}

void CachedDomain::Set(Fingerprint fingerprint, const LinkState& state) {
  const uint64_t key = KeyOf(fingerprint);
  Shard* const shard = shards_[IndexOf(key)].shard.get();
  CHECK(shard != nullptr);
  Set(shard, key, state);
}

void CachedDomain::ForgetQueued() {
  // Of those that are not loaded their blocks say it when they are: they are of an earlier purge.
  bool any = false;
  for (const ShardEntry& entry : shards_) {
    any |= entry.shard == nullptr || orbweaver::ForgetQueued(entry.shard.get());
  }
  if (!any) return;
  ++record().purges;
  MarkChanged();
}

void CachedDomain::Forget() {
  for (size_t i = 0; i < shards_.size(); ++i) {
    const ShardEntry& entry = shards_[i];
    if (i > 0 && entry.last_block != Version(0)) {
      // No row but the first has anything but blocks.
      if (garbage_ == nullptr) garbage_ = std::make_unique<std::vector<StateGarbage>>();
      garbage_->push_back({RowOf(i), kNotFlushed, {}});
    }
    if (entry.shard == nullptr) continue;
    std::vector<std::string> columns;
    if (i == 0 && entry.shard->chain != nullptr) AppendColumns(*entry.shard->chain, &columns);
    AddGarbage(i, std::move(columns));
    if (IsSharded()) cache_.Uncount(*entry.shard);
  }
  DomainRecord& record = this->record();
  // Blocks of earlier purges stay behind; their number must not come again.
  DomainRecord forgotten;
  forgotten.applied = record.applied;
  forgotten.purges = record.purges;
  forgotten.outbox = std::move(record.outbox);
  record = std::move(forgotten);
  shards_.clear();
  shards_.emplace_back();
  shards_[0].shard = std::make_unique<Shard>(this, KeyRange{});
  MarkChanged();
  cache_.Recount(*this);
}

void CachedDomain::Set(Shard* shard, uint64_t key, const LinkState& state) {
  LinkPacker packer;
  const size_t heap_bytes = shard->links.HeapBytes();
  const PackedLink packed = packer.Pack(state);
  const LinkSet::Outcome outcome = shard->links.Put(key, packed);
  if (outcome == LinkSet::Outcome::kUnchanged) return;
  if (outcome == LinkSet::Outcome::kAdded) ++record().known_urls;
  shard->may_have_queued |= state.status == LinkStatus::kQueued;
  if (shard->changed == nullptr) {
    shard->changed = std::make_unique<std::vector<ChangedLink>>();
    cache_.Unlist(*shard);
  }
  shard->changed->push_back({key, packed.word});
  MarkChanged();
  if (shard->links.HeapBytes() != heap_bytes) cache_.Recount(*this, *shard);
}

absl::Status CachedDomain::ReadFirstRow(const Rows& rows, size_t row, bool whole) {
  const Cell* const cell = rows.Find(row, kRecordColumn);
  if (cell == nullptr) return absl::OkStatus();
  open_ = std::make_unique<DomainRecord>();
  const DomainRecord& record = *open_;
  std::string_view states;
  RETURN_IF_ERROR(DecodeRecordCell(cell->value, open_.get(), &states));
  encoded_ = cell->value.substr(0, cell->value.size() - states.size());
  if (record.manifest.empty()) {
    if (whole) AddGarbage(0, BlockColumns(rows[row]));
    if (states.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const BlockHead head, DecodeHead(states));
    if (head.before.has_value())
      return PoisonError("block of link states in the record is no base");
    return DecodeEntries(states, record.purges, &shards_[0].shard->links);
  }
  shards_.clear();
  for (const DomainRecord::Shard& shard : record.manifest) {
    shards_.push_back({.first = shard.first, .last_block = shard.last_block, .shard = nullptr});
  }
  return whole ? ReadShardRow(0, rows, row) : absl::OkStatus();
}

absl::Status CachedDomain::ReadShardRow(size_t index, const Rows& rows, size_t row) {
  CHECK(shards_[index].shard == nullptr);
  auto shard = std::make_unique<Shard>(this, RangeOf(index));
  std::vector<std::string> strays;
  RETURN_IF_ERROR(
      ReadShard(rows, row, shards_[index].last_block, record().purges, shard.get(), &strays));
  shards_[index].shard = std::move(shard);
  AddGarbage(index, std::move(strays));
  return absl::OkStatus();
}

std::string CachedDomain::RowOf(size_t shard) const {
  return ShardRow(DomainRow(name_), shards_[shard].first);
}

KeyRange CachedDomain::RangeOf(size_t index) const {
  const uint32_t end = index + 1 < shards_.size() ? shards_[index + 1].first : 1u << kMaxShardBits;
  const uint32_t width = end - shards_[index].first;
  return {shards_[index].first, static_cast<uint8_t>(kMaxShardBits - std::countr_zero(width))};
}

void CachedDomain::ShardsOf(const StateRequest& request, std::vector<size_t>* shards) const {
  shards->clear();
  if (request.all_states) {
    for (size_t i = 0; i < shards_.size(); ++i) shards->push_back(i);
    return;
  }
  if (request.fingerprints.empty()) return;
  if (shards_.size() == 1) {
    shards->push_back(0);
    return;
  }
  for (const Fingerprint fingerprint : request.fingerprints) {
    shards->push_back(IndexOf(KeyOf(fingerprint)));
  }
  std::sort(shards->begin(), shards->end());
  shards->erase(std::unique(shards->begin(), shards->end()), shards->end());
}

void CachedDomain::Evict(Shard& shard) {
  ShardEntry& entry = shards_[IndexOf(uint64_t{shard.links.range().first} << 48)];
  CHECK(entry.shard.get() == &shard && !shard.IsPinned() && !IsInline());
  entry.shard.reset();
}

void CachedDomain::Close() {
  encoded_ = EncodeDomainRecord(*open_);
  open_.reset();
}

size_t CachedDomain::MemoryBytes() const {
  size_t bytes = sizeof(CachedDomain) + kMapEntryBytes + 3 * kAllocationBytes;
  bytes += name_.capacity() + encoded_.capacity();
  if (open_ != nullptr) bytes += sizeof(DomainRecord) + encoded_.capacity();
  if (shards_.size() > 1) {
    bytes += shards_.capacity() * sizeof(ShardEntry);
  } else if (shards_[0].shard != nullptr) {
    bytes += shards_[0].shard->MemoryBytes();
  }
  return bytes;
}

void CachedDomain::Flush(Version version, const StateOptions& options, FlushBuffer* buffer,
                         std::vector<RowPut>* first, std::vector<RowPut>* second) {
  SplitLargeShards(options);
  const std::string domain_row = DomainRow(name_);
  std::string states;    // that go into the record's cell
  ShardBlock own_block;  // that goes beside it
  for (size_t i = 0; i < shards_.size(); ++i) {
    Shard* const shard = shards_[i].shard.get();
    if (shard == nullptr || (shard->changed == nullptr && !IsInline())) continue;
    if (IsInline()) {
      if (shard->links.size() != 0) EncodeBase(shard->links, record().purges, &states);
      if (states.size() <= options.inline_bytes) {
        shard->changed.reset();
        continue;
      }
      states.clear();
    }
    std::vector<std::string> replaced;
    ShardBlock block = NextBlock(version, record().purges, options.max_deltas, shard, &replaced);
    AddGarbage(i, std::move(replaced));
    shards_[i].last_block = version;
    shard->changed.reset();
    shard->in_flight = true;
    if (i == 0) {
      own_block = std::move(block);
    } else {
      const CellPut cell{block.column, block.bytes};
      first->push_back(buffer->Put(ShardRow(domain_row, shards_[i].first), version, {&cell, 1}));
    }
  }

  DomainRecord& record = this->record();
  record.manifest.clear();
  if (!IsInline()) {
    for (const ShardEntry& entry : shards_) {
      record.manifest.push_back({.first = entry.first, .last_block = entry.last_block});
    }
  }
  const std::string record_cell = EncodeDomainRecord(record).append(states);
  const std::array<CellPut, 2> cells = {CellPut{kRecordColumn, record_cell},
                                        CellPut{own_block.column, own_block.bytes}};
  second->push_back(buffer->Put(ShardRow(domain_row, 0), version,
                                {cells.data(), own_block.column.empty() ? 1u : 2u}));
  if (garbage_ != nullptr) {
    for (StateGarbage& garbage : *garbage_) {
      // A whole row may have a block of this flush again.
      garbage.version = garbage.columns.empty() ? Version(version.value() - 1) : version;
    }
  }
  changed_ = false;
  in_flight_ = true;
}

void CachedDomain::Flushed(std::vector<StateGarbage>* garbage) {
  in_flight_ = false;
  for (ShardEntry& entry : shards_) {
    if (entry.shard != nullptr) entry.shard->in_flight = false;
  }
  if (garbage_ == nullptr) return;
  std::erase_if(*garbage_, [garbage](StateGarbage& columns) {
    if (columns.version == kNotFlushed) return false;
    garbage->push_back(std::move(columns));
    return true;
  });
  if (garbage_->empty()) garbage_.reset();
}

void CachedDomain::SplitLargeShards(const StateOptions& options) {
  for (size_t i = 0; i < shards_.size();) {
    const Shard* const shard = shards_[i].shard.get();
    const bool is_large = shard != nullptr && shard->changed != nullptr &&
                          (shard->links.size() > options.shard_urls ||
                           shard->links.EntryBytesBound() > options.shard_bytes);
    if (is_large && shard->links.range().bits < kMaxShardBits) {
      Split(i);  // and look at the lower half again
    } else {
      ++i;
    }
  }
}

void CachedDomain::Split(size_t index) {
  Shard& lower = *shards_[index].shard;
  if (lower.chain != nullptr) {
    std::vector<std::string> columns;
    AppendColumns(*lower.chain, &columns);
    AddGarbage(index, std::move(columns));
    lower.chain.reset();
  }
  const KeyRange upper_range = lower.links.range().UpperHalf();
  auto upper = std::make_unique<Shard>(this, upper_range);
  upper->links = lower.links.SplitOff();
  upper->may_have_queued = lower.may_have_queued;
  upper->changed = std::make_unique<std::vector<ChangedLink>>();
  ShardEntry entry{.first = upper_range.first, .last_block = Version(0), .shard = std::move(upper)};
  shards_.insert(shards_.begin() + static_cast<ptrdiff_t>(index) + 1, std::move(entry));
}

void CachedDomain::AddGarbage(size_t index, std::vector<std::string> columns) {
  if (columns.empty()) return;
  if (garbage_ == nullptr) garbage_ = std::make_unique<std::vector<StateGarbage>>();
  garbage_->push_back({RowOf(index), kNotFlushed, std::move(columns)});
}

}  // namespace orbweaver
