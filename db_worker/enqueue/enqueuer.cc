#include "db_worker/enqueue/enqueuer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/base/planted_fault.h"
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

// Open in proto3: an action that we do not know is the one with the value 0.
ScheduleAction ActionOf(const ScheduledRequest& request) {
  const ScheduleAction action = request.action;
  return action == ScheduleAction::kRaise || action == ScheduleAction::kDelete
             ? action
             : ScheduleAction::kAdd;
}

bool HasActions(const ScheduleRequests& schedule) {
  return std::any_of(schedule.requests.begin(), schedule.requests.end(),
                     [](const auto& request) { return ActionOf(request) != ScheduleAction::kAdd; });
}

// With its fingerprint, which a foreign client may have left out.
ScheduledRequest Complete(ScheduledRequest request) {
  if (request.fingerprint == Fingerprint{}) request.fingerprint = FingerprintOf(request.url);
  return request;
}

}  // namespace

void Enqueuer::Begin(MessageBatch batch) {
  CHECK(!busy());
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
  stage_ = complete ? Stage::kApply : Stage::kLoad;
}

absl::Status Enqueuer::Advance() {
  if (stage_ == Stage::kLoad) {
    RETURN_IF_ERROR(Load());
    stage_ = Stage::kApply;
  }
  if (IsPlanted(PlantedFault::kCommitFirst)) RETURN_IF_ERROR(Commit());
  // Several rounds when a message can only be applied to what is in the store.
  while (stage_ == Stage::kApply || stage_ == Stage::kWrite) {
    if (stage_ == Stage::kApply) {
      RETURN_IF_ERROR(Apply());
      FinishEdits();
      stage_ = Stage::kWrite;
    }
    RETURN_IF_ERROR(puts_.Write(parts_.store, parts_.timeout(), parts_.pulse));
    if (!puts_.empty()) return absl::OkStatus();
    stage_ = next_message_ < batch_.messages().size() ? Stage::kApply : Stage::kCheckOwner;
    if (parts_.pulse.IsDue()) return absl::OkStatus();
  }
  if (stage_ == Stage::kCheckOwner) {
    RETURN_IF_ERROR(CheckOwner());
    stage_ = Stage::kCommit;
  }
  if (stage_ == Stage::kCommit) {
    RETURN_IF_ERROR(Commit());
    stage_ = Stage::kIdle;
  }
  batch_.Clear();
  return absl::OkStatus();
}

absl::Status Enqueuer::Load() {
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
  return absl::OkStatus();
}

