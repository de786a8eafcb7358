#include "db_worker/queue/bucket_opener.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

constexpr size_t kMaxDomains = 512;
// Of one domain at a time.
constexpr uint32_t kMaxChunks = 16;
// Of all: some 5 MB, and below 40 MB whatever the requests.
constexpr size_t kMaxChunksOfAll = 512;

std::vector<DelayedBucket>::iterator FindBucket(std::vector<DelayedBucket>& buckets, uint32_t id) {
  return std::find_if(buckets.begin(), buckets.end(),
                      [id](const DelayedBucket& bucket) { return bucket.id == id; });
}

// Chunks of `bucket` below `end` are not needed any more.
void AddGarbage(const DelayedBucket& bucket, uint32_t end, std::vector<DelayedBucket>* garbage) {
  const auto known = FindBucket(*garbage, bucket.id);
  if (known != garbage->end()) {
    known->next = end;
    return;
  }
  garbage->push_back(bucket);
  garbage->back().next = end;
  garbage->back().waiting = 0;
}

}  // namespace

bool BucketOpener::Begin(Partition& partition) {
  CHECK(!busy());
  opened_.clear();
  Head head;
  bool any = false;
  for (size_t chunks = 0; chunks < kMaxChunksOfAll && opened_.size() < kMaxDomains;) {
    const DomainId id = partition.index.TakeOpened();
    if (id == kNoDomain) break;
    any = true;
    partition.index.Read(id, &head);
    if (head.delayed.empty()) continue;  // purged since
    const DelayedBucket& bucket = head.delayed.front();
    Opened& opened = opened_.emplace_back(
        Opened{.domain = id,
               .row = DomainRow(partition.index.DomainOf(id)),
               .bucket = bucket,
               .end = bucket.first + std::min(bucket.next - bucket.first, kMaxChunks)});
    for (uint32_t n = bucket.first; n < opened.end; ++n) {
      opened.columns.push_back(DelayedColumn(bucket, n));
    }
    chunks += opened.columns.size();
  }
  if (!any) return false;
  partition_ = &partition;
  steps_.Begin();
  return true;
}

std::span<const BucketOpener::Steps::Step> BucketOpener::OpenSteps() {
  static constexpr Steps::Step kSteps[] = {
      {"read delayed requests", &BucketOpener::ReadAndMove},
      {"put delayed requests", &BucketOpener::Write},
  };
  return kSteps;
}

absl::Status BucketOpener::Advance() {
  return steps_.Advance(*this, [this] { return parts_.IsDue(); });
}

absl::StatusOr<bool> BucketOpener::Write() {
  RETURN_IF_ERROR(puts_.Write(parts_));
  return puts_.empty();
}

absl::StatusOr<bool> BucketOpener::ReadAndMove() {
  std::vector<std::string_view> columns;
  size_t column_count = 0;
  for (const Opened& opened : opened_) column_count += opened.columns.size();
  columns.reserve(column_count);  // the gets point into it
  std::vector<RowGet> gets;
  for (const Opened& opened : opened_) {
    const size_t first = columns.size();
    columns.insert(columns.end(), opened.columns.begin(), opened.columns.end());
    gets.push_back({opened.row, {columns.data() + first, opened.columns.size()}});
  }
  Rows rows;
  if (!gets.empty()) {
    RETURN_IF_ERROR(Annotate(parts_.store.MultiGet(Table::kQueue, gets, parts_.timeout(), &rows),
                             "read delayed requests"));
    for (size_t i = 0; i < gets.size(); ++i) {
      if (rows[i].size() == gets[i].columns.size()) continue;
      RETURN_IF_ERROR(CheckOwnerOf(parts_, *partition_));
    }
    const Version version = partition_->NextVersion();
    for (size_t i = 0; i < opened_.size(); ++i) Move(opened_[i], rows, i, version);
  }
  parts_.metrics.chunks_read.Increment(column_count);
  parts_.metrics.buckets_opened.Increment(column_count);
  parts_.metrics.domain_puts.Increment(puts_.size());
  return true;
}

void BucketOpener::Move(const Opened& opened, const Rows& rows, size_t row, Version version) {
  const WallTime now = parts_.time.Now();
  edit_.Begin(*partition_, opened.domain);
  uint64_t moved = 0;
  for (const std::string& column : opened.columns) {
    const Cell* const cell = rows.Find(row, column);
    if (cell == nullptr) {
      ReportDamage(parts_, *partition_, opened.domain, column, {},
                   PoisonError("the chunk is missing"));
      continue;
    }
    const auto chunk = Chunk::Parse(std::string(cell->value));
    if (chunk.ok()) {
      MoveChunk(edit_, *chunk, now, &moved);
    } else {
      ReportDamage(parts_, *partition_, opened.domain, column, cell->value, chunk.status());
    }
  }
  Head& head = edit_.head();
  AddGarbage(opened.bucket, opened.end, &head.garbage);
  const auto bucket = FindBucket(head.delayed, opened.bucket.id);
  CHECK(bucket != head.delayed.end());
  bucket->first = opened.end;
  bucket->waiting -= std::min(bucket->waiting, moved);
  if (bucket->first == bucket->next) head.delayed.erase(bucket);
  edit_.Finish(parts_.chunks, now);
  partition_->index.Put(opened.domain, head, false, now);
  puts_.Add(*partition_, opened.domain, version, edit_.cells());
}

void BucketOpener::MoveChunk(DomainEdit& edit, const Chunk& chunk, WallTime now, uint64_t* moved) {
  for (uint32_t i = 0; i < chunk.size(); ++i) {
    if (!chunk.Waits(i, edit.head().applied)) continue;
    ++*moved;
    arena_.Reset();
    ScheduledRequest request;
    // One that cannot be read goes on as it is: it is reported when it leaves.
    if (!DecodeRequest(chunk[i], &arena_, &request).ok()) request = {};
    edit.AddEncoded(chunk[i], BandOf(request.score), request.not_before, now);
  }
}

}  // namespace orbweaver
