#include "db_worker/dequeue/take_over.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"

#include "common/base/big_endian.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/bus/topics.h"
#include "common/model/limits.h"
#include "common/model/schema.h"
#include "common/protocol/log_witness.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

constexpr std::string_view kWitnessedTopics[] = {kScoringLogTopic, kSpiderFeedTopic};
constexpr PollLimits kLimits{.max_messages = 5000};
// A scan costs HBase about as much as so many rows that are read in vain.
constexpr uint64_t kRowsOfAScan = 64;
// So many rows tell how many a slot has: domains stand in slots by a hash.
constexpr uint64_t kSampleRows = 1000;
constexpr std::chrono::milliseconds kTellInterval = std::chrono::seconds(10);

std::string SlotRow(int slot) {
  std::string row;
  AppendBigEndian(static_cast<uint16_t>(slot), &row);
  return row;
}

// Of a row that begins with a slot.
int SlotOfRow(std::string_view row) { return LoadBigEndian<uint16_t>(row.data()); }

// A slot and a domain's name: not what somebody else may have put into the table.
absl::Status CheckRow(std::string_view row) {
  const size_t least = sizeof(uint16_t) + 1;
  if (row.size() >= least && row.size() < least + kMaxDomainBytes && SlotOfRow(row) < kSlots) {
    return absl::OkStatus();
  }
  return FatalError("read the queue: row {} ({} bytes) is no domain's. Remove the row",
                    absl::BytesToHexString(ToAbsl(row.substr(0, 64))), row.size());
}

}  // namespace

TakeOver::TakeOver(const WorkerParts& parts, uint64_t topic_epoch,
                   std::vector<ComingPartition> coming, uint32_t first_owner)
    : parts_(parts),
      topic_epoch_(topic_epoch),
      next_row_(SlotRow(0)),
      began_(parts.time.Now()),
      tell_at_(began_ + kTellInterval) {
  steps_.Begin();
  for (ComingPartition& one : coming) {
    Taken& taken = taken_.emplace_back();
    taken.coming = std::move(one);
    taken.owner = first_owner++;
  }
}

void TakeOver::Leave(PartitionId partition) {
  std::erase_if(taken_, [&](const Taken& taken) { return taken.coming.id == partition; });
}

// Checkpoints are read before the heads: these then hold all below it, and maybe more.
std::span<const TakeOver::Steps::Step> TakeOver::TakeOverSteps() {
  static constexpr Steps::Step kSteps[] = {
      {"append markers", &TakeOver::AppendMarkers},
      {"read checkpoints", &TakeOver::LoadCheckpoints},
      {"read heads", &TakeOver::ReadHeads},
      {"read the feed back", &TakeOver::ReadFeeds},
  };
  return kSteps;
}

absl::StatusOr<bool> TakeOver::Advance(WallTime until) {
  until_ = until;
  TellProgress();
  RETURN_IF_ERROR(steps_.Advance(*this, [this] { return IsOver(); }));
  return !steps_.busy();
}

std::vector<std::unique_ptr<Partition>> TakeOver::Take() {
  std::vector<std::unique_ptr<Partition>> partitions;
  for (Taken& taken : taken_) {
    Log(LogLevel::kInfo, "queue", "took partition {} over: epoch {}, {} domains", taken.coming.id,
        taken.partition->epoch, taken.partition->index.size());
    parts_.metrics.take_overs.Increment();
    partitions.push_back(std::move(taken.partition));
  }
  taken_.clear();
  return partitions;
}

void TakeOver::TellProgress() {
  const WallTime now = parts_.time.Now();
  if (now < tell_at_) return;
  tell_at_ = now + kTellInterval;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  Log(LogLevel::kInfo, "queue",
      "takes {} partitions over: {} heads read in {:.0f} s, {:.0f} a second; {}% of the queue",
      taken_.size(), heads_read_, seconds, static_cast<double>(heads_read_) / seconds,
      SlotOfRow(next_row_) * 100 / kSlots);
}

