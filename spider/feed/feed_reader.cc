#include "spider/feed/feed_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/schema.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "feed";
constexpr Duration kCallTimeout = std::chrono::seconds(10);
constexpr Duration kFirstCommitTimeout = std::chrono::seconds(5);
constexpr Duration kLastCommitTimeout = std::chrono::seconds(5);
// A request within the messages' bounds is below 20 KB. A larger one, of a newer schema with much
// in it, could not be copied into its outcome.
constexpr size_t kMaxEntryBytes = 48 << 10;
// Ends a commit's metadata, so that a reader to whom its client gives more than was written knows
// (proto/README.md).
constexpr std::string_view kMetadataEnd = " ";

}  // namespace

FeedReader::Partition::Partition(uint64_t number, const AssignedPartition& assigned, SteadyTime now)
    : assignment(number),
      tracker(assigned.position),
      seen(assigned.metadata),
      committed_epoch(assigned.metadata),
      committed(assigned.position),
      has_commit(assigned.has_commit),
      rests(assigned.metadata) {
  if (assigned.has_commit) others_until = now;
}

absl::StatusOr<std::unique_ptr<LogSession>> NewFeedSession(Bus& bus, const Clock& clock,
                                                           const GroupMembership& membership) {
  const Duration longest = LogSession::LongestCall(membership.session_timeout);
  return LogSession::Create(bus, clock,
                            {.topic = std::string(kSpiderFeedTopic),
                             .group = std::string(kSpiderGroup),
                             .membership = membership,
                             .call_timeout = std::min(kCallTimeout, longest),
                             .module = kModule,
                             .loss = "Nobody will fetch their URLs"});
}

FeedReader::FeedReader(std::unique_ptr<LogSession> feed, const Clock& clock, FeedListener& listener,
                       FeedStats& stats)
    : feed_(std::move(feed)), clock_(clock), listener_(listener), stats_(stats) {}

FeedReader::~FeedReader() = default;

absl::Status FeedReader::Start() { return feed_->Join(this); }

absl::Status FeedReader::Poll(size_t room, Duration timeout) {
  constexpr PollLimits kLimits;
  // While the bus is away it is tried again with the next call.
  if (feed_->is_cut()) RETURN_IF_ERROR(GoOnBehindCuts());
  RETURN_IF_ERROR(CommitFirst());
  RETURN_IF_ERROR(SetPaused(room == 0));
  RETURN_IF_ERROR(feed_->Poll({.max_messages = std::clamp<size_t>(room, 1, kLimits.max_messages)},
                              timeout, &batch_));
  if (feed_->is_cut()) return GoOnBehindCuts();
  for (const Message& message : batch_.messages()) RETURN_IF_ERROR(Read(message));
  return absl::OkStatus();
}

absl::Status FeedReader::GoOnBehindCuts() {
  const auto metadata_of = [this](PartitionId id) {
    Partition& partition = partitions_.at(id);
    return MetadataOf(partition, partition.seen);
  };
  ASSIGN_OR_RETURN(const std::vector<CutLog> cuts, feed_->GoOnBehindCuts(metadata_of));
  for (const CutLog& cut : cuts) {
    stats_.lost += cut.lost();
    Partition& partition = partitions_.at(cut.partition);
    // Requests read before the gap are deleted too, and could not be read again.
    partition.committed = cut.start;
    partition.committed_epoch = partition.seen;
    partition.markers.clear();
  }
  return absl::OkStatus();
}

