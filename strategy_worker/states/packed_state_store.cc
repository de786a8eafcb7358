#include "strategy_worker/states/packed_state_store.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"

#include "common/base/status.h"
#include "common/protocol/log_witness.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

// The most memory that one answer may take, as far as it can be told before.
constexpr size_t kRowsPerGet = 1000;
constexpr uint64_t kBytesPerGet = uint64_t{8} << 20;
// Garbage that nobody takes is forgotten beyond this; it is found again when its row is read.
constexpr size_t kMaxGarbageRows = 20'000;

constexpr std::string_view kRecordOnly[] = {kRecordColumn};

size_t BytesOf(std::span<const Cell> row) {
  size_t bytes = 0;
  for (const Cell& cell : row) bytes += cell.column.size() + cell.value.size();
  return bytes;
}

}  // namespace

PackedStateStore::PackedStateStore(Store& store, const Clock& clock, const StateOptions& options,
                                   StateMetrics& metrics)
    : store_(store),
      clock_(clock),
      options_(options),
      metrics_(metrics),
      cache_(options.cache_bytes, metrics) {
  // A shard is half of one that was too large, at least.
  shard_row_estimate_.ExpectAtLeast(
      std::min(options.shard_urls * kMinEntryBytes, options.shard_bytes) / 2);
}

PackedStateStore::~PackedStateStore() = default;

absl::StatusOr<size_t> PackedStateStore::Load(std::span<const StateRequest> requests,
                                              Duration timeout) {
  const SteadyTime deadline = clock_.Now() + timeout;
  cache_.BeginLoad();
  absl::Status status = absl::OkStatus();
  size_t count = requests.size();
  // First the domains that are missing, then those of their shards that stand in rows of their own.
  for (const bool first : {true, false}) {
    const std::vector<Read> missing = FindMissing(requests, first, &count);
    if (missing.empty()) break;
    status = ReadRows(missing, deadline, &count);
    if (!status.ok()) break;
  }
  cache_.Evict();
  if (!status.ok()) return status;
  return count;
}

std::vector<PackedStateStore::Read> PackedStateStore::FindMissing(
    std::span<const StateRequest> requests, bool first, size_t* count) {
  std::vector<Read> missing;
  absl::flat_hash_map<std::string_view, size_t> missing_domains;  // index into `missing`
  std::set<std::pair<CachedDomain*, size_t>> missing_shards;
  std::vector<size_t> shards;
  uint64_t asked = 0, hits = 0, rows_saved = 0;
  for (size_t i = 0; i < *count; ++i) {
    if (first && i != 0 && cache_.LoadRoom() == 0) *count = i;
    if (i == *count) break;
    const StateRequest& request = requests[i];
    // Several requests of a domain count as one.
    const bool is_new = i == 0 || request.domain != requests[i - 1].domain;
    asked += is_new ? 1 : 0;
    CachedDomain* const domain = cache_.Find(request.domain);
    if (domain == nullptr) {
      const auto [found, is_first] = missing_domains.try_emplace(request.domain, missing.size());
      if (is_first) {
        missing.push_back({.request = i, .domain = request.domain, .partition = request.partition});
        missing.back().row = ShardRow(DomainRow(request.domain), 0);
        missing.back().highest = request.highest;
      }
      missing[found->second].whole |=
          request.all_states || request.record_states || !request.fingerprints.empty();
      continue;
    }
    const size_t missing_before = missing.size();
    domain->ShardsOf(request, &shards);
    for (const size_t index : shards) {
      if (Shard* const shard = domain->shard(index); shard != nullptr) {
        cache_.Touch(*domain, *shard);
        ++rows_saved;
      } else if (missing_shards.emplace(domain, index).second) {
        missing.push_back({.request = i,
                           .domain = request.domain,
                           .partition = request.partition,
                           .whole = true,
                           .cached = domain,
                           .shard = index,
                           .row = domain->RowOf(index)});
      }
    }
    cache_.Touch(*domain);
    rows_saved += shards.empty() ? 1 : 0;
    hits += is_new && missing.size() == missing_before ? 1 : 0;
  }
  if (first) {
    metrics_.hits.Increment(hits);
    metrics_.misses.Increment(asked - hits);
    metrics_.rows_saved.Increment(rows_saved);
  }
  return missing;
}

