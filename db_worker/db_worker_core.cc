// Past 400 lines: a rebalance may come between any two parts of a step, so their order and what a
// rebalance does to each stand together.
#include "db_worker/db_worker_core.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/protocol/topic_record.h"
#include "common/url/partition.h"
#include "db_worker/dequeue/checkpointer.h"
#include "db_worker/dequeue/dequeuer.h"
#include "db_worker/dequeue/take_over.h"
#include "db_worker/enqueue/enqueuer.h"
#include "db_worker/queue/bucket_opener.h"
#include "db_worker/queue/load_heads.h"
#include "db_worker/waited_store.h"

namespace orbweaver {
namespace {

constexpr std::chrono::milliseconds kForgetInterval = std::chrono::seconds(10);
// More than what suits the CPU's caches best: a domain's messages of one batch cost the store one
// put.
constexpr PollLimits kPollLimits{.max_bytes = size_t{4} << 20, .max_messages = 2000};
// How long a step works on a take-over; the partitions that are owned wait meanwhile.
constexpr std::chrono::milliseconds kTakeOverSlice(1000);
constexpr std::chrono::milliseconds kTakeOverSliceBesideOthers(250);
// Of the session timeout: what a rebalance waits for partitions to be given away in good order.
constexpr int kPartOfSession = 3;

}  // namespace

struct DbWorkerCore::State : RebalanceListener {
  State(Bus& bus, Store& store, const Clock& used_clock, DbWorkerMetrics& metrics,
        DbWorkerSetup chosen, const TopicRecord& topics)
      : setup(std::move(chosen)),
        clock(used_clock),
        topic_epoch(topics.topic_epoch),
        time(used_clock),
        chunks(static_cast<size_t>(setup.options.chunk_cache_bytes)),
        partition_count(topics.partitions),
        bus_(bus),
        metrics_(metrics),
        store_(store, stage) {}

  absl::Status Start();

  // A step's parts, in their order.
  enum class Part : uint8_t { kEnqueue, kOpenBuckets, kDequeue, kWriteCheckpoints, kTakeOver };

  absl::Status Step(Duration max_wait);
  absl::Status TryStep(Duration max_wait);
  absl::Status Do(Part part, Duration max_wait);
  bool IsBusy() const;
  bool IsWorkingOn(PartitionId partition) const;
  absl::Status FinishPending();
  // As FinishPending, several times if need be. DeadlineExceeded when it is not done by then.
  absl::Status FinishPendingBy(SteadyTime deadline);
  absl::Status TakeOverComing();
  absl::Status BringToStore();
  absl::Status GoOnBehindCuts();
  // Some partition gives nothing to the spiders, since they, or those behind them, are behind.
  bool IsFeedFull() const;
  absl::Status Poll(Duration max_wait);
  absl::Status OpenBuckets();
  absl::Status Dequeue();
  absl::Status WriteCheckpoints();
  void ForgetIdle();
  absl::Status TakeAgainWhatRanOutOfVersions();
  Duration WaitFor(Duration max_wait) const;
  Partition* OwnerOf(std::string_view domain);
  void Drop(PartitionId partition);
  absl::Status Flush(Partition& partition, SteadyTime deadline);
  SteadyTime GiveAwayBy() const {
    return clock.Now() + setup.membership.session_timeout / kPartOfSession;
  }

  void OnAssigned(std::span<const AssignedPartition> assigned) override;
  void OnRevoked(std::span<const PartitionId> revoked) override;
  void OnLost(std::span<const PartitionId> lost) override;

  const DbWorkerSetup setup;
  const Clock& clock;
  const uint64_t topic_epoch;
  const SteadyWall time;
  ChunkCache chunks;
  Partitions partitions;
  const int partition_count;

  Bus& bus_;
  DbWorkerMetrics& metrics_;
  StageClock stage{metrics_.stage, clock};
  WaitedStore store_;
  std::unique_ptr<OwnedLog> feed;
  std::unique_ptr<LogSession> scoring_log;
  std::optional<WorkerParts> parts;
  std::optional<Enqueuer> enqueuer;
  std::optional<BucketOpener> opener;
  std::optional<Dequeuer> dequeuer;
  std::optional<Checkpointer> checkpointer;

