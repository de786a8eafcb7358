// A worker that owns partitions of a MemoryTables, for tests: what the core does around a
// PackedStateStore, in one line each.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/clock.h"
#include "common/metrics/metric_registry.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "common/url/partition.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {

inline Fingerprint Url(uint64_t high) { return {high, 0}; }

inline LinkState AtDepth(uint32_t depth) { return {.status = LinkStatus::kQueued, .depth = depth}; }

// Keys spread over all shards.
inline Fingerprint Spread(uint64_t index) { return Url(index * 0x9e37'79b9'7f4a'7c15u); }

inline std::vector<Fingerprint> SpreadUrls(uint64_t count) {
  std::vector<Fingerprint> urls;
  for (uint64_t i = 0; i < count; ++i) urls.push_back(Spread(i));
  return urls;
}

inline std::string FirstRow(std::string_view domain) { return ShardRow(DomainRow(domain), 0); }

class TestOwner {
 public:
  static constexpr PartitionId kPartition{1};
  static constexpr Duration kTimeout = std::chrono::seconds(1);

  explicit TestOwner(MemoryTables* tables, const StateOptions& options = {},
                     const MemoryStoreOptions& store_options = {})
      : store_(tables, store_options),
        states_(store_,
                store_options.virtual_time != nullptr
                    ? static_cast<const Clock&>(*store_options.virtual_time)
                    : SystemClock(),
                options, metrics_) {}

  DomainStates& Load(std::string_view domain, const std::vector<Fingerprint>& urls,
                     PartitionId partition = kPartition) {
    const StateRequest request{domain, partition, urls};
    EXPECT_OK(states_.Load({&request, 1}, kTimeout));
    return *states_.Find(domain);
  }

  // "-" when the URL is not known, else its depth.
  std::string DepthOf(DomainStates& domain, Fingerprint url) const {
    LinkState state;
    bool known = false;
    domain.Find({&url, 1}, {&state, 1}, {&known, 1});
    return known ? std::to_string(state.depth) : "-";
  }

  void Flush(uint64_t version, PartitionId partition = kPartition) {
    first_.clear();
    second_.clear();
    states_.Flush(partition, Version(version), &first_, &second_);
  }
  void Write() {
    std::vector<uint32_t> remaining;
    EXPECT_OK(store_.Write(Table::kDomains, first_, kTimeout, &remaining));
    EXPECT_OK(store_.Write(Table::kDomains, second_, kTimeout, &remaining));
    states_.Flushed();
  }
  void FlushAndWrite(uint64_t version) {
    Flush(version);
    Write();
  }
  std::vector<RowErase> Garbage() {
    std::vector<RowErase> garbage;
    states_.TakeGarbage(&garbage);
    return garbage;
  }

  MemoryStore& store() { return store_; }
  PackedStateStore& states() { return states_; }
  const StateMetrics& metrics() const { return metrics_; }
  const std::vector<RowPut>& first() const { return first_; }
  const std::vector<RowPut>& second() const { return second_; }

 private:
  MetricRegistry registry_;
  StateMetrics metrics_{registry_};
  MemoryStore store_;
  PackedStateStore states_;
  std::vector<RowPut> first_, second_;
};

}  // namespace orbweaver