absl::Status TakeOver::CheckLogs() {
  std::vector<PartitionId> partitions;
  for (const Taken& taken : taken_) {
    if (!taken.logs_checked) partitions.push_back(taken.coming.id);
  }
  if (partitions.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckWitnesses(parts_.store, parts_.bus, topic_epoch_, kWitnessedTopics,
                                 partitions, parts_.timeout()));
  for (Taken& taken : taken_) taken.logs_checked = true;
  return absl::OkStatus();
}

absl::Status TakeOver::SaveMarkers() {
  std::vector<LogWitness> witnesses;
  std::vector<Version> versions;
  for (const Taken& taken : taken_) {
    if (taken.marker_saved) continue;
    witnesses.push_back(parts_.feed.MarkerOf(taken.coming.id));
    versions.push_back(taken.partition->NextVersion());
  }
  RETURN_IF_ERROR(SaveWitnesses(parts_.store, kSpiderFeedTopic, topic_epoch_, witnesses, versions,
                                parts_.timeout()));
  for (Taken& taken : taken_) taken.marker_saved = true;
  return absl::OkStatus();
}

absl::StatusOr<bool> TakeOver::AppendMarkers() {
  RETURN_IF_ERROR(CheckLogs());
  for (Taken& taken : taken_) {
    if (taken.partition != nullptr) continue;
    const ComingPartition& coming = taken.coming;
    ASSIGN_OR_RETURN(const Offset epoch, parts_.feed.TakeOver(coming.id, parts_.timeout()));
    ASSIGN_OR_RETURN(const VersionSequence versions, VersionSequence::Create(topic_epoch_, epoch));
    auto partition = std::make_unique<Partition>(coming.id, topic_epoch_, epoch, taken.owner,
                                                 versions, EpochFilter(coming.scoring_metadata));
    taken.partition = std::move(partition);
    if (IsOver()) return false;
  }
  RETURN_IF_ERROR(SaveMarkers());
  return true;
}

absl::StatusOr<bool> TakeOver::LoadCheckpoints() {
  for (Taken& taken : taken_) {
    if (taken.checkpoint_read) continue;
    ASSIGN_OR_RETURN(taken.checkpoint,
                     LoadCheckpoint(parts_.store, taken.coming.id, parts_.timeout()));
    RETURN_IF_ERROR(CheckOlder(taken));
    taken.checkpoint_read = true;
    if (IsOver()) return false;
  }
  return true;
}

// A later owner's checkpoint, or one of a log that stood here before.
absl::Status TakeOver::CheckOlder(const Taken& taken) {
  if (!taken.checkpoint.has_value()) return absl::OkStatus();
  const Checkpoint& found = *taken.checkpoint;
  const Offset epoch = taken.partition->epoch;
  const bool is_older = found.topic_epoch < topic_epoch_ ||
                        (found.topic_epoch == topic_epoch_ && found.epoch < epoch);
  if (is_older) return absl::OkStatus();
  RETURN_IF_ERROR(CheckOwnerOf(parts_, *taken.partition));
  return FatalError(
      "take over partition {}: its checkpoint is of epoch {} in topic epoch {}, this worker's is "
      "{} in {}, and nobody came later. {}",
      taken.coming.id, found.epoch, found.topic_epoch, epoch, topic_epoch_, kForeignLogHint);
}

// Of P partitions, each has every P-th slot.
TakeOver::Taken* TakeOver::OwnerOf(int slot) {
  const PartitionId id = PartitionOf(Slot(static_cast<uint16_t>(slot)), parts_.partition_count);
  const auto found = std::find_if(taken_.begin(), taken_.end(),
                                  [id](const Taken& taken) { return taken.coming.id == id; });
  return found == taken_.end() ? nullptr : &*found;
}

