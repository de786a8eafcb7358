#include "db_worker/dequeue/checkpointer.h"

#include <algorithm>

#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// By one checkpoint; the rest comes with the next.
constexpr size_t kMaxErasedChunks = 100'000;
// By one call. A domain that was purged may have many times as many.
constexpr size_t kChunksPerCall = 2000;
constexpr size_t kDomainsPerCall = 1000;

}  // namespace

void Checkpointer::Begin(Partition& partition) {
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
  steps_.Begin();
}

// The owner is checked after the heads: a successor whose marker comes later reads them as they are
// now, so nothing that is erased below is in its memory.
std::span<const Checkpointer::Steps::Step> Checkpointer::CheckpointSteps() {
  static constexpr Steps::Step kSteps[] = {
      {"put heads", &Checkpointer::PutHeads},
      {"still the owner?", &Checkpointer::CheckOwner},
      {"put the checkpoint", &Checkpointer::PutCheckpoint},
      {"erase consumed chunks", &Checkpointer::Erase},
  };
  return kSteps;
}

absl::Status Checkpointer::Advance() {
  return steps_.Advance(*this, [this] { return parts_.IsDue(); });
}

absl::StatusOr<bool> Checkpointer::PutHeads() {
  RETURN_IF_ERROR(puts_.Write(parts_));
  return puts_.empty();
}

absl::StatusOr<bool> Checkpointer::CheckOwner() {
  RETURN_IF_ERROR(CheckOwnerOf(parts_, *partition_));
  return true;
}

absl::StatusOr<bool> Checkpointer::PutCheckpoint() {
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
  erased_ = 0;
  CollectGarbage();
  return true;
}

void Checkpointer::CollectGarbage() {
  garbage_.clear();
  size_t chunks = 0;
  while (chunks < kChunksPerCall && garbage_.size() < kDomainsPerCall &&
         erased_ + chunks < kMaxErasedChunks) {
    const DomainId id = partition_->index.TakeGarbage();
    if (id == kNoDomain) break;
    CollectGarbage(id, kChunksPerCall - chunks);
    chunks += garbage_.back().columns.size();
  }
}

void Checkpointer::CollectGarbage(DomainId id, size_t most) {
  Garbage& garbage = garbage_.emplace_back();
  garbage.domain = id;
  garbage.row = DomainRow(partition_->index.DomainOf(id));
  partition_->index.Read(id, &garbage.left);
  std::vector<std::string>& columns = garbage.columns;
  for (int b = 0; b < kBands; ++b) {
    Band& band = garbage.left.bands[b];
    uint64_t n = band.erased;
    for (; n < band.first && columns.size() < most; ++n) {
      columns.push_back(BandColumn(garbage.left, b, n));
    }
    band.MarkErased(n);
  }
  for (DelayedBucket& bucket : garbage.left.garbage) {
    for (; bucket.first < bucket.next && columns.size() < most; ++bucket.first) {
      columns.push_back(DelayedColumn(bucket, bucket.first));
    }
  }
  std::erase_if(garbage.left.garbage,
                [](const DelayedBucket& bucket) { return bucket.first == bucket.next; });
}

absl::StatusOr<bool> Checkpointer::Erase() {
  while (!garbage_.empty()) {
    std::vector<std::string_view> columns;
    columns.reserve(kChunksPerCall);  // the erases point into it
    std::vector<RowErase> erases;
    for (const Garbage& garbage : garbage_) {
      const size_t first = columns.size();
      columns.insert(columns.end(), garbage.columns.begin(), garbage.columns.end());
      if (garbage.columns.empty()) continue;
      erases.push_back({garbage.row, version_, {columns.data() + first, garbage.columns.size()}});
    }
    RETURN_IF_ERROR(Annotate(parts_.store.Erase(Table::kQueue, erases, parts_.timeout()),
                             "erase consumed chunks"));
    for (const Garbage& garbage : garbage_) {
      // Not dirty: a successor that does not know may erase the same once more.
      partition_->index.Put(garbage.domain, garbage.left, false, parts_.time.Now());
    }
    parts_.metrics.chunks_erased.Increment(columns.size());
    erased_ += columns.size();
    CollectGarbage();
    if (parts_.IsDue()) break;
  }
  return garbage_.empty();
}

}  // namespace orbweaver
