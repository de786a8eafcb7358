#include "db_worker/dequeue/dequeuer.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "db_worker/dequeue/spread.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

// Some calls to the bus are saved where batches follow each other faster.
constexpr std::chrono::milliseconds kBacklogInterval(200);
// Where nothing is ready, a look at the lag only serves those who watch it.
constexpr std::chrono::milliseconds kLatestLook(1000);
constexpr size_t kPrefetched = 4;  // requests ahead
constexpr size_t kBlock = 128;     // requests sent at once: they stay in the processor's cache

}  // namespace

bool Dequeuer::Begin() {
  CHECK(!busy());
  const WallTime now = parts_.time.Now();
  due_.clear();
  for (const auto& [id, partition] : parts_.partitions) {
    if (partition->NextLook() > now) continue;
    partition->look_after = now + parts_.options.feed.interval;
    partition->look_latest = now + kLatestLook;
    due_.push_back(partition.get());
  }
  if (due_.empty()) return false;
  steps_.Begin();
  return true;
}

std::span<const Dequeuer::Steps::Step> Dequeuer::BatchSteps() {
  static constexpr Steps::Step kSteps[] = {
      {"read lags and choose", &Dequeuer::ReadLagsAndChoose},
      {"claim domains", &Dequeuer::PutClaims},
      {"read requests", &Dequeuer::Read},
      {"produce", &Dequeuer::Produce},
      {"await acks", &Dequeuer::AwaitAcks},
      {"still the owner?", &Dequeuer::CheckOwnerAndMoveOn},
  };
  return kSteps;
}

absl::Status Dequeuer::Advance() {
  return steps_.Advance(*this, [this] { return parts_.IsDue(); });
}

absl::StatusOr<bool> Dequeuer::ReadLagsAndChoose() {
  RETURN_IF_ERROR(ReadFeedLags());
  Choose(parts_.time.Now());
  Claim();
  return true;
}

absl::StatusOr<bool> Dequeuer::PutClaims() {
  RETURN_IF_ERROR(claims_.Write(parts_));
  if (!claims_.empty()) return false;
  reader_.Begin(&domains_);
  return true;
}

absl::StatusOr<bool> Dequeuer::Read() {
  RETURN_IF_ERROR(reader_.Read());
  if (!reader_.done()) return false;
  Arrange();
  return true;
}

bool Dequeuer::IsWorkingOn(PartitionId partition) const {
  return busy() && std::any_of(due_.begin(), due_.end(),
                               [&](const Partition* one) { return one->id == partition; });
}

absl::Status Dequeuer::ReadFeedLags() {
  const StageScope waits = parts_.Waits();
  std::vector<PartitionId> ids;
  for (const Partition* const partition : due_) ids.push_back(partition->id);
  ASSIGN_OR_RETURN(const std::vector<LogLag> lags,
                   ReadLags(parts_.offsets, kSpiderGroup, kSpiderFeedTopic, ids, parts_.timeout()));
  for (size_t i = 0; i < due_.size(); ++i) SetLag(*due_[i], lags[i]);
  return ReadBacklogs();
}

absl::Status Dequeuer::ReadBacklogs() {
  const WallTime now = parts_.time.Now();
  std::vector<PartitionId> ids;
  for (const Partition* const partition : due_) {
    if (partition->next_backlog_look <= now) ids.push_back(partition->id);
  }
  if (ids.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      const std::vector<LogLag> backlogs,
      ReadLags(parts_.offsets, kStrategyWorkerGroup, kSpiderLogTopic, ids, parts_.timeout()));
  for (size_t i = 0; i < ids.size(); ++i) {
    Partition& partition = *parts_.partitions.at(ids[i]);
    partition.backlog = backlogs[i].messages;
    partition.next_backlog_look = now + kBacklogInterval;
  }
  return absl::OkStatus();
}