  std::vector<ComingPartition> coming;  // with those that are being taken over
  std::unique_ptr<TakeOver> take_over;
  uint64_t heads_read = 0;  // by the newest take-over
  // Taken over, and not in `partitions` yet: one after the other brings what was read back to the
  // store.
  std::vector<std::unique_ptr<Partition>> taken;
  // Its messages come when what was read back is in the store.
  std::optional<PartitionId> resumes;
  Part next_part = Part::kEnqueue;
  bool stalled = false;  // the last step ended with a retry error
  // A partition went while it was worked on: for ever.
  absl::Status failure;
  // Of OpenBuckets and WriteCheckpoints, so that none waits for ever where a step has no time for
  // all.
  PartitionId opens_next{0};
  PartitionId writes_next{0};
  uint32_t next_owner = 0;
  WallTime forget_due;
  bool closed = false;
};

absl::Status DbWorkerCore::State::Start() {
  ASSIGN_OR_RETURN(
      feed, OwnedLog::Create(
                bus_, clock,
                {.topic = std::string(kSpiderFeedTopic), .owner = setup.name, .producer = {}}));
  ASSIGN_OR_RETURN(scoring_log, LogSession::Create(bus_, clock,
                                                   {.topic = std::string(kScoringLogTopic),
                                                    .group = std::string(kDbWorkerGroup),
                                                    .membership = setup.membership,
                                                    .call_timeout = setup.options.call_timeout,
                                                    .module = "queue",
                                                    .loss = "Their requests are lost"}));
  parts.emplace(WorkerParts{.bus = bus_,
                            .store = store_,
                            .scoring_log = *scoring_log,
                            .feed = *feed,
                            .offsets = scoring_log->offsets(),
                            .time = time,
                            .options = setup.options,
                            .metrics = metrics_,
                            .chunks = chunks,
                            .partitions = partitions,
                            .partition_count = partition_count,
                            .stage = stage});
  enqueuer.emplace(*parts);
  opener.emplace(*parts);
  dequeuer.emplace(*parts);
  checkpointer.emplace(*parts);
  return scoring_log->Join(this);
}

absl::Status DbWorkerCore::State::Step(Duration max_wait) {
  RETURN_IF_ERROR(failure);
  const StageScope step(stage, StageState::kBusy);
  const absl::Status status = TryStep(max_wait);
  stalled = IsRetry(status);
  return failure.ok() ? status : failure;
}

// Goes on behind what the step before had no more time for, or failed in: otherwise what comes
// first could keep the rest from ever happening.
absl::Status DbWorkerCore::State::TryStep(Duration max_wait) {
  if (stalled || (IsBusy() && scoring_log->IsDue())) {
    RETURN_IF_ERROR(scoring_log->StayInGroup());
    RETURN_IF_ERROR(failure);
  }
  while (true) {
    RETURN_IF_ERROR(FinishPending());
    if (IsBusy()) return absl::OkStatus();
    const Part part = next_part;
    next_part =
        part == Part::kTakeOver ? Part::kEnqueue : static_cast<Part>(static_cast<int>(part) + 1);
    RETURN_IF_ERROR(Do(part, max_wait));
    RETURN_IF_ERROR(failure);
    if (part == Part::kTakeOver) return absl::OkStatus();
  }
}

absl::Status DbWorkerCore::State::Do(Part part, Duration max_wait) {
  switch (part) {
    case Part::kEnqueue:
      RETURN_IF_ERROR(TakeAgainWhatRanOutOfVersions());
      if (scoring_log->is_cut()) RETURN_IF_ERROR(GoOnBehindCuts());
      return Poll(WaitFor(max_wait));
    case Part::kOpenBuckets:
      return OpenBuckets();
    case Part::kDequeue:
      return Dequeue();
    case Part::kWriteCheckpoints:
      return WriteCheckpoints();
    case Part::kTakeOver:
      ForgetIdle();
      return TakeOverComing();
  }
  return absl::OkStatus();
}

bool DbWorkerCore::State::IsBusy() const {
  return enqueuer->busy() || opener->busy() || dequeuer->busy() || checkpointer->busy();
}

bool DbWorkerCore::State::IsWorkingOn(PartitionId partition) const {
  return enqueuer->IsWorkingOn(partition) || opener->IsWorkingOn(partition) ||
         dequeuer->IsWorkingOn(partition) || checkpointer->IsWorkingOn(partition);
}

// At most one of them is busy.
absl::Status DbWorkerCore::State::FinishPending() {
  if (enqueuer->busy()) RETURN_IF_ERROR(enqueuer->Advance());
  if (opener->busy()) RETURN_IF_ERROR(opener->Advance());
  if (dequeuer->busy()) RETURN_IF_ERROR(dequeuer->Advance());
  if (checkpointer->busy()) RETURN_IF_ERROR(checkpointer->Advance());
  if (resumes.has_value() && !IsBusy()) {
    RETURN_IF_ERROR(scoring_log->SetPaused(*resumes, false));
    resumes.reset();
  }
  return absl::OkStatus();
}

absl::Status DbWorkerCore::State::FinishPendingBy(SteadyTime deadline) {
  while (IsBusy()) {
    if (clock.Now() >= deadline) return TimeoutError("there is too much left to do");
    RETURN_IF_ERROR(FinishPending());
  }
  return absl::OkStatus();
}

absl::Status DbWorkerCore::State::TakeOverComing() {
  if (taken.empty()) {
    if (coming.empty()) return absl::OkStatus();
    if (take_over == nullptr) {
      take_over = std::make_unique<TakeOver>(*parts, topic_epoch, coming, next_owner);
      next_owner += static_cast<uint32_t>(coming.size());
    }
    const auto slice = partitions.empty() ? kTakeOverSlice : kTakeOverSliceBesideOthers;
    const absl::StatusOr<bool> done = take_over->Advance(time.Now() + slice);
    heads_read = take_over->heads_read();
    RETURN_IF_ERROR(done.status());
    if (!*done) return absl::OkStatus();
    taken = take_over->Take();
    take_over.reset();
  }
  return BringToStore();
}

// Brings the requests that were read back to the store, one partition after the other.
absl::Status DbWorkerCore::State::BringToStore() {
  while (!taken.empty()) {
    Partition& partition = *taken.back();
    std::erase_if(coming, [&](const auto& one) { return one.id == partition.id; });
    partitions[partition.id] = std::move(taken.back());
    taken.pop_back();
    resumes = partition.id;
    checkpointer->Begin(partition);
    RETURN_IF_ERROR(FinishPending());
    if (IsBusy() || scoring_log->IsDue()) break;
  }
  return absl::OkStatus();
}

Duration DbWorkerCore::State::WaitFor(Duration max_wait) const {
  if (!coming.empty()) return Duration::zero();
  const WallTime now = time.Now();
  Duration wait = max_wait;
  for (const auto& [id, partition] : partitions) {
    wait = std::min<Duration>(wait, partition->NextLook() - now);
  }
  return std::max(wait, Duration::zero());
}

absl::Status DbWorkerCore::State::GoOnBehindCuts() {
  // A partition that is not taken over yet may be the one: it is dealt with when it is.
  const auto metadata_of = [this](PartitionId id) -> std::optional<std::string> {
    const auto found = partitions.find(id);
    if (found == partitions.end()) return std::nullopt;
    return found->second->scoring.Metadata();
  };
  ASSIGN_OR_RETURN(const std::vector<CutLog> cuts, scoring_log->GoOnBehindCuts(metadata_of));
  for (const CutLog& cut : cuts) metrics_.lost.Increment(cut.lost());
  return absl::OkStatus();
}

bool DbWorkerCore::State::IsFeedFull() const {
  const FeedOptions& options = setup.options.feed;
  return std::any_of(partitions.begin(), partitions.end(), [&options](const auto& entry) {
    const Partition& partition = *entry.second;
    return partition.lag >= options.low_lag || partition.backlog > options.max_backlog;
  });
}

absl::Status DbWorkerCore::State::Poll(Duration max_wait) {
  MessageBatch batch;
  {
    const StageScope waits(stage,
                           IsFeedFull() ? StageState::kWaitsForOutput : StageState::kWaitsForInput);
    RETURN_IF_ERROR(scoring_log->Poll(kPollLimits, max_wait, &batch));
  }
  metrics_.lag_seconds.Set(std::chrono::duration<double>(scoring_log->behind()).count());
  if (batch.empty()) return absl::OkStatus();
  enqueuer->Begin(std::move(batch));
  return enqueuer->Advance();
}

absl::Status DbWorkerCore::State::OpenBuckets() {
  auto next = partitions.lower_bound(opens_next);
  for (size_t left = partitions.size(); left > 0; --left, ++next) {
    if (next == partitions.end()) next = partitions.begin();
    opens_next = next->first + 1;
    Partition& partition = *next->second;
    partition.index.Advance(time.Now());
    if (!opener->Begin(partition)) continue;
    RETURN_IF_ERROR(opener->Advance());
    if (opener->busy() || scoring_log->IsDue()) break;
  }
  return absl::OkStatus();
}

absl::Status DbWorkerCore::State::Dequeue() {
  if (!dequeuer->Begin()) return absl::OkStatus();
  const SteadyTime began = clock.Now();
  RETURN_IF_ERROR(dequeuer->Advance());
  metrics_.batch_seconds.Observe(std::chrono::duration<double>(clock.Now() - began).count());
  return absl::OkStatus();
}

absl::Status DbWorkerCore::State::WriteCheckpoints() {
  auto next = partitions.lower_bound(writes_next);
  for (size_t left = partitions.size(); left > 0; --left, ++next) {
    if (next == partitions.end()) next = partitions.begin();
    writes_next = next->first + 1;
    Partition& partition = *next->second;
    const bool is_due = partition.index.dirty_count() > 0 &&
                        (partition.checkpoint_due <= time.Now() ||
                         partition.sent_since_checkpoint >=
                             static_cast<uint64_t>(setup.options.checkpoint_requests));
    if (!is_due) continue;
    checkpointer->Begin(partition);
    RETURN_IF_ERROR(checkpointer->Advance());
    if (checkpointer->busy() || scoring_log->IsDue()) break;
  }
  return absl::OkStatus();
}

void DbWorkerCore::State::ForgetIdle() {
  const WallTime now = time.Now();
  if (now < forget_due) return;
  forget_due = now + kForgetInterval;
  for (const auto& [id, partition] : partitions) {
    if (partition->index.bytes() > parts->IndexBytes()) partition->index.ForgetIdle(now);
  }
}

// Takes a partition over again before its epoch runs out of versions: a new epoch has new ones.
// Requests that were sent and are not in the store yet are read back from the feed.
absl::Status DbWorkerCore::State::TakeAgainWhatRanOutOfVersions() {
  for (const auto& [id, partition] : partitions) {
    if (partition->flushes < Partition::kMaxFlushes) continue;
    const PartitionId again = id;
    RETURN_IF_ERROR(scoring_log->SetPaused(again, true));
    coming.push_back({again, partition->scoring.Metadata()});
    partitions.erase(again);
    break;  // another one at the next step
  }
  return absl::OkStatus();
}

void DbWorkerCore::State::OnAssigned(std::span<const AssignedPartition> assigned) {
  for (const AssignedPartition& partition : assigned) {
    // Should it fail, the partition is not ours any more, and OnLost says so.
    const absl::Status paused = scoring_log->SetPaused(partition.partition, true);
    if (!paused.ok()) Log(LogLevel::kWarning, "queue", "{}", MessageOf(paused));
    coming.push_back({partition.partition, partition.metadata});
  }
}

void DbWorkerCore::State::OnRevoked(std::span<const PartitionId> revoked) {
  if (!failure.ok()) return;
  // The group waits for this, and takes a member that needs too long for dead.
  const SteadyTime deadline = GiveAwayBy();
  absl::Status flushed = FinishPendingBy(deadline);
  for (const PartitionId id : revoked) {
    const auto found = partitions.find(id);
    if (found != partitions.end() && flushed.ok()) flushed = Flush(*found->second, deadline);
    Drop(id);
  }
  if (flushed.ok()) return;
  Log(LogLevel::kWarning, "queue",
      "give {} partitions away: {}. Their next owners read back what is missing", revoked.size(),
      MessageOf(flushed));
}

void DbWorkerCore::State::OnLost(std::span<const PartitionId> lost) {
  for (const PartitionId partition : lost) Drop(partition);
}

absl::Status DbWorkerCore::State::Flush(Partition& partition, SteadyTime deadline) {
  checkpointer->Begin(partition);
  const absl::Status flushed = FinishPendingBy(deadline);
  // It goes, finished or not.
  if (!flushed.ok()) checkpointer.emplace(*parts);
  return flushed;
}

void DbWorkerCore::State::Drop(PartitionId partition) {
  if (IsWorkingOn(partition) && failure.ok()) {
    failure = FencedError("rebalance: partition {} went while it was worked on", partition);
  }
  // Nothing of it is touched any more, and the rest goes with this worker.
  if (!failure.ok()) return;
  std::erase_if(coming, [&](const auto& one) { return one.id == partition; });
  std::erase_if(taken, [&](const auto& one) { return one->id == partition; });
  if (take_over != nullptr) {
    take_over->Leave(partition);
    if (take_over->empty()) take_over.reset();
  }
  if (resumes == partition) resumes.reset();
  feed->Release(partition);
  partitions.erase(partition);
}

Partition* DbWorkerCore::State::OwnerOf(std::string_view domain) {
  const auto found = partitions.find(PartitionOf(SlotOf(domain), partition_count));
  return found == partitions.end() ? nullptr : found->second.get();
}

DbWorkerCore::DbWorkerCore(std::unique_ptr<State> state) : state_(std::move(state)) {}
DbWorkerCore::~DbWorkerCore() = default;

absl::StatusOr<std::unique_ptr<DbWorkerCore>> DbWorkerCore::Create(Bus& bus, Store& store,
                                                                   const Clock& clock,
                                                                   DbWorkerMetrics& metrics,
                                                                   DbWorkerSetup setup) {
  if (setup.options.feed.low_lag > setup.options.feed.target_lag) {
    return FatalError("feed.low_lag {}: above feed.target_lag {}", setup.options.feed.low_lag,
                      setup.options.feed.target_lag);
  }
  setup.options.call_timeout = std::min(setup.options.call_timeout,
                                        LogSession::LongestCall(setup.membership.session_timeout));
  ASSIGN_OR_RETURN(const TopicRecord topics, CheckTopics(store, bus, setup.options.call_timeout));
  auto state = std::make_unique<State>(bus, store, clock, metrics, std::move(setup), topics);
  RETURN_IF_ERROR(state->Start());
  return std::unique_ptr<DbWorkerCore>(new DbWorkerCore(std::move(state)));
}

absl::Status DbWorkerCore::Step(Duration max_wait) { return state_->Step(max_wait); }

void DbWorkerCore::Close() {
  if (state_->closed) return;
  state_->closed = true;
  const absl::Status finished = state_->FinishPendingBy(state_->GiveAwayBy());
  if (!finished.ok()) Log(LogLevel::kWarning, "queue", "stop: {}", MessageOf(finished));
  state_->scoring_log->Close();
}

std::vector<PartitionReport> DbWorkerCore::Report() const {
  std::vector<PartitionReport> reports;
  for (const auto& [id, partition] : state_->partitions) {
    reports.push_back(ReportOf(*partition, state_->time.Now()));
  }
  return reports;
}

size_t DbWorkerCore::coming() const { return state_->coming.size(); }

uint64_t DbWorkerCore::heads_read() const {
  return state_->coming.empty() ? 0 : state_->heads_read;
}

std::string_view DbWorkerCore::step() const {
  for (const std::string_view step : {state_->enqueuer->step(), state_->opener->step(),
                                      state_->dequeuer->step(), state_->checkpointer->step()}) {
    if (!step.empty()) return step;
  }
  return state_->take_over == nullptr ? std::string_view() : state_->take_over->step();
}

absl::StatusOr<DomainReport> DbWorkerCore::Inspect(std::string_view domain) {
  Partition* const partition = state_->OwnerOf(domain);
  if (partition == nullptr) return absl::NotFoundError("another worker has this domain");
  DomainId id = partition->index.Find(domain);
  if (id == kNoDomain && !partition->index.complete()) {
    const std::string name(domain);
    RETURN_IF_ERROR(LoadHeads(*state_->parts, *partition, {&name, 1}));
    id = partition->index.Find(domain);
  }
  if (id == kNoDomain) return absl::NotFoundError("nothing was ever queued for this domain");
  Head head;
  partition->index.Read(id, &head);
  return ReportOf(partition->id, domain, head, state_->setup.options.politeness);
}

bool DbWorkerCore::SetPaused(PartitionId partition, bool paused) {
  const auto found = state_->partitions.find(partition);
  if (found == state_->partitions.end()) return false;
  found->second->paused = paused;
  return true;
}

}  // namespace orbweaver
