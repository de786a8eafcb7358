#include "db_worker/enqueue/enqueuer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/limits.h"
#include "common/model/schema.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "db_worker/queue/load_heads.h"
#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

// Of BatchSteps: where a batch begins whose heads are all in memory.
constexpr size_t kApplyStep = 1;

bool HasActions(const ScheduleRequests& schedule) {
  return std::any_of(schedule.requests.begin(), schedule.requests.end(),
                     [](const auto& request) { return ActionOf(request) != ScheduleAction::kAdd; });
}

}  // namespace

void Enqueuer::Begin(MessageBatch batch) {
  batch_ = std::move(batch);
  next_message_ = 0;
  ends_.clear();
  bool complete = true;
  for (const Message& message : batch_.messages()) {
    if (ends_.insert_or_assign(message.partition, message.offset + 1).second) {
      complete = complete && parts_.partitions.at(message.partition)->index.complete();
    }
  }
  arena_.Reset();
  steps_.Begin(complete ? kApplyStep : 0);
}

std::span<const Enqueuer::Steps::Step> Enqueuer::BatchSteps() {
  static constexpr Steps::Step kSteps[] = {
      {"read heads", &Enqueuer::Load},
      {"apply", &Enqueuer::Apply},
      {"mark taken requests", &Enqueuer::Mark},
      {"write", &Enqueuer::Write},
      {"still the owner?", &Enqueuer::CheckOwner},
      {"commit", &Enqueuer::Commit},
  };
  return kSteps;
}

absl::Status Enqueuer::Advance() {
  RETURN_IF_ERROR(steps_.Advance(*this, [this] { return parts_.IsDue(); }));
  if (!busy()) batch_.Clear();
  return absl::OkStatus();
}

absl::StatusOr<bool> Enqueuer::Load() {
  std::map<PartitionId, std::vector<std::string>> unknown;
  for (const Message& message : batch_.messages()) {
    // The key is the domain; what has another one is poison and needs no head.
    if (message.key.empty() || message.key.size() > kMaxDomainBytes) continue;
    const Partition& partition = *parts_.partitions.at(message.partition);
    if (partition.index.complete() || partition.index.Find(message.key) != kNoDomain) continue;
    unknown[message.partition].emplace_back(message.key);
  }
  for (auto& [id, domains] : unknown) {
    std::sort(domains.begin(), domains.end());
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
    RETURN_IF_ERROR(LoadHeads(parts_, *parts_.partitions.at(id), domains));
  }
  return true;
}