void Dequeuer::SetLag(Partition& partition, const LogLag& lag) {
  if (lag.state != partition.lag_state) {
    if (lag.state == LagState::kNoCommit && partition.lag_state != LagState::kUnknown) {
      Log(LogLevel::kWarning, "feed",
          "partition {}: the commit of group '{}' has expired; spiders will begin at the log's "
          "start",
          partition.id, kSpiderGroup);
    }
    if (lag.state == LagState::kCommitBeyondEnd) {
      Log(LogLevel::kWarning, "feed",
          "partition {}: group '{}' has committed beyond the log's end; was the topic made anew?",
          partition.id, kSpiderGroup);
    }
  }
  // Spiders that stay away lose more with each cut.
  if (lag.lost > partition.lost) {
    Log(LogLevel::kError, "feed",
        "partition {}: retention has deleted {} entries that no spider had done. They are lost; "
        "raise topics.retention",
        partition.id, lag.lost - partition.lost);
    parts_.metrics.feed_lost.Increment(static_cast<uint64_t>(lag.lost - partition.lost));
  }
  partition.lost = lag.lost;
  partition.lag_state = lag.state;
  partition.lag = lag.messages;
}

void Dequeuer::Choose(WallTime now) {
  const FeedOptions& options = parts_.options.feed;
  batches_.clear();
  domains_.clear();
  for (Partition* const partition : due_) {
    partition->index.Advance(now);
    if (partition->paused || partition->lag >= options.low_lag) continue;
    if (partition->backlog > options.max_backlog) continue;
    const int64_t size = std::max<int64_t>(0, options.target_lag - partition->lag);
    chosen_.clear();
    ChooseBatch(parts_.options, partition->index, static_cast<uint32_t>(size), now, &chosen_);
    if (chosen_.empty()) continue;
    const size_t first = domains_.size();
    for (ChosenDomain& chosen : chosen_) {
      domains_.push_back({.partition = partition, .chosen = std::move(chosen)});
    }
    batches_.push_back({.partition = partition, .first = first, .end = domains_.size()});
  }
}

// A request that leaves is named by its place in a chunk. The next owner reads these names back,
// and they must mean to it what they mean here: so the head that it reads is this one or a later
// one, and not what an owner before put late, who may have given requests other places.
void Dequeuer::Claim() {
  for (const PartitionBatch& batch : batches_) {
    std::optional<Version> version;
    for (size_t i = batch.first; i < batch.end; ++i) {
      const DomainId id = domains_[i].chosen.id;
      if (batch.partition->index.IsClaimed(id)) continue;
      if (!version.has_value()) version = batch.partition->NextVersion();
      claims_.Add(*batch.partition, id, *version, {});
    }
  }
  parts_.metrics.domain_puts.Increment(claims_.size());
}

void Dequeuer::Arrange() {
  // A band that needed another look into the store came behind worse ones.
  for (LeavingDomain& domain : domains_) {
    const auto is_better = [](const LeavingRequest& a, const LeavingRequest& b) {
      return std::tuple(a.band, a.chunk, a.index) < std::tuple(b.band, b.chunk, b.index);
    };
    if (std::is_sorted(domain.requests.begin(), domain.requests.end(), is_better)) continue;
    std::sort(domain.requests.begin(), domain.requests.end(), is_better);
  }
  std::vector<uint32_t> counts;
  for (PartitionBatch& batch : batches_) {
    counts.clear();
    for (size_t i = batch.first; i < batch.end; ++i) {
      counts.push_back(static_cast<uint32_t>(domains_[i].requests.size()));
    }
    batch.order = SpreadDomains(counts);
  }
  next_batch_ = next_in_batch_ = 0;
  unsent_ = {};
  next_of_domain_.assign(domains_.size(), 0);
}

absl::StatusOr<bool> Dequeuer::Produce() {
  while (next_batch_ < batches_.size()) {
    const PartitionBatch& batch = batches_[next_batch_];
    while (true) {
      RETURN_IF_ERROR(parts_.feed.AppendMany(batch.partition->id, &unsent_, parts_.timeout()));
      if (next_in_batch_ == batch.order.size()) break;
      FillBlock();
    }
    ++next_batch_;
    next_in_batch_ = 0;
    if (parts_.IsDue()) break;
  }
  return next_batch_ == batches_.size();
}

