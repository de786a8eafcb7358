#include "db_worker/dequeue/checkpointer.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/planted_fault.h"
#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// At once; the rest comes at the next checkpoint.
constexpr size_t kMaxErasedChunks = 100'000;
constexpr size_t kMaxErasesPerCall = 1000;

}  // namespace

void Checkpointer::Begin(Partition& partition) {
  CHECK(!busy());
  partition_ = &partition;
  offset_ = parts_.feed.WrittenTo(partition.id);
  version_ = partition.NextVersion();
  const WallTime now = parts_.time.Now();
  for (const DomainId id : partition.index.Dirty()) {
    puts_.Add(partition, id, version_, {});
    // Nothing else happens before the put is in the store, or this worker ends.
    partition.index.MarkClean(id);
  }
  parts_.metrics.domain_puts.Increment(puts_.size());
  partition.sent_since_checkpoint = 0;
  partition.checkpoint_due = now + parts_.options.checkpoint_interval;
  stage_ = Stage::kHeads;
}

absl::Status Checkpointer::Advance() {
  if (stage_ == Stage::kHeads) {
    RETURN_IF_ERROR(puts_.Write(parts_.store, parts_.timeout(), parts_.pulse));
    if (!puts_.empty()) return absl::OkStatus();
    stage_ = Stage::kCheckOwner;
  }
  // After the heads: a successor whose marker comes later reads them as they are now, so nothing
  // that is erased below is in its memory.
  if (stage_ == Stage::kCheckOwner) {
    RETURN_IF_ERROR(CheckOwnerOf(parts_, *partition_));
    stage_ = Stage::kCheckpoint;
  }
  if (stage_ == Stage::kCheckpoint) {
    RETURN_IF_ERROR(PutCheckpoint());
    garbage_.clear();
    size_t chunks = 0;
    while (chunks < kMaxErasedChunks) {
      const DomainId id = partition_->index.TakeGarbage();
      if (id == kNoDomain) break;
      CollectGarbage(id);
      chunks += garbage_.back().columns.size();
    }
    stage_ = Stage::kErase;
  }
  if (stage_ == Stage::kErase) {
    RETURN_IF_ERROR(Erase());
    if (garbage_.empty()) stage_ = Stage::kIdle;
  }
  return absl::OkStatus();
}

absl::Status Checkpointer::PutCheckpoint() {
  const std::string row = CheckpointRow(partition_->id);
  const std::string value = EncodeCheckpoint(
      {.topic_epoch = partition_->topic_epoch, .offset = offset_, .epoch = partition_->epoch});
  const CellPut cell{kCheckpointColumn, value};
  const RowPut put{.row = row, .version = version_, .cells = {&cell, 1}};
  std::vector<uint32_t> remaining;
  RETURN_IF_ERROR(
      Annotate(parts_.store.Write(Table::kPartitions, {&put, 1}, parts_.timeout(), &remaining),
               "write a feed checkpoint"));
  parts_.metrics.checkpoints.Increment();
  return absl::OkStatus();
}

void Checkpointer::CollectGarbage(DomainId id) {
  Garbage& garbage = garbage_.emplace_back();
  garbage.domain = id;
  garbage.row = DomainRow(partition_->index.DomainOf(id));
  Head head;
  partition_->index.Read(id, &head);
  for (int band = 0; band < kBands; ++band) {
    uint64_t end = head.bands[band].first;
    if (IsPlanted(PlantedFault::kChunkErasedEarly) && !head.bands[band].empty()) ++end;
    for (uint64_t n = head.bands[band].erased; n < end; ++n) {
      garbage.columns.push_back(BandColumn(head, band, n));
    }
  }
  for (const DelayedBucket& bucket : head.garbage) {
    for (uint32_t n = bucket.first; n < bucket.next; ++n) {
      garbage.columns.push_back(DelayedColumn(bucket, n));
    }
  }
}

absl::Status Checkpointer::Erase() {
  Head head;
  while (!garbage_.empty()) {
    const size_t count = std::min(garbage_.size(), kMaxErasesPerCall);
    const std::span<const Garbage> portion(garbage_.end() - static_cast<ptrdiff_t>(count),
                                           garbage_.end());
    size_t column_count = 0;
    for (const Garbage& garbage : portion) column_count += garbage.columns.size();
    std::vector<std::string_view> columns;
    columns.reserve(column_count);  // the erases point into it
    std::vector<RowErase> erases;
    for (const Garbage& garbage : portion) {
      const size_t first = columns.size();
      columns.insert(columns.end(), garbage.columns.begin(), garbage.columns.end());
      erases.push_back({garbage.row, version_, {columns.data() + first, garbage.columns.size()}});
    }
    RETURN_IF_ERROR(Annotate(parts_.store.Erase(Table::kQueue, erases, parts_.timeout()),
                             "erase consumed chunks"));
    for (const Garbage& garbage : portion) {
      partition_->index.Read(garbage.domain, &head);
      for (Band& band : head.bands) band.MarkErased();
      head.garbage.clear();
      // Not dirty: a successor that does not know may erase the same once more.
      partition_->index.Put(garbage.domain, head, false, parts_.time.Now());
    }
    parts_.metrics.chunks_erased.Increment(column_count);
    garbage_.resize(garbage_.size() - count);
    if (parts_.pulse.IsDue()) return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