absl::StatusOr<bool> TakeOver::ReadHeads() {
  if (!slots_to_read_through_.has_value()) {
    ASSIGN_OR_RETURN(slots_to_read_through_, SlotsToReadThrough());
  }
  while (true) {
    int first = SlotOfRow(next_row_);
    if (first < kSlots && OwnerOf(first) == nullptr) {
      while (first < kSlots && OwnerOf(first) == nullptr) ++first;
      next_row_ = SlotRow(first);
    }
    if (first == kSlots) return true;
    int end = first + 1;
    for (int slot = end; slot < kSlots && slot - end <= *slots_to_read_through_; ++slot) {
      if (OwnerOf(slot) != nullptr) end = slot + 1;
    }
    ASSIGN_OR_RETURN(const bool all, ReadSlots(end));
    if (all) next_row_ = SlotRow(end);
    if (IsOver()) return false;
  }
}

absl::StatusOr<int> TakeOver::SlotsToReadThrough() {
  uint64_t rows = 0;
  int last_slot = 0;
  bool all = true;
  absl::Status checked;
  const ScanRange range{.begin = {}, .end = {}, .columns = {&kHeadColumn, 1}, .limit = kSampleRows};
  RETURN_IF_ERROR(Annotate(parts_.store.Scan(Table::kQueue, range, parts_.timeout(),
                                             [&](std::string_view row, std::span<const Cell>) {
                                               checked = CheckRow(row);
                                               if (!checked.ok()) return false;
                                               ++rows;
                                               last_slot = SlotOfRow(row);
                                               all = !IsOver();
                                               return all;
                                             }),
                           "read the heads of the queue"));
  RETURN_IF_ERROR(checked);
  if (all && rows < kSampleRows) last_slot = kSlots - 1;
  const uint64_t slots = static_cast<uint64_t>(last_slot) + 1;
  return static_cast<int>(
      std::min<uint64_t>(kSlots, kRowsOfAScan * slots / std::max<uint64_t>(1, rows)));
}

absl::StatusOr<bool> TakeOver::ReadSlots(int end) {
  const std::string begin_row = next_row_;
  // The last slot ends where the table does.
  const std::string end_row = end < kSlots ? SlotRow(end) : std::string();
  absl::Status added;
  bool in_time = true;
  const ScanRange range{.begin = begin_row, .end = end_row, .columns = {&kHeadColumn, 1}};
  const absl::Status scanned =
      parts_.store.Scan(Table::kQueue, range, parts_.timeout(),
                        [&](std::string_view row, std::span<const Cell> cells) {
                          added = CheckRow(row);
                          if (added.ok()) added = AddHead(row, cells.front());
                          if (!added.ok()) return false;
                          next_row_.assign(row);
                          next_row_.push_back('\0');
                          in_time = !IsOver();
                          return in_time;
                        });
  RETURN_IF_ERROR(added);
  RETURN_IF_ERROR(Annotate(scanned, "read the heads of the queue"));
  return in_time;
}

absl::Status TakeOver::AddHead(std::string_view row, const Cell& cell) {
  Taken* const owner = OwnerOf(SlotOfRow(row));
  if (owner == nullptr) return absl::OkStatus();
  const std::string domain = ReversedDomain(row.substr(sizeof(uint16_t)));
  RETURN_IF_ERROR(CheckHeadVersion(parts_, *owner->partition, domain, cell.version));
  ++heads_read_;
  Head head;
  const absl::Status decoded = DecodeHead(cell.value, &head);
  if (!decoded.ok()) {
    return FatalError("read the queue of {}: {}. Restore the row", domain, MessageOf(decoded));
  }
  DomainIndex& index = owner->partition->index;
  const WallTime now = parts_.time.Now();
  const bool full = index.bytes() > IndexBytes();
  if (full && head.empty() && head.garbage_chunks() == 0 && ReadyAt(head) <= now) {
    index.SetIncomplete();
    return absl::OkStatus();
  }
  index.Put(index.FindOrAdd(domain), head, false, now);
  return absl::OkStatus();
}

// Of one index, once all of these are there.
size_t TakeOver::IndexBytes() const {
  return static_cast<size_t>(parts_.options.index_bytes) /
         (parts_.partitions.size() + taken_.size());
}