absl::StatusOr<bool> Enqueuer::Apply() {
  const auto messages = batch_.messages();
  while (next_message_ < messages.size()) {
    if (searching_ != nullptr) {
      RETURN_IF_ERROR(searching_->Search(parts_));
      if (!searching_->found()) return false;
      searching_ = nullptr;
    }
    ASSIGN_OR_RETURN(const Outcome outcome, ApplyMessage(messages[next_message_]));
    if (outcome == Outcome::kDone) {
      parts_.metrics.messages.Increment();
      ++next_message_;
    } else if (parts_.IsDue()) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<Enqueuer::Outcome> Enqueuer::ApplyMessage(const Message& message) {
  Partition& partition = *parts_.partitions.at(message.partition);
  ScoringLogEntry entry;
  const absl::Status decoded = Decode(message, &entry);
  if (!decoded.ok()) {
    RETURN_IF_ERROR(Bury(message, decoded));
    return Outcome::kDone;
  }
  if (std::holds_alternative<Marker>(entry.entry)) {
    partition.scoring.Pass(message.offset);
    return Outcome::kDone;
  }
  if (!partition.scoring.Accepts(entry.epoch)) {
    parts_.metrics.outdated.Increment();
    return Outcome::kDone;
  }
  return ApplySchedule(partition, std::get<ScheduleRequests>(entry.entry));
}

absl::Status Enqueuer::Decode(const Message& message, ScoringLogEntry* entry) {
  RETURN_IF_ERROR(CheckSchema(HeaderOf(message, kSchemaHeader)));
  RETURN_IF_ERROR(::orbweaver::Decode(message.value, &arena_, entry));
  const auto* const schedule = std::get_if<ScheduleRequests>(&entry->entry);
  if (schedule == nullptr) return absl::OkStatus();
  if (schedule->domain != message.key) {
    return PoisonError("scoring log entry of '{}': its key is '{}'", schedule->domain, message.key);
  }
  const PartitionId owner = PartitionOf(SlotOf(schedule->domain), parts_.partition_count);
  if (owner != message.partition) {
    return PoisonError("scoring log entry of '{}': in partition {}, it belongs to {}",
                       schedule->domain, message.partition, owner);
  }
  return absl::OkStatus();
}

absl::Status Enqueuer::Bury(const Message& message, const absl::Status& cause) {
  RETURN_IF_ERROR(parts_.scoring_log.Bury(message, MessageOf(cause)));
  parts_.metrics.poison.Increment();
  return absl::OkStatus();
}

absl::StatusOr<Enqueuer::Outcome> Enqueuer::ApplySchedule(Partition& partition,
                                                          const ScheduleRequests& schedule) {
  // An event that changed nothing writes nothing.
  if (schedule.requests.empty() && !schedule.domain_update.has_value()) return Outcome::kDone;
  const DomainId domain = partition.index.FindOrAdd(schedule.domain);
  const size_t place = EditOf(partition, domain);
  DomainEdit& edit = edits_[place];
  Head& head = edit.head();
  const Watermark watermark{schedule.source_topic_epoch, schedule.source_offset, schedule.part};
  if (watermark <= head.applied) {
    parts_.metrics.replayed.Increment();
    // Its commit says that the store has it for good: a put between that of its own owner and now
    // may have come from one who did not know it.
    if (!partition.index.IsClaimed(domain)) edit.MarkChanged();
    return Outcome::kDone;
  }
  auto actions = actions_.find(place);
  if (actions == actions_.end() && HasActions(schedule)) {
    actions = actions_.try_emplace(place, edit, SoughtIn(schedule.domain)).first;
    if (!actions->second.found()) {
      searching_ = &actions->second;
      return Outcome::kSearchFirst;
    }
  }
  const WallTime now = parts_.time.Now();
  edit.MarkChanged();
  head.applied = watermark;
  if (schedule.domain_update.has_value()) {
    ApplyUpdate(*schedule.domain_update, parts_.options.politeness, schedule.domain, now, &head);
    if (schedule.domain_update->purge) edit.Purge();
  }
  if (actions == actions_.end()) {
    for (const ScheduledRequest& request : schedule.requests) edit.Add(Complete(request), now);
    parts_.metrics.requests_queued.Increment(schedule.requests.size());
    return Outcome::kDone;
  }
  if (schedule.domain_update.has_value() && schedule.domain_update->purge) {
    actions->second.Purge();
  }
  for (const ScheduledRequest& request : schedule.requests) {
    actions->second.Apply(Complete(request), watermark, now, parts_.metrics, edit);
  }
  return Outcome::kDone;
}

// More than what counts, should messages of others or of before a crash be among them.
WaitingSearch::Sought Enqueuer::SoughtIn(std::string_view domain) {
  WaitingSearch::Sought urls;
  for (size_t i = next_message_; i < batch_.messages().size(); ++i) {
    const Message& message = batch_.messages()[i];
    ScoringLogEntry entry;
    if (message.key != domain || !Decode(message, &entry).ok()) continue;
    const auto* const schedule = std::get_if<ScheduleRequests>(&entry.entry);
    if (schedule == nullptr) continue;
    for (const ScheduledRequest& request : schedule->requests) {
      if (ActionOf(request) != ScheduleAction::kAdd) AddSought(Complete(request), &urls);
    }
  }
  return urls;
}

absl::StatusOr<bool> Enqueuer::Mark() {
  for (auto& [place, actions] : actions_) {
    if (actions.marked()) continue;
    RETURN_IF_ERROR(actions.Mark(parts_));
    if (!actions.marked() || parts_.IsDue()) return false;
  }
  FinishEdits();
  return true;
}

absl::StatusOr<bool> Enqueuer::Write() {
  RETURN_IF_ERROR(puts_.Write(parts_));
  return puts_.empty();
}

size_t Enqueuer::EditOf(Partition& partition, DomainId domain) {
  const auto [known, is_new] =
      edit_of_.try_emplace(std::pair(partition.id.value(), domain), edit_count_);
  if (!is_new) return known->second;
  if (edit_count_ == edits_.size()) edits_.emplace_back();
  edits_[edit_count_].Begin(partition, domain);
  return edit_count_++;
}

void Enqueuer::FinishEdits() {
  const WallTime now = parts_.time.Now();
  std::map<Partition*, Version> versions;
  for (size_t i = 0; i < edit_count_; ++i) {
    DomainEdit& edit = edits_[i];
    if (!edit.changed()) continue;
    Partition& partition = edit.partition();
    auto version = versions.find(&partition);
    if (version == versions.end()) {
      version = versions.emplace(&partition, partition.NextVersion()).first;
    }
    if (const auto actions = actions_.find(i); actions != actions_.end()) {
      actions->second.Finish(edit, now);
    }
    edit.Finish(parts_.chunks, now);
    partition.index.Put(edit.domain(), edit.head(), false, now);
    puts_.Add(partition, edit.domain(), version->second, edit.cells());
  }
  parts_.metrics.domain_puts.Increment(puts_.size());
  edit_count_ = 0;
  edit_of_.clear();
  actions_.clear();
}

absl::StatusOr<bool> Enqueuer::CheckOwner() {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, end] : ends_) partitions.push_back(partition);
  const StageScope waits = parts_.Waits();
  RETURN_IF_ERROR(parts_.feed.CheckStillOwner(partitions, parts_.timeout()));
  return true;
}

absl::StatusOr<bool> Enqueuer::Commit() {
  std::vector<OffsetCommit> commits;
  for (const auto& [partition, end] : ends_) {
    commits.push_back({.partition = partition,
                       .offset = end,
                       .metadata = parts_.partitions.at(partition)->scoring.Metadata()});
  }
  const StageScope waits = parts_.Waits();
  RETURN_IF_ERROR(parts_.scoring_log.Commit(commits));
  return true;
}

}  // namespace orbweaver