absl::Status FeedReader::CommitFirst() {
  std::vector<OffsetCommit> commits;
  for (auto& [id, partition] : partitions_) {
    if (partition.has_commit) continue;
    commits.push_back({.partition = id,
                       .offset = partition.committed,
                       .metadata = MetadataOf(partition, partition.committed_epoch)});
  }
  if (commits.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(feed_->Commit(commits, kFirstCommitTimeout));
  for (const OffsetCommit& commit : commits) {
    partitions_.at(commit.partition).has_commit = true;
    if (!paused_) RETURN_IF_ERROR(feed_->SetPaused(commit.partition, false));
  }
  return absl::OkStatus();
}

absl::Status FeedReader::SetPaused(bool paused) {
  if (paused_ == paused) return absl::OkStatus();
  for (const auto& [id, partition] : partitions_) {
    RETURN_IF_ERROR(feed_->SetPaused(id, paused));
  }
  paused_ = paused;
  return absl::OkStatus();
}

size_t FeedReader::uncommitted() const {
  int64_t entries = 0;
  for (const auto& [id, partition] : partitions_) {
    // Behind a gap the commit is ahead of what has been read.
    entries += std::max<int64_t>(0, partition.tracker.Next() - partition.committed);
  }
  return static_cast<size_t>(entries);
}

absl::Status FeedReader::Read(const Message& message) {
  const auto found = partitions_.find(message.partition);
  if (found == partitions_.end()) return absl::OkStatus();  // lost within this very Poll
  Partition& partition = found->second;
  partition.tracker.Begin(message.offset);
  const FeedPlace place{
      .partition = message.partition, .assignment = partition.assignment, .offset = message.offset};

  auto journey = std::make_shared<Journey>();
  absl::Status readable = CheckSchema(HeaderOf(message, kSchemaHeader));
  if (readable.ok() && message.value.size() > kMaxEntryBytes) {
    readable = PoisonError("read feed entry: {} bytes, at most {} are expected",
                           message.value.size(), kMaxEntryBytes);
  }
  if (readable.ok()) readable = journey->Read(message.value);
  if (!readable.ok()) {
    // Not finished when it could not be kept: it is then read again, by a spider that begins anew.
    if (const absl::Status buried = feed_->Bury(message, MessageOf(readable)); !buried.ok()) {
      return FencedError("keep unreadable feed entry: {}. It is read again", MessageOf(buried));
    }
    ++stats_.dead_letters;
    (void)Finish(place);
    return absl::OkStatus();
  }
  const SpiderFeedEntry& entry = journey->entry();
  if (std::holds_alternative<Marker>(entry.entry)) {
    partition.seen.Pass(message.offset);
    partition.markers.push_back(message.offset);
    (void)Finish(place);
    return absl::OkStatus();
  }
  if (!partition.seen.Accepts(entry.epoch)) {
    ++stats_.of_old_epochs;
    (void)Finish(place);
    return absl::OkStatus();
  }
  ++stats_.requests;
  FeedRequest delivered{.place = place, .others_until = partition.others_until};
  if (const auto until = partition.rests.Until(journey->request().domain)) {
    delivered.rest_until = clock_.Now() + std::max(Duration{}, Duration(*until - clock_.Wall()));
  }
  delivered.journey = std::move(journey);
  listener_.OnRequest(delivered);
  return absl::OkStatus();
}

void FeedReader::Rest(PartitionId id, std::string_view domain, SteadyTime until) {
  const auto found = partitions_.find(id);
  if (found == partitions_.end()) return;
  const auto later = std::chrono::ceil<std::chrono::milliseconds>(until - clock_.Now());
  if (!found->second.rests.Add(domain, clock_.Wall() + later)) return;
  found->second.rests_to_commit = rests_to_commit_ = true;
}

std::string FeedReader::MetadataOf(Partition& partition, const EpochFilter& epoch) const {
  std::string metadata = epoch.Metadata();
  const size_t room = kMaxCommitMetadataBytes - metadata.size() - kMetadataEnd.size();
  metadata += partition.rests.TakeMetadata(clock_.Wall(), room);
  metadata += kMetadataEnd;
  return metadata;
}

bool FeedReader::Finish(const FeedPlace& place) {
  const auto found = partitions_.find(place.partition);
  return found != partitions_.end() && found->second.assignment == place.assignment &&
         found->second.tracker.Finish(place.offset);
}

absl::Status FeedReader::Commit(Duration timeout) {
  std::vector<PartitionId> all;
  for (const auto& [id, partition] : partitions_) all.push_back(id);
  return CommitThese(all, timeout);
}

absl::Status FeedReader::CommitThese(std::span<const PartitionId> which, Duration timeout) {
  std::vector<OffsetCommit> commits;
  for (const PartitionId id : which) {
    const auto found = partitions_.find(id);
    if (found == partitions_.end()) continue;
    Partition& partition = found->second;
    const Offset offset = std::max(partition.tracker.Committable(), partition.committed);
    if (offset == partition.committed && !partition.rests_to_commit) continue;
    while (!partition.markers.empty() && partition.markers.front() < offset) {
      partition.committed_epoch.Pass(partition.markers.front());
      partition.markers.pop_front();
    }
    commits.push_back({.partition = id,
                       .offset = offset,
                       .metadata = MetadataOf(partition, partition.committed_epoch)});
  }
  if (commits.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(feed_->Commit(commits, timeout));
  for (const OffsetCommit& commit : commits) {
    Partition& partition = partitions_.at(commit.partition);
    partition.committed = commit.offset;
    partition.rests_to_commit = false;
  }
  rests_to_commit_ = std::any_of(partitions_.begin(), partitions_.end(),
                                 [](const auto& one) { return one.second.rests_to_commit; });
  ++stats_.commits;
  return absl::OkStatus();
}

void FeedReader::Close() { feed_->Close(); }

void FeedReader::OnAssigned(std::span<const AssignedPartition> assigned) {
  for (const AssignedPartition& one : assigned) {
    partitions_.erase(one.partition);
    partitions_.emplace(one.partition, Partition(next_assignment_++, one, clock_.Now()));
    // Pauses survive no rebalance.
    if (paused_ || !one.has_commit) (void)feed_->SetPaused(one.partition, true);
  }
}

void FeedReader::OnRevoked(std::span<const PartitionId> revoked) {
  listener_.OnRevoking(revoked);
  if (const absl::Status status = CommitThese(revoked, kLastCommitTimeout); !status.ok()) {
    ++stats_.lost_commits;
    Log(LogLevel::kWarning, kModule,
        "commit before {} partitions go: {}. Requests that finished since the last commit are "
        "fetched again",
        revoked.size(), MessageOf(status));
  }
  Drop(revoked);
}

void FeedReader::OnLost(std::span<const PartitionId> lost) { Drop(lost); }

void FeedReader::Drop(std::span<const PartitionId> which) {
  for (const PartitionId id : which) partitions_.erase(id);
  listener_.OnGone(which);
}

}  // namespace orbweaver