absl::Status TakeOver::FindStart(Taken& taken) {
  const PartitionId id = taken.coming.id;
  ASSIGN_OR_RETURN(const auto bounds,
                   parts_.offsets.Bounds(kSpiderFeedTopic, {&id, 1}, parts_.timeout()));
  const Offset start = bounds[0].start;
  if (!taken.checkpoint.has_value()) {
    // Its first owner ever wrote one before it sent anything, so nothing was sent.
    taken.position = taken.partition->epoch;
  } else if (taken.checkpoint->topic_epoch != topic_epoch_) {
    // The topics were made anew: what the log holds was all written after that.
    taken.position = start;
  } else {
    taken.position = std::max(taken.checkpoint->offset, start);
    taken.filter.Pass(taken.checkpoint->epoch);
    if (start > taken.checkpoint->offset) {
      Log(LogLevel::kError, "queue",
          "partition {}: retention has deleted {} entries of the feed above the checkpoint; what "
          "they sent may be sent again. Raise topics.retention",
          id, start - taken.checkpoint->offset);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> TakeOver::ReadFeeds() {
  for (Taken& taken : taken_) {
    if (taken.feed_read) continue;
    ASSIGN_OR_RETURN(taken.feed_read, ReadFeed(taken));
    if (!taken.feed_read || IsOver()) return false;
  }
  return true;
}

absl::StatusOr<bool> TakeOver::ReadFeed(Taken& taken) {
  if (!taken.position.has_value()) RETURN_IF_ERROR(FindStart(taken));
  Offset& position = *taken.position;
  const Offset end = taken.partition->epoch;
  if (position >= end) return true;
  if (taken.consumer == nullptr) {
    ASSIGN_OR_RETURN(auto consumer, parts_.bus.NewConsumer({.group = kReadBackGroup}));
    const AssignedPartition from{.partition = taken.coming.id, .position = position};
    RETURN_IF_ERROR(consumer->Assign(kSpiderFeedTopic, {&from, 1}));
    taken.consumer = std::move(consumer);
  }
  MessageBatch batch;
  while (position < end) {
    RETURN_IF_ERROR(
        Annotate(taken.consumer->Poll(kLimits, parts_.timeout(), &batch), "read the feed back"));
    if (batch.empty()) return TimeoutError("read the feed back: nothing came");
    for (const Message& message : batch.messages()) {
      if (message.offset >= end) break;
      Apply(taken, message);
    }
    position = batch.messages().back().offset + 1;
    if (position < end && IsOver()) return false;
  }
  taken.consumer.reset();
  return true;
}

void TakeOver::Apply(Taken& taken, const Message& message) {
  parts_.metrics.read_back.Increment();
  arena_.Reset();
  SpiderFeedEntry entry;
  // An entry that no spider can read was not sent by us.
  if (!CheckSchema(HeaderOf(message, kSchemaHeader)).ok()) return;
  if (!Decode(message.value, &arena_, &entry).ok()) return;
  if (std::holds_alternative<Marker>(entry.entry)) {
    taken.filter.Pass(message.offset);
  } else if (taken.filter.Accepts(entry.epoch)) {
    ApplyRequest(taken, std::get<Request>(entry.entry), message.time);
  }
}

void TakeOver::ApplyRequest(Taken& taken, const Request& request, WallTime sent_at) {
  DomainIndex& index = taken.partition->index;
  const DomainId id = index.Find(request.domain);
  // One that the index does not have was empty in the store: all that it sent is in its head.
  if (id == kNoDomain || request.band >= kBands) return;
  Head head;
  index.Read(id, &head);
  Band& band = head.bands[request.band];
  const bool is_new = request.seq < band.next &&
                      std::pair(request.seq, request.index) >= std::pair(band.first, band.index);
  if (!is_new) return;
  if (band.waiting > 0) --band.waiting;
  band.MoveTo(request.seq, request.index + 1);
  CountSent(1, parts_.options.politeness, sent_at, &head);
  if (head.empty()) head.waiting_since = WallTime();
  index.Put(id, head, true, parts_.time.Now());
}

}  // namespace orbweaver
