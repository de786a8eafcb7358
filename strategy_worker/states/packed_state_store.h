// Link states and records packed into few rows: one a domain, more only for large ones (README.md).
//
// Place: between strategy_worker/core and table `domains`; made by main, or by the simulator. Not
// thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/store/row_estimate.h"
#include "common/store/rows.h"
#include "common/store/store.h"
#include "strategy_worker/states/cached_domain.h"
#include "strategy_worker/states/flush_buffer.h"
#include "strategy_worker/states/state_cache.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

class PackedStateStore final : public StateStore {
 public:
  // All references must outlive it.
  PackedStateStore(Store& store, const Clock& clock, const StateOptions& options,
                   StateMetrics& metrics);
  ~PackedStateStore() override;

  absl::StatusOr<size_t> Load(std::span<const StateRequest> requests, Duration timeout) override;
  void CountWaits(StageClock& stage) override { stage_ = &stage; }
  DomainStates* Find(std::string_view domain) override;
  void Flush(PartitionId partition, Version version, std::vector<RowPut>* first,
             std::vector<RowPut>* second) override;
  void Flushed() override;
  void TakeGarbage(std::vector<RowErase>* erases) override;
  void Drop(PartitionId partition) override;

  // Memory that domains take, those included that may not be evicted now.
  uint64_t cached_bytes() const { return cache_.bytes(); }

 private:
  // A row to be read.
  struct Read {
    size_t request;  // the first that needs it
    std::string_view domain;
    PartitionId partition;
    bool whole = false;              // not only the record
    CachedDomain* cached = nullptr;  // whose shard it is; null: the domain's first row
    size_t shard = 0;
    std::string row;
    Version highest = kMaxVersion;  // that its record may have
  };
  struct Garbage {
    PartitionId partition;
    StateGarbage garbage;
  };

  // The rows that the first *count of `requests` need and that are not in memory. Touches those
  // that are. The first pass lowers *count when memory does not suffice for the rows that are
  // there.
  std::vector<Read> FindMissing(std::span<const StateRequest> requests, bool first, size_t* count);
  // Lowers *count to the requests that are met when memory does not suffice for all.
  absl::Status ReadRows(std::span<const Read> reads, SteadyTime deadline, size_t* count);
  absl::Status Get(std::span<const RowGet> gets, Duration timeout, Rows* rows);
  void Learn(std::span<const Read> reads, const Rows& rows);
  // How many of `reads` are expected to fit into so many bytes; at least one.
  size_t RowsIn(std::span<const Read> reads, uint64_t bytes);
  static absl::Status CheckVersion(const Read& read, const Rows& rows, size_t row);
  absl::Status TakeRow(const Read& read, const Rows& rows, size_t row);

  Store& store_;
  const Clock& clock_;
  const StateOptions options_;
  StateMetrics& metrics_;
  StageClock* stage_ = nullptr;

  StateCache cache_;
  RowEstimate first_row_estimate_;
  RowEstimate shard_row_estimate_;  // of the shards that have rows of their own
  FlushBuffer buffer_;
  std::vector<CachedDomain*> in_flight_;
  std::vector<Garbage> garbage_;  // not taken yet
  std::vector<StateGarbage> taken_;
  std::vector<std::vector<std::string_view>> taken_columns_;
};

}  // namespace orbweaver
