#include "db_worker/queue/domain_edit.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// A put of 2,000 bytes costs the store what one of 16 does, and not much less than one of these.
constexpr size_t kMaxMergedBytes = 4096;

}  // namespace

void DomainEdit::Begin(Partition& partition, DomainId domain) {
  partition_ = &partition;
  domain_ = domain;
  partition.index.Read(domain, &head_);
  changed_ = false;
  cells_.clear();
}

void DomainEdit::Add(const ScheduledRequest& request, WallTime now) {
  encoded_.clear();
  EncodeRequest(request, &encoded_);
  AddEncoded(encoded_, BandOf(request.score), request.not_before, now);
}

void DomainEdit::AddEncoded(std::string_view encoded, int band, WallTime not_before, WallTime now) {
  if (not_before <= now) {
    ChunkWriter& writer = writers_[band];
    if (!writer.Fits(encoded.size())) full_[band].push_back(writer.Finish());
    writer.Add(encoded);
    ++head_.bands[band].waiting;
    return;
  }
  DelayedBucket& bucket = head_.BucketFor(not_before, now, partition_->versions.owner());
  ++bucket.waiting;
  auto found = std::find_if(delayed_.begin(), delayed_.end(), [&](const DelayedWriter& delayed) {
    return delayed.bucket_id == bucket.id;
  });
  if (found == delayed_.end()) {
    found = delayed_.insert(delayed_.end(),
                            DelayedWriter{.bucket_id = bucket.id, .writer = {}, .full = {}});
  }
  if (!found->writer.Fits(encoded.size())) found->full.push_back(found->writer.Finish());
  found->writer.Add(encoded);
}

std::vector<Chunk> DomainEdit::RemoveAdded() {
  std::vector<Chunk> removed;
  const auto take = [&removed](std::vector<Chunk>& full, ChunkWriter& writer, uint64_t* waiting) {
    const size_t first = removed.size();
    for (Chunk& chunk : full) removed.push_back(std::move(chunk));
    full.clear();
    if (writer.size() > 0) removed.push_back(writer.Finish());
    for (size_t i = first; i < removed.size(); ++i) *waiting -= removed[i].size();
  };
  for (int band = 0; band < kBands; ++band) {
    take(full_[band], writers_[band], &head_.bands[band].waiting);
  }
  for (DelayedWriter& delayed : delayed_) {
    take(delayed.full, delayed.writer, &FindBucket(delayed.bucket_id).waiting);
  }
  delayed_.clear();
  std::erase_if(head_.delayed,
                [](const DelayedBucket& bucket) { return bucket.first == bucket.next; });
  return removed;
}

DelayedBucket& DomainEdit::FindBucket(uint32_t id) {
  const auto bucket = std::find_if(head_.delayed.begin(), head_.delayed.end(),
                                   [id](const DelayedBucket& known) { return known.id == id; });
  CHECK(bucket != head_.delayed.end());
  return *bucket;
}

void DomainEdit::Purge() {
  for (int band = 0; band < kBands; ++band) {
    full_[band].clear();
    if (writers_[band].size() > 0) writers_[band].Finish();
  }
  delayed_.clear();
  head_.Purge();
}

void DomainEdit::Finish(ChunkCache& cache, WallTime now) {
  const bool was_empty = head_.waiting_since == WallTime();
  for (DelayedWriter& delayed : delayed_) FinishDelayedChunks(delayed);
  delayed_.clear();
  for (int band = 0; band < kBands; ++band) {
    if (writers_[band].size() == 0) continue;
    if (full_[band].empty()) MergeOnlyChunk(band, cache);
    FinishBandChunk(band, cache);
  }
  if (head_.empty()) {
    head_.waiting_since = WallTime();
  } else if (was_empty) {
    head_.waiting_since = now;
  }
}

void DomainEdit::MergeOnlyChunk(int band_number, ChunkCache& cache) {
  Band& band = head_.bands[band_number];
  if (band.next - band.first != 1) return;
  const ChunkKey key = partition_->KeyOf(domain_, band_number, band.first);
  const std::shared_ptr<const Chunk> old = cache.Find(key);
  ChunkWriter& writer = writers_[band_number];
  if (old == nullptr || old->size() - band.index + writer.size() > kMaxChunkRequests ||
      old->bytes().size() + writer.bytes() > kMaxMergedBytes) {
    return;
  }
  const Chunk added = writer.Finish();
  for (uint32_t i = band.index; i < old->size(); ++i) {
    if (old->Waits(i, head_.applied)) writer.Add((*old)[i]);
  }
  for (uint32_t i = 0; i < added.size(); ++i) writer.Add(added[i]);
  cache.Erase(key);
  band.first = band.next;
  band.index = 0;
}

void DomainEdit::FinishBandChunk(int band_number, ChunkCache& cache) {
  Band& band = head_.bands[band_number];
  const auto append = [&](Chunk finished) {
    auto chunk = std::make_shared<const Chunk>(std::move(finished));
    const uint64_t number = band.next;
    band.Append(chunk->size(), partition_->versions.owner());
    cache.Insert(partition_->KeyOf(domain_, band_number, number), chunk);
    cells_.push_back({BandColumn(head_, band_number, number), std::move(chunk)});
  };
  for (Chunk& chunk : full_[band_number]) append(std::move(chunk));
  full_[band_number].clear();
  append(writers_[band_number].Finish());
}

void DomainEdit::FinishDelayedChunks(DelayedWriter& delayed) {
  DelayedBucket& bucket = FindBucket(delayed.bucket_id);
  const auto number = [&](Chunk finished) {
    cells_.push_back(
        {DelayedColumn(bucket, bucket.next), std::make_shared<const Chunk>(std::move(finished))});
    ++bucket.next;
  };
  for (Chunk& chunk : delayed.full) number(std::move(chunk));
  number(delayed.writer.Finish());
}

}  // namespace orbweaver
