// Reads the parts of the domains' rows that the events of a batch need, in as few reads as
// possible, and decides what to do with a row that comes from the store.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "common/bus/offset_reader.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "strategy_worker/core/batch.h"
#include "strategy_worker/core/core_metrics.h"
#include "strategy_worker/core/event_view.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/core/ownership.h"
#include "strategy_worker/core/scope_filter.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

// Records come first: they say what was applied already, and the strategy's filter looks at them to
// say which links' states matter at all. A row costs the store the same whether its record is read
// or all of it, so a domain that is not in the cache is asked for whole, in the one read, while
// most domains pass the filter; when most do not, its record is read first.
//
// Place: inside StrategyCore, between reading a batch and applying it; may run while the batch
// before is being written. Not thread-safe.
class Lookup {
 public:
  // All must outlive it.
  Lookup(const StrategyWorkerOptions& options, StateStore& states, OffsetReader& offsets,
         Ownership& ownership, const CrawlScope& scope, Strategy& strategy, EventView& view,
         CoreMetrics& metrics);

  // Chooses the batch's next portion: those first that are in memory already, which saves reading
  // them again when not all fit. Loads its domains and the states that are needed; marks events
  // that are in their row already, claims outboxes of earlier owners, takes out what is out of
  // scope, and asks the filter. Blocks.
  // On a retry error it may be called again for the same batch.
  absl::Status Run(Batch* batch);

  // Loads again what Run has loaded and the cache may have given up since: mostly, nothing.
  absl::Status RunAgain(Batch* batch) { return LoadStates(batch); }

 private:
  absl::Status LoadRecords(Batch* batch);
  absl::Status Examine(Batch* batch, TouchedDomain* domain);
  // Fatal when the row knows of events that the log does not have.
  absl::Status CheckWatermark(const TouchedDomain& domain, const DomainRecord& record,
                              OwnedPartition* owner);
  absl::Status ClaimOutbox(TouchedDomain* domain, DomainStates* states, OwnedPartition* owner);
  void Filter(Batch* batch);
  absl::Status AskFilter(SourceEvent* event, const DomainRecord& record);
  absl::Status LoadStates(Batch* batch);

  // Adds the states that the portion's events of the domain need: as one request or, where the
  // domain has several rows, as one request an event.
  void WantStates(Batch* batch, const TouchedDomain& domain);
  // The portion ends before what has not found room.
  absl::Status LoadWanted(Batch* batch);

  const StrategyWorkerOptions& options_;
  StateStore& states_;
  OffsetReader& offsets_;
  Ownership& ownership_;
  ScopeFilter scope_;
  Strategy& strategy_;
  EventView& view_;
  CoreMetrics& metrics_;

  // Events with links of domains that were not in the cache: how many, and of how many the filter
  // left nothing. Both are halved from time to time, so that they follow the crawl.
  uint64_t filtered_events_ = 0;
  uint64_t dropped_events_ = 0;

  struct Wanted {
    const TouchedDomain* domain;
    bool record_states = false;  // and nothing else
    uint32_t event = 0;          // its number, where the request is of one event
    size_t end = 0;              // of its fingerprints in fingerprints_
  };
  std::vector<Wanted> wanted_;
  std::vector<Fingerprint> fingerprints_;
  std::vector<StateRequest> requests_;
  std::vector<uint8_t> keep_;
  Arena arena_;
  EncodeBuffer buffer_;
};

}  // namespace orbweaver
