// Fills the spider feed up while the spiders' lag is low.
//
// Place: in DbWorkerCore, after enqueue. For all partitions that are due together: look at the lag,
// choose, claim domains that this owner has not put yet, read chunks, produce, wait for the acks,
// still the owner? Only then do the heads move on in memory; Checkpointer brings them to the store.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/message.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/worker/step_sequence.h"
#include "db_worker/dequeue/batch_reader.h"
#include "db_worker/dequeue/feed_lag.h"
#include "db_worker/parts.h"
#include "db_worker/queue/pending_puts.h"

namespace orbweaver {

class Dequeuer {
 public:
  // `parts` must outlive it.
  explicit Dequeuer(const WorkerParts& parts) : parts_(parts), reader_(parts) {}

  // Takes the partitions that are due for a look. False when there are none. Only while not busy.
  bool Begin();

  // Until what was chosen is in the feed, or the group is due: then it is still busy. Goes on where
  // it stood when called again, also after a retry error; other work on the partitions has to wait
  // until then. Fenced: the worker has lost a partition, and begins anew.
  absl::Status Advance();

  bool busy() const { return steps_.busy(); }
  std::string_view step() const { return steps_.name(); }
  bool IsWorkingOn(PartitionId partition) const;

 private:
  using Steps = StepSequence<Dequeuer>;
  // The part of a batch that one partition has; requests leave in `order`.
  struct PartitionBatch {
    Partition* partition;
    size_t first;  // in domains_
    size_t end;
    std::vector<uint32_t> order;  // of domains, from `first`
  };

  static std::span<const Steps::Step> BatchSteps();
  absl::StatusOr<bool> ReadLagsAndChoose();
  absl::StatusOr<bool> PutClaims();
  absl::StatusOr<bool> Read();
  absl::StatusOr<bool> AwaitAcks();
  absl::StatusOr<bool> CheckOwnerAndMoveOn();

  absl::Status ReadFeedLags();
  absl::Status ReadBacklogs();
  void SetLag(Partition& partition, const LogLag& lag);
  void Choose(WallTime now);
  void Claim();
  void Arrange();
  // All batches, or until the group is due.
  absl::StatusOr<bool> Produce();
  // Takes the batch's next requests into block_, as many as are sent at once.
  void FillBlock();
  SpiderFeedEntry EntryOf(const LeavingDomain& domain, const LeavingRequest& leaving,
                          const ScheduledRequest& queued) const;
  // The processor fetches the domain's next request while those before it are encoded: requests lie
  // all over the chunk cache.
  void Prefetch(size_t domain) const;
  void AddToBlock(const LeavingDomain& domain, const LeavingRequest& leaving);
  void MoveOn();

  const WorkerParts& parts_;

  Steps steps_{BatchSteps()};
  std::vector<Partition*> due_;
  std::vector<PartitionBatch> batches_;
  std::vector<LeavingDomain> domains_;
  PendingPuts claims_;
  BatchReader reader_;
  // The next request to produce.
  size_t next_batch_ = 0;
  size_t next_in_batch_ = 0;
  std::vector<size_t> next_of_domain_;
  // Encoded for the batch `next_batch_`; what is left of them to send.
  std::vector<KeyValue> block_;
  std::span<const KeyValue> unsent_;
  Arena block_bytes_;
  SteadyTime began_;
  Arena arena_;
  EncodeBuffer buffer_;
  std::vector<ChosenDomain> chosen_;
};

}  // namespace orbweaver
