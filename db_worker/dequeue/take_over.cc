#include "db_worker/dequeue/take_over.h"

#include <algorithm>
#include <utility>

#include "common/base/big_endian.h"
#include "common/base/log.h"
#include "common/base/planted_fault.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/schema.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

constexpr PollLimits kLimits{.max_messages = 5000};

std::string SlotRow(int slot) {
  std::string row;
  AppendBigEndian(static_cast<uint16_t>(slot), &row);
  return row;
}

}  // namespace

TakeOver::TakeOver(const WorkerParts& parts, uint64_t topic_epoch, PartitionId partition,
                   uint32_t owner, std::string scoring_metadata)
    : parts_(parts),
      topic_epoch_(topic_epoch),
      id_(partition),
      owner_(owner),
      scoring_metadata_(std::move(scoring_metadata)),
      next_slot_(partition.value()) {}

absl::StatusOr<std::unique_ptr<Partition>> TakeOver::Advance() {
  if (stage_ == Stage::kMarker) {
    RETURN_IF_ERROR(AppendMarker());
    stage_ = Stage::kHeads;
  }
  if (stage_ == Stage::kHeads) {
    RETURN_IF_ERROR(ReadHeads());
    stage_ = Stage::kBounds;
  }
  if (stage_ == Stage::kBounds) {
    RETURN_IF_ERROR(FindStart());
    stage_ = Stage::kFeed;
  }
  RETURN_IF_ERROR(ReadFeed());
  parts_.metrics.take_overs.Increment();
  Log(LogLevel::kInfo, "queue", "took partition {} over: epoch {}, {} domains", id_,
      partition_->epoch, partition_->index.size());
  return std::move(partition_);
}

absl::Status TakeOver::AppendMarker() {
  ASSIGN_OR_RETURN(const Offset epoch, parts_.feed.TakeOver(id_, parts_.timeout()));
  ASSIGN_OR_RETURN(const VersionSequence versions, VersionSequence::Create(topic_epoch_, epoch));
  partition_ = std::make_unique<Partition>(id_, topic_epoch_, epoch, owner_, versions,
                                           EpochFilter(scoring_metadata_));
  return absl::OkStatus();
}

absl::Status TakeOver::ReadHeads() {
  // Before the heads: they then hold all below it, and maybe more.
  ASSIGN_OR_RETURN(checkpoint_, LoadCheckpoint(parts_.store, id_, parts_.timeout()));
  // Of P partitions, each has every P-th slot; when there is only one, they are one range.
  const int slots = parts_.partition_count == 1 ? kSlots : 1;
  while (next_slot_ < kSlots) {
    RETURN_IF_ERROR(ReadSlots(next_slot_, next_slot_ + slots));
    next_slot_ += slots * parts_.partition_count;
    next_row_.clear();
  }
  return absl::OkStatus();
}

absl::Status TakeOver::ReadSlots(int first, int end) {
  const std::string begin_row = next_row_.empty() ? SlotRow(first) : next_row_;
  // The last slot ends where the table does.
  const std::string end_row = end < kSlots ? SlotRow(end) : std::string();
  absl::Status added;
  const ScanRange range{.begin = begin_row, .end = end_row, .columns = {&kHeadColumn, 1}};
  const absl::Status scanned =
      parts_.store.Scan(Table::kQueue, range, parts_.timeout(),
                        [&](std::string_view row, std::span<const Cell> cells) {
                          added = AddHead(row, cells.front().value);
                          next_row_.assign(row);
                          next_row_.push_back('\0');
                          return added.ok();
                        });
  RETURN_IF_ERROR(added);
  return Annotate(scanned, "read the heads of the queue");
}

absl::Status TakeOver::AddHead(std::string_view row, std::string_view packed) {
  const std::string domain = ReversedDomain(row.substr(sizeof(uint16_t)));
  Head head;
  const absl::Status decoded = DecodeHead(packed, &head);
  if (!decoded.ok()) {
    return FatalError("read the queue of {}: {}. Restore the row", domain, MessageOf(decoded));
  }
  DomainIndex& index = partition_->index;
  const WallTime now = parts_.time.Now();
  const bool full = index.bytes() > parts_.IndexBytes();
  if (full && head.empty() && head.garbage_chunks() == 0 && ReadyAt(head) <= now) {
    index.SetIncomplete();
    return absl::OkStatus();
  }
  index.Put(index.FindOrAdd(domain), head, false, now);
  return absl::OkStatus();
}

absl::Status TakeOver::FindStart() {
  ASSIGN_OR_RETURN(const auto bounds,
                   parts_.offsets.Bounds(kSpiderFeedTopic, {&id_, 1}, parts_.timeout()));
  const Offset start = bounds[0].start;
  if (!checkpoint_.has_value()) {
    // Its first owner ever wrote one before it sent anything, so nothing was sent.
    position_ = partition_->epoch;
  } else if (checkpoint_->topic_epoch != topic_epoch_) {
    // The topics were made anew: what the log holds was all written after that.
    position_ = start;
  } else {
    position_ = std::max(checkpoint_->offset, start);
    filter_.Pass(checkpoint_->epoch);
    if (start > checkpoint_->offset) {
      Log(LogLevel::kError, "queue",
          "partition {}: retention has deleted {} entries of the feed above the checkpoint; what "
          "they sent may be sent again. Raise topics.retention",
          id_, start - checkpoint_->offset);
    }
  }
  return absl::OkStatus();
}

absl::Status TakeOver::ReadFeed() {
  if (IsPlanted(PlantedFault::kNoReadBack)) return absl::OkStatus();
  if (position_ >= partition_->epoch) return absl::OkStatus();
  if (consumer_ == nullptr) {
    ASSIGN_OR_RETURN(consumer_, parts_.bus.NewConsumer({.group = kReadBackGroup}));
    const AssignedPartition from{.partition = id_, .position = position_};
    RETURN_IF_ERROR(consumer_->Assign(kSpiderFeedTopic, {&from, 1}));
  }
  MessageBatch batch;
  while (position_ < partition_->epoch) {
    RETURN_IF_ERROR(
        Annotate(consumer_->Poll(kLimits, parts_.timeout(), &batch), "read the feed back"));
    if (batch.empty()) return TimeoutError("read the feed back: nothing came");
    for (const Message& message : batch.messages()) {
      if (message.offset >= partition_->epoch) break;
      Apply(message);
    }
    position_ = batch.messages().back().offset + 1;
  }
  return absl::OkStatus();
}

void TakeOver::Apply(const Message& message) {
  parts_.metrics.read_back.Increment();
  std::string_view schema;
  for (const Header& header : message.headers) {
    if (header.name == kSchemaHeader) schema = header.value;
  }
  arena_.Reset();
  SpiderFeedEntry entry;
  // What no spider can read was not sent by us.
  if (!CheckSchema(schema).ok() || !Decode(message.value, &arena_, &entry).ok()) return;
  if (std::holds_alternative<Marker>(entry.entry)) {
    filter_.Pass(message.offset);
  } else if (filter_.Accepts(entry.epoch) || IsPlanted(PlantedFault::kNoFeedMarkers)) {
    ApplyRequest(std::get<Request>(entry.entry), message.time);
  }
}

void TakeOver::ApplyRequest(const Request& request, WallTime sent_at) {
  DomainIndex& index = partition_->index;
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
  CountSent(1, parts_.options.feed, sent_at, &head);
  if (head.empty()) head.waiting_since = WallTime();
  index.Put(id, head, true, parts_.time.Now());
}

}  // namespace orbweaver