absl::Status Enqueuer::Apply() {
  const auto messages = batch_.messages();
  while (next_message_ < messages.size()) {
    ASSIGN_OR_RETURN(const Outcome outcome, ApplyMessage(messages[next_message_]));
    if (outcome == Outcome::kFlushFirst) break;
    ++next_message_;
    parts_.metrics.messages.Increment();
    // A message with actions may read much.
    if (parts_.pulse.IsDue()) break;
  }
  return absl::OkStatus();
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
  if (!partition.scoring.Accepts(entry.epoch) && !IsPlanted(PlantedFault::kNoScoringMarkers)) {
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
  RETURN_IF_ERROR(
      parts_.dead_letters.Bury(kScoringLogTopic, message, MessageOf(cause), parts_.timeout()));
  parts_.metrics.poison.Increment();
  return absl::OkStatus();
}

absl::StatusOr<Enqueuer::Outcome> Enqueuer::ApplySchedule(Partition& partition,
                                                          const ScheduleRequests& schedule) {
  // An event that changed nothing writes nothing.
  if (schedule.requests.empty() && !schedule.domain_update.has_value()) return Outcome::kDone;
  const bool has_actions = HasActions(schedule);
  const DomainId domain = partition.index.FindOrAdd(schedule.domain);
  DomainEdit* edit = FindEdit(partition, domain);
  if (edit != nullptr && has_actions) return Outcome::kFlushFirst;
  if (edit == nullptr) edit = &NewEdit(partition, domain);
  Head& head = edit->head();
  const Watermark watermark{schedule.source_topic_epoch, schedule.source_offset, schedule.part};
  const bool is_applied = IsPlanted(PlantedFault::kWatermarkOffByOne) ? watermark < head.applied
                                                                      : watermark <= head.applied;
  if (is_applied && !IsPlanted(PlantedFault::kNoSourceWatermark)) {
    parts_.metrics.replayed.Increment();
    // Its commit says that the store has it for good: a put between that of its own owner and now
    // may have come from one who did not know it.
    if (!partition.index.IsClaimed(domain)) edit->MarkChanged();
    return Outcome::kDone;
  }
  const WallTime now = parts_.time.Now();
  // First what may fail: then nothing is changed yet, and the message is applied again later.
  const bool purges = schedule.domain_update.has_value() && schedule.domain_update->purge;
  if (has_actions) RETURN_IF_ERROR(ApplyActions(*edit, schedule, watermark, now));
  edit->MarkChanged();
  head.applied = watermark;
  if (schedule.domain_update.has_value()) {
    ApplyUpdate(*schedule.domain_update, parts_.options.feed, now, random_, &head);
  }
  if (has_actions) return Outcome::kDone;
  if (purges) edit->Purge();
  for (const ScheduledRequest& request : schedule.requests) edit->Add(Complete(request), now);
  parts_.metrics.requests_queued.Increment(schedule.requests.size());
  return Outcome::kDone;
}

absl::Status Enqueuer::ApplyActions(DomainEdit& edit, const ScheduleRequests& schedule,
                                    const Watermark& watermark, WallTime now) {
  absl::flat_hash_set<Fingerprint> urls;
  std::vector<ScheduledRequest> requests;
  for (const ScheduledRequest& request : schedule.requests) {
    requests.push_back(Complete(request));
    if (ActionOf(request) != ScheduleAction::kAdd) urls.insert(requests.back().fingerprint);
  }
  RETURN_IF_ERROR(search_.Find(parts_, edit, urls));
  if (schedule.domain_update.has_value() && schedule.domain_update->purge) {
    edit.Purge();
    search_ = {};
  }
  // Those of this message that are added; one that a later one takes out again is marked.
  std::vector<const ScheduledRequest*> added;
  const auto band_of = [now](const ScheduledRequest& request) {
    return request.not_before > now ? kBands : BandOf(request.score);
  };
  for (const ScheduledRequest& request : requests) {
    const auto is_same = [&request](const ScheduledRequest* other) {
      return other->fingerprint == request.fingerprint;
    };
    const ScheduleAction action = ActionOf(request);
    if (action == ScheduleAction::kRaise) {
      std::optional<int> best = search_.BestBand(request.fingerprint);
      for (const ScheduledRequest* other : added) {
        if (is_same(other)) best = std::min(best.value_or(kBands), band_of(*other));
      }
      // It has left the queue, or waits in as good a place. An owner to come, to whom the same
      // message comes again, must not find otherwise: so it is no question of what time it is.
      const int wanted = request.not_before == WallTime() ? BandOf(request.score) : kBands;
      if (!best.has_value() || *best <= wanted) continue;
    }
    if (action != ScheduleAction::kAdd) {
      const uint64_t found = search_.TakeOut(request.fingerprint, &edit.head());
      parts_.metrics.taken_out.Increment(found + std::erase_if(added, is_same));
    }
    if (action != ScheduleAction::kDelete) added.push_back(&request);
  }
  search_.Finish(watermark, parts_.chunks, edit);
  for (const ScheduledRequest* request : added) edit.Add(*request, now);
  parts_.metrics.requests_queued.Increment(added.size());
  return absl::OkStatus();
}

DomainEdit* Enqueuer::FindEdit(const Partition& partition, DomainId domain) {
  const auto found = edit_of_.find({partition.id.value(), domain});
  return found == edit_of_.end() ? nullptr : &edits_[found->second];
}

DomainEdit& Enqueuer::NewEdit(Partition& partition, DomainId domain) {
  if (edit_count_ == edits_.size()) edits_.emplace_back();
  edit_of_.emplace(std::pair(partition.id.value(), domain), edit_count_);
  DomainEdit& edit = edits_[edit_count_++];
  edit.Begin(partition, domain);
  return edit;
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
    edit.Finish(parts_.chunks, now);
    partition.index.Put(edit.domain(), edit.head(), false, now);
    puts_.Add(partition, edit.domain(), version->second, edit.cells());
  }
  parts_.metrics.domain_puts.Increment(puts_.size());
  edit_count_ = 0;
  edit_of_.clear();
}

absl::Status Enqueuer::CheckOwner() {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, end] : ends_) partitions.push_back(partition);
  return parts_.feed.CheckStillOwner(partitions, parts_.timeout());
}

absl::Status Enqueuer::Commit() {
  RETURN_IF_ERROR(parts_.dead_letters.Settle(parts_.timeout()));
  std::vector<OffsetCommit> commits;
  for (const auto& [partition, end] : ends_) {
    commits.push_back({.partition = partition,
                       .offset = end,
                       .metadata = parts_.partitions.at(partition)->scoring.Metadata()});
  }
  RETURN_IF_ERROR(
      Annotate(parts_.consumer.Commit(commits, parts_.timeout()), "commit the scoring log"));
  for (const auto& [partition, end] : ends_) parts_.partitions.at(partition)->next_message = end;
  return absl::OkStatus();
}

}  // namespace orbweaver