void Dequeuer::FillBlock() {
  block_.clear();
  block_bytes_.Reset();
  const PartitionBatch& batch = batches_[next_batch_];
  const size_t end = std::min(next_in_batch_ + kBlock, batch.order.size());
  for (; next_in_batch_ < end; ++next_in_batch_) {
    if (const size_t ahead = next_in_batch_ + kPrefetched; ahead < batch.order.size()) {
      Prefetch(batch.first + batch.order[ahead]);
    }
    const size_t domain = batch.first + batch.order[next_in_batch_];
    const LeavingDomain& leaving = domains_[domain];
    AddToBlock(leaving, leaving.requests[next_of_domain_[domain]]);
    ++next_of_domain_[domain];
  }
  unsent_ = block_;
}

SpiderFeedEntry Dequeuer::EntryOf(const LeavingDomain& domain, const LeavingRequest& leaving,
                                  const ScheduledRequest& queued) const {
  return {.epoch = domain.partition->epoch,
          .entry = Request{.url = queued.url,
                           .fingerprint = queued.fingerprint,
                           .domain = domain.partition->index.DomainOf(domain.chosen.id),
                           .depth = queued.depth,
                           .score = queued.score,
                           .attempt = queued.attempt,
                           .etag = queued.etag,
                           .last_modified = queued.last_modified,
                           .band = leaving.band,
                           .seq = leaving.chunk,
                           .index = leaving.index,
                           .meta = queued.meta,
                           .delay = DelayOf(domain.chosen.head, parts_.options.politeness),
                           .referrer = queued.referrer}};
}

void Dequeuer::Prefetch(size_t domain) const {
  const LeavingDomain& leaving = domains_[domain];
  const size_t next = next_of_domain_[domain];
  if (next >= leaving.requests.size()) return;
  const std::string_view encoded = leaving.requests[next].encoded;
  __builtin_prefetch(encoded.data());
  __builtin_prefetch(encoded.data() + encoded.size() - 1);
}

void Dequeuer::AddToBlock(const LeavingDomain& domain, const LeavingRequest& leaving) {
  const Partition& partition = *domain.partition;
  const std::string_view name = partition.index.DomainOf(domain.chosen.id);
  arena_.Reset();
  ScheduledRequest queued;
  const absl::Status decoded = DecodeRequest(leaving.encoded, &arena_, &queued);
  const auto entry = !decoded.ok() ? absl::StatusOr<std::string_view>(decoded)
                                   : Encode(EntryOf(domain, leaving, queued), &buffer_);
  if (!entry.ok()) {
    ReportDamage(parts_, partition, domain.chosen.id,
                 BandColumn(domain.chosen.head, leaving.band, leaving.chunk), leaving.encoded,
                 entry.status());
    return;
  }
  block_.push_back({block_bytes_.Copy(name), block_bytes_.Copy(*entry)});
}

absl::StatusOr<bool> Dequeuer::AwaitAcks() {
  const StageScope waits = parts_.Waits();
  if (!batches_.empty()) RETURN_IF_ERROR(parts_.feed.AwaitAcks(parts_.timeout()));
  return true;
}

absl::StatusOr<bool> Dequeuer::CheckOwnerAndMoveOn() {
  std::vector<PartitionId> ids;
  for (const PartitionBatch& batch : batches_) ids.push_back(batch.partition->id);
  {
    const StageScope waits = parts_.Waits();
    RETURN_IF_ERROR(parts_.feed.CheckStillOwner(ids, parts_.timeout()));
  }
  MoveOn();
  return true;
}

void Dequeuer::MoveOn() {
  const WallTime now = parts_.time.Now();
  for (LeavingDomain& leaving : domains_) {
    Head& head = leaving.chosen.head;
    const auto count = static_cast<uint32_t>(leaving.requests.size());
    if (count > 0) CountSent(count, parts_.options.politeness, now, &head);
    if (head.empty()) head.waiting_since = WallTime();
    leaving.partition->index.Put(leaving.chosen.id, head, true, now);
  }
  for (const PartitionBatch& batch : batches_) {
    const uint64_t count = batch.order.size();
    batch.partition->sent += count;
    batch.partition->sent_since_checkpoint += count;
    batch.partition->lag += static_cast<int64_t>(count);
    parts_.metrics.requests_sent.Increment(count);
    if (count > 0) parts_.metrics.batches.Increment();
  }
}

}  // namespace orbweaver
