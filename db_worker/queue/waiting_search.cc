#include "db_worker/queue/waiting_search.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// At most 64 KB each.
constexpr size_t kChunksPerPortion = 64;

// Counts come from the store, places from the chunks; should they ever disagree, zero is the floor.
void Decrement(uint64_t* count) {
  if (*count > 0) --*count;
}

}  // namespace

absl::Status WaitingSearch::Find(const WorkerParts& parts, DomainEdit& edit,
                                 const absl::flat_hash_set<Fingerprint>& urls) {
  touched_.clear();
  places_.clear();
  const Head& head = edit.head();
  applied_ = head.applied;
  std::vector<Touched> portion;
  const auto look = [&](Touched candidate, bool last) -> absl::Status {
    if (!candidate.column.empty()) portion.push_back(std::move(candidate));
    if (portion.empty() || (!last && portion.size() < kChunksPerPortion)) return absl::OkStatus();
    RETURN_IF_ERROR(ReadPortion(parts, edit, portion));
    for (Touched& read : portion) {
      if (read.chunk != nullptr) Look(head, urls, std::move(read));
    }
    portion.clear();
    return absl::OkStatus();
  };
  for (int band = 0; band < kBands; ++band) {
    for (uint64_t n = head.bands[band].first; n < head.bands[band].next; ++n) {
      RETURN_IF_ERROR(
          look({.band = band, .number = n, .column = BandColumn(head, band, n)}, false));
    }
  }
  for (const DelayedBucket& bucket : head.delayed) {
    for (uint32_t n = bucket.first; n < bucket.next; ++n) {
      RETURN_IF_ERROR(look(
          {.band = kBands, .number = n, .bucket_id = bucket.id, .column = DelayedColumn(bucket, n)},
          false));
    }
  }
  return look({}, true);
}

absl::Status WaitingSearch::ReadPortion(const WorkerParts& parts, DomainEdit& edit,
                                        std::vector<Touched>& portion) {
  std::vector<std::string_view> columns;
  for (Touched& wanted : portion) {
    if (wanted.band < kBands) {
      wanted.chunk =
          parts.chunks.Find(edit.partition().KeyOf(edit.domain(), wanted.band, wanted.number));
    }
    if (wanted.chunk == nullptr) columns.push_back(wanted.column);
  }
  if (columns.empty()) return absl::OkStatus();
  const std::string row = DomainRow(edit.partition().index.DomainOf(edit.domain()));
  const RowGet get{.row = row, .columns = columns};
  Rows rows;
  RETURN_IF_ERROR(Annotate(parts.store.MultiGet(Table::kQueue, {&get, 1}, parts.timeout(), &rows),
                           "look for waiting requests"));
  parts.metrics.chunks_read.Increment(columns.size());
  for (Touched& wanted : portion) {
    if (wanted.chunk != nullptr) continue;
    // A damaged chunk is reported when it is its turn to leave.
    const Cell* const cell = rows.Find(0, wanted.column);
    if (cell == nullptr) continue;
    auto chunk = Chunk::Parse(std::string(cell->value));
    if (chunk.ok()) wanted.chunk = std::make_shared<const Chunk>(*std::move(chunk));
  }
  return absl::OkStatus();
}

void WaitingSearch::Look(const Head& head, const absl::flat_hash_set<Fingerprint>& urls,
                         Touched&& candidate) {
  const Chunk& chunk = *candidate.chunk;
  uint32_t index = 0;
  if (candidate.band < kBands && candidate.number == head.bands[candidate.band].first) {
    index = head.bands[candidate.band].index;
  }
  bool holds_one = false;
  for (; index < chunk.size(); ++index) {
    if (!chunk.Waits(index, applied_)) continue;
    const Fingerprint url = EncodedFingerprint(chunk[index]);
    if (!urls.contains(url)) continue;
    places_[url].push_back({touched_.size(), index});
    holds_one = true;
  }
  if (!holds_one) return;
  touched_.push_back(std::move(candidate));
}

std::optional<int> WaitingSearch::BestBand(const Fingerprint& url) const {
  const auto found = places_.find(url);
  if (found == places_.end()) return std::nullopt;
  int best = kBands;
  for (const Place& place : found->second) best = std::min(best, touched_[place.chunk].band);
  return best;
}

uint64_t WaitingSearch::TakeOut(const Fingerprint& url, Head* head) {
  const auto found = places_.find(url);
  if (found == places_.end()) return 0;
  for (const Place& place : found->second) {
    Touched& touched = touched_[place.chunk];
    touched.taken_out.push_back(place.index);
    if (touched.band < kBands) {
      Decrement(&head->bands[touched.band].waiting);
      continue;
    }
    const auto bucket =
        std::find_if(head->delayed.begin(), head->delayed.end(),
                     [&](const DelayedBucket& known) { return known.id == touched.bucket_id; });
    CHECK(bucket != head->delayed.end());
    Decrement(&bucket->waiting);
  }
  const uint64_t count = found->second.size();
  places_.erase(found);
  return count;
}

void WaitingSearch::Finish(const Watermark& by, ChunkCache& cache, DomainEdit& edit) {
  for (Touched& touched : touched_) {
    if (touched.taken_out.empty()) continue;
    std::vector<Chunk::TakenOut> taken_out;
    for (const uint32_t place : touched.taken_out) taken_out.push_back({place, by});
    // Of others those that count; one that does not is of an owner that was replaced.
    for (const Chunk::TakenOut& known : touched.chunk->taken_out()) {
      if (known.by <= applied_) taken_out.push_back(known);
    }
    std::sort(taken_out.begin(), taken_out.end(),
              [](const auto& a, const auto& b) { return a.place < b.place; });
    auto chunk = std::make_shared<const Chunk>(touched.chunk->WithTakenOut(std::move(taken_out)));
    if (touched.band < kBands) {
      cache.Insert(edit.partition().KeyOf(edit.domain(), touched.band, touched.number), chunk);
    }
    edit.Replace(std::move(touched.column), std::move(chunk));
  }
}

}  // namespace orbweaver
