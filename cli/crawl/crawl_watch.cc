#include "cli/crawl/crawl_watch.h"

#include <algorithm>
#include <utility>

#include "cli/frontier/outcomes_file.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/dequeue/feed_lag.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(20);
constexpr Duration kSpeedOver = std::chrono::seconds(10);
// A look at the log costs some reads of RocksDB, however little there is, and nobody sees the
// difference.
constexpr Duration kLookEvery = std::chrono::milliseconds(20);
constexpr PollLimits kLook{.max_bytes = size_t{4} << 20, .max_messages = 4000};
// Soon enough that most of the logs never gets into RocksDB's files; and each costs an fsync.
constexpr size_t kTrimAfter = 4000;
constexpr Duration kTrimEvery = std::chrono::seconds(1);
// Some megabytes each time, at most.
constexpr Duration kKeepEvery = std::chrono::seconds(30);
// Reading for the tally joins no group and commits nothing, but a consumer must name one.
constexpr char kFollower[] = "orbweaver-crawl";

struct Reader {
  std::string_view topic;
  std::string_view group;
};
constexpr Reader kReaders[] = {{kSpiderLogTopic, kStrategyWorkerGroup},
                               {kScoringLogTopic, kDbWorkerGroup},
                               {kSpiderFeedTopic, kSpiderGroup}};

}  // namespace

void AddQueue(std::span<const PartitionReport> partitions, CrawlSnapshot* look) {
  look->next_due = NextDue(partitions);
  for (const PartitionReport& partition : partitions) {
    for (const uint64_t waiting : partition.waiting) look->queued += waiting;
    look->delayed += partition.delayed;
    look->ready_domains += partition.ready;
    look->paced_domains += partition.paced;
    look->blocked_domains += partition.blocked;
    if (partition.paused) ++look->paused_partitions;
  }
}

absl::StatusOr<std::unique_ptr<CrawlWatch>> CrawlWatch::Create(LocalCrawl& crawl,
                                                               const CrawlRecorder* recorder,
                                                               std::filesystem::path outcomes) {
  std::unique_ptr<CrawlWatch> watch(new CrawlWatch(crawl, recorder, std::move(outcomes)));
  watch->start_ = SystemClock().Now();
  watch->next_trim_ = watch->start_ + kTrimEvery;
  watch->next_keep_ = watch->start_ + kKeepEvery;
  if (!watch->outcomes_file_.empty()) {
    const absl::Status read = ReadOutcomes(watch->outcomes_file_, &watch->recent_);
    if (!read.ok())
      Log(LogLevel::kWarning, "crawl", "begins without last outcomes: {}", MessageOf(read));
  }
  watch->marks_.push_back({.at = watch->start_, .pages = 0, .bytes = 0});
  for (int i = 0; i < crawl.partitions(); ++i) watch->partitions_.emplace_back(i);
  ASSIGN_OR_RETURN(watch->offsets_, crawl.bus().NewOffsetReader());
  ASSIGN_OR_RETURN(watch->consumer_, crawl.bus().NewConsumer({.group = kFollower}));
  ASSIGN_OR_RETURN(const auto bounds,
                   watch->offsets_->Bounds(kSpiderLogTopic, watch->partitions_, kTimeout));
  std::vector<AssignedPartition> from;
  for (size_t i = 0; i < bounds.size(); ++i) {
    from.push_back({.partition = watch->partitions_[i], .position = bounds[i].end});
    watch->followed_to_.push_back(bounds[i].end);
  }
  RETURN_IF_ERROR(watch->consumer_->Assign(kSpiderLogTopic, from));
  ASSIGN_OR_RETURN(watch->dead_letters_, DeadLetterTally::Create(crawl.bus(), kTimeout));
  return watch;
}

absl::Status CrawlWatch::Follow(Duration timeout) {
  const Duration rest = std::min(timeout, next_look_ - SystemClock().Now());
  if (rest > Duration::zero()) crawl_.failed().WaitFor(rest);
  MessageBatch batch;
  RETURN_IF_ERROR(consumer_->Poll(kLook, timeout, &batch));
  // Where more came than a look takes, the next one follows at once.
  // After a wait in which nothing came there is nothing to spare.
  if (!batch.empty() && batch.messages().size() < kLook.max_messages / 2) {
    next_look_ = SystemClock().Now() + kLookEvery;
  }
  Arena arena;
  for (const Message& message : batch.messages()) {
    followed_to_[static_cast<size_t>(message.partition.value())] = message.offset + 1;
    if (IsLinksFound(message.value)) continue;
    arena.Reset();
    SpiderLogEntry entry;
    // The strategy worker reports entries that cannot be decoded.
    if (!Decode(message.value, &arena, &entry).ok()) continue;
    tally_.Add(entry);
    recent_.Add(entry);
  }
  if (SystemClock().Now() >= next_keep_) KeepOutcomes();
  followed_ += batch.messages().size();
  const bool is_due = followed_ >= kTrimAfter || SystemClock().Now() >= next_trim_;
  return is_due ? Trim() : absl::OkStatus();
}

