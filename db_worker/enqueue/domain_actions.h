// RAISE and DELETE: how the messages of one batch move and drop URLs of one domain.
//
// Place: inside Enqueuer, beside the domain's DomainEdit, from the batch's first message with such
// an action on. One search through the domain's chunks serves all of them. Requests that are added
// meanwhile stand apart until Finish, since a later message may take them out again. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/model/arena.h"
#include "common/model/scoring_log.h"
#include "db_worker/parts.h"
#include "db_worker/queue/domain_edit.h"
#include "db_worker/queue/waiting_search.h"

namespace orbweaver {

// Open in proto3: an action that we do not know is the one with the value 0.
ScheduleAction ActionOf(const ScheduledRequest& request);

// With its fingerprint, which a foreign client may have left out.
ScheduledRequest Complete(ScheduledRequest request);

// Adds to *urls what a search for `request`, which is complete, has to find.
void AddSought(const ScheduledRequest& request, WaitingSearch::Sought* urls);

class DomainActions {
 public:
  // `urls`: of all actions that are still to come. Takes over what `edit` has added so far.
  DomainActions(DomainEdit& edit, const WaitingSearch::Sought& urls);

  // Until found() or the group is due; goes on when called again, also after a retry error.
  absl::Status Search(const WorkerParts& parts) { return search_.Advance(parts); }
  bool found() const { return search_.found(); }

  // Once found. `request`, which is complete, is of the message `by`.
  void Apply(const ScheduledRequest& request, const Watermark& by, WallTime now,
             DbWorkerMetrics& metrics, DomainEdit& edit);
  // Drops what waits and what was added.
  void Purge();

  // After the last message: marks in the store what was taken out, until marked() or the group is
  // due; goes on when called again, also after a retry error.
  absl::Status Mark(const WorkerParts& parts) { return search_.Mark(parts); }
  bool marked() const { return search_.marked(); }
  // Gives what was added and not taken out again to `edit`.
  void Finish(DomainEdit& edit, WallTime now);

 private:
  struct Added {
    std::string_view encoded;  // in bytes_; empty: taken out again
    int band;                  // of its score
    WallTime not_before;
  };

  void Add(const Fingerprint& url, const Added& added);
  bool MovesUp(const ScheduledRequest& request, WallTime now) const;
  uint64_t TakeOut(const Fingerprint& url, const Watermark& by, DomainEdit& edit);

  WaitingSearch search_;
  std::vector<Added> added_;  // in their order
  // Of those that are sought.
  absl::flat_hash_map<Fingerprint, std::vector<size_t>> added_of_;
  Arena bytes_;
};

}  // namespace orbweaver