absl::Status PackedStateStore::ReadRows(std::span<const Read> reads, SteadyTime deadline,
                                        size_t* count) {
  std::vector<RowGet> gets;
  Rows rows;
  for (; !reads.empty(); reads = reads.subspan(gets.size())) {
    const uint64_t room = std::min(cache_.LoadRoom(), kBytesPerGet);
    if (room == 0 && !gets.empty() && reads.front().request != 0) {
      *count = reads.front().request;
      break;
    }
    const Duration left = deadline - clock_.Now();
    if (left <= Duration::zero()) {
      return TimeoutError("load link states: {} rows were not read in time", reads.size());
    }
    gets.clear();
    for (const Read& read : reads.first(RowsIn(reads, room))) {
      gets.push_back({read.row, read.whole ? std::span<const std::string_view>() : kRecordOnly});
    }
    RETURN_IF_ERROR(Get(gets, left, &rows));
    Learn(reads, rows);
    metrics_.rows_read.Increment(rows.size());
    for (size_t i = 0; i < gets.size(); ++i) {
      RETURN_IF_ERROR(CheckVersion(reads[i], rows, i));
      if (const absl::Status status = TakeRow(reads[i], rows, i); !status.ok()) {
        return FatalError(
            "load link states of '{}': {}. The row was written by another version or is damaged: "
            "upgrade this worker, or delete the domain's rows to forget what is known of it.",
            reads[i].domain, MessageOf(status));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status PackedStateStore::Get(std::span<const RowGet> gets, Duration timeout, Rows* rows) {
  std::optional<StageScope> waits;
  if (stage_ != nullptr) waits.emplace(*stage_, StageState::kWaitsForOutput);
  return store_.MultiGet(Table::kDomains, gets, timeout, rows);
}

size_t PackedStateStore::RowsIn(std::span<const Read> reads, uint64_t bytes) {
  size_t rows = 0;
  for (uint64_t expected = 0; rows < std::min(reads.size(), kRowsPerGet); ++rows) {
    expected +=
        (reads[rows].cached == nullptr ? first_row_estimate_ : shard_row_estimate_).row_bytes();
    if (rows != 0 && expected > bytes) break;
  }
  return rows;
}

void PackedStateStore::Learn(std::span<const Read> reads, const Rows& rows) {
  size_t first_rows = 0, first_bytes = 0, shard_bytes = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_first = reads[i].cached == nullptr;
    first_rows += is_first ? 1 : 0;
    (is_first ? first_bytes : shard_bytes) += BytesOf(rows[i]);
  }
  first_row_estimate_.Learn(first_rows, first_bytes);
  shard_row_estimate_.Learn(rows.size() - first_rows, shard_bytes);
}

// Each flush of a domain puts its record, under the version of all that it writes.
absl::Status PackedStateStore::CheckVersion(const Read& read, const Rows& rows, size_t row) {
  if (read.cached != nullptr) return absl::OkStatus();
  const Cell* const record = rows.Find(row, kRecordColumn);
  if (record == nullptr || record->version <= read.highest) return absl::OkStatus();
  return FatalError(
      "load link states of '{}': its record has version {}, this worker's are at most {}. {}",
      read.domain, record->version, read.highest, kForeignLogHint);
}

absl::Status PackedStateStore::TakeRow(const Read& read, const Rows& rows, size_t row) {
  if (read.cached == nullptr) {
    auto domain = std::make_unique<CachedDomain>(cache_, read.domain, read.partition);
    RETURN_IF_ERROR(domain->ReadFirstRow(rows, row, read.whole));
    cache_.Add(std::move(domain));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(read.cached->ReadShardRow(read.shard, rows, row));
  cache_.Touch(*read.cached, *read.cached->shard(read.shard));
  return absl::OkStatus();
}

DomainStates* PackedStateStore::Find(std::string_view domain) { return cache_.Find(domain); }

void PackedStateStore::Flush(PartitionId partition, Version version, std::vector<RowPut>* first,
                             std::vector<RowPut>* second) {
  for (CachedDomain* const domain : cache_.TakeChanged(partition)) {
    domain->Flush(version, options_, &buffer_, first, second);
    in_flight_.push_back(domain);
  }
}

void PackedStateStore::Flushed() {
  std::vector<StateGarbage> garbage;
  for (CachedDomain* const domain : in_flight_) {
    domain->Flushed(&garbage);
    for (StateGarbage& columns : garbage) {
      if (garbage_.size() == kMaxGarbageRows) break;
      garbage_.push_back({domain->partition(), std::move(columns)});
    }
    garbage.clear();
  }
  cache_.Release(in_flight_);
  in_flight_.clear();
  buffer_.Reset();
  cache_.Evict();
}

void PackedStateStore::TakeGarbage(std::vector<RowErase>* erases) {
  taken_.clear();
  taken_columns_.clear();
  for (Garbage& garbage : garbage_) taken_.push_back(std::move(garbage.garbage));
  garbage_.clear();
  for (const StateGarbage& garbage : taken_) {
    taken_columns_.emplace_back(garbage.columns.begin(), garbage.columns.end());
  }
  for (size_t i = 0; i < taken_.size(); ++i) {
    erases->push_back({taken_[i].row, taken_[i].version, taken_columns_[i]});
  }
}

void PackedStateStore::Drop(PartitionId partition) {
  const auto of_partition = [partition](const auto* domain) {
    return domain->partition() == partition;
  };
  std::erase_if(in_flight_, of_partition);
  std::erase_if(garbage_,
                [partition](const Garbage& garbage) { return garbage.partition == partition; });
  cache_.Drop(partition);
  if (in_flight_.empty()) buffer_.Reset();
}

}  // namespace orbweaver