absl::StatusOr<std::optional<std::vector<Offset>>> CrawlWatch::EndsWhenAllIsRead() {
  std::vector<Offset> ends;
  for (const auto& [topic, group] : kReaders) {
    ASSIGN_OR_RETURN(const auto bounds, offsets_->Bounds(topic, partitions_, kTimeout));
    ASSIGN_OR_RETURN(const auto committed,
                     offsets_->Committed(group, topic, partitions_, kTimeout));
    for (size_t i = 0; i < bounds.size(); ++i) {
      const bool is_read = bounds[i].end == bounds[i].start ||
                           (committed[i].has_value() && committed[i]->offset >= bounds[i].end);
      if (!is_read) return std::nullopt;
      ends.push_back(bounds[i].end);
    }
  }
  return ends;
}

absl::StatusOr<std::optional<WallTime>> CrawlWatch::IdleUntil() {
  IdleDetector::Sample sample{.at = SystemClock().Now()};
  ASSIGN_OR_RETURN(sample.read_ends, EndsWhenAllIsRead());
  sample.held = crawl_.held();
  sample.queue = crawl_.Queue();
  const auto idle_until = idle_.IdleUntil(std::move(sample));
  is_idle_ = idle_until.has_value();
  return idle_until;
}

absl::Status CrawlWatch::Trim() {
  followed_ = 0;
  next_trim_ = SystemClock().Now() + kTrimEvery;
  RETURN_IF_ERROR(dead_letters_->Follow());
  if (recorder_ != nullptr) RETURN_IF_ERROR(recorder_->status());
  std::vector<LogStart> starts;
  for (const auto& [topic, group] : kReaders) {
    ASSIGN_OR_RETURN(const auto bounds, offsets_->Bounds(topic, partitions_, kTimeout));
    ASSIGN_OR_RETURN(const auto committed,
                     offsets_->Committed(group, topic, partitions_, kTimeout));
    for (size_t i = 0; i < bounds.size(); ++i) {
      if (!committed[i].has_value()) continue;
      Offset start = committed[i]->offset;
      if (topic == kSpiderLogTopic) start = std::min(start, followed_to_[i]);
      if (topic == kSpiderFeedTopic) {
        // The queue's next owner reads the feed back from there.
        ASSIGN_OR_RETURN(const auto checkpoint,
                         LoadCheckpoint(crawl_.store(), partitions_[i], kTimeout));
        if (!checkpoint.has_value()) continue;
        start = std::min(start, checkpoint->offset);
      }
      if (recorder_ != nullptr) {
        start = std::min(start, recorder_->RecordedTo(topic, partitions_[i]).value_or(start));
      }
      if (start > bounds[i].start) starts.push_back({topic, partitions_[i], start});
    }
  }
  absl::Status deleted = crawl_.embedded_bus().DeleteBefore(starts);
  // While RocksDB takes no writes the workers wait; so does this.
  if (IsRetry(deleted)) {
    Log(LogLevel::kWarning, "crawl", "trims the log later: {}", MessageOf(deleted));
    return absl::OkStatus();
  }
  return deleted;
}

void CrawlWatch::KeepOutcomes() {
  next_keep_ = SystemClock().Now() + kKeepEvery;
  const uint64_t added = recent_.added();
  if (outcomes_file_.empty() || added == kept_outcomes_) return;
  const absl::Status kept = orbweaver::KeepOutcomes(outcomes_file_, recent_);
  if (kept.ok()) kept_outcomes_ = added;
  if (!kept.ok()) Log(LogLevel::kWarning, "crawl", "keeps no outcomes: {}", MessageOf(kept));
}

absl::StatusOr<uint64_t> CrawlWatch::HandedOut() {
  ASSIGN_OR_RETURN(const auto lags,
                   ReadLags(*offsets_, kSpiderGroup, kSpiderFeedTopic, partitions_, kTimeout));
  uint64_t requests = 0;
  for (const LogLag& lag : lags) requests += static_cast<uint64_t>(lag.messages);
  return requests;
}

CrawlSnapshot CrawlWatch::Snapshot(std::string_view state, std::optional<double> done) {
  const SteadyTime now = SystemClock().Now();
  CrawlSnapshot look{.state = state,
                     .elapsed = now - start_,
                     .pages = tally_.pages(),
                     .failed = tally_.failed(),
                     .bytes = tally_.received_bytes(),
                     .is_idle = is_idle_,
                     .put_by = tally_.put_by(),
                     .fetching = crawl_.fetching(),
                     .dead_letters = dead_letters_->count(),
                     .slowest = crawl_.SlowestDomains(),
                     .at = SystemClock().Wall(),
                     .done = done};
  marks_.push_back({.at = now, .pages = look.pages, .bytes = look.bytes});
  while (marks_.size() > 2 && now - marks_[1].at >= kSpeedOver) marks_.pop_front();
  const double seconds = std::chrono::duration<double>(now - marks_.front().at).count();
  if (seconds > 0) {
    look.pages_per_s = static_cast<double>(look.pages - marks_.front().pages) / seconds;
    look.bytes_per_s = static_cast<double>(look.bytes - marks_.front().bytes) / seconds;
  }
  if (const auto closed = crawl_.NoWayOut()) look.no_way_out = closed->message;
  for (const CrawlTally::Unreachable& host : tally_.unreachable()) {
    look.unreachable.emplace_back(host.origin, host.message);
  }
  AddQueue(crawl_.Queue().partitions, &look);
  for (const auto& [cause, failures] : tally_.by_cause()) {
    look.errors.emplace_back(FailureCauseName(cause), failures.count);
  }
  std::sort(look.errors.begin(), look.errors.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  return look;
}

}  // namespace orbweaver
