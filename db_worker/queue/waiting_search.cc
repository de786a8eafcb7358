#include "db_worker/queue/waiting_search.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// At most 64 KB each; some 10 KB where requests are as usual.
constexpr size_t kChunksPerCall = 256;

// Counts come from the store, occurrences from the chunks; should they ever disagree, zero is the
// floor.
void Decrement(uint64_t* count) {
  if (*count > 0) --*count;
}

}  // namespace

void WaitingSearch::Begin(const DomainEdit& edit, const Sought& urls) {
  partition_ = &edit.partition();
  domain_ = edit.domain();
  head_ = edit.head();
  for (const auto& [url, good_enough] : urls) urls_[url] = {.good_enough = good_enough};
  open_ = urls_.size();
  for (int band = 0; band < kBands; ++band) {
    const Band& queued = head_.bands[band];
    if (queued.empty()) continue;
    ranges_.push_back({.band = band,
                       .bucket = {},
                       .index = queued.index,
                       .first = queued.first,
                       .next = queued.first,
                       .end = queued.next});
  }
  for (const DelayedBucket& bucket : head_.delayed) {
    ranges_.push_back({.band = kBands,
                       .bucket = bucket,
                       .index = 0,
                       .first = bucket.first,
                       .next = bucket.first,
                       .end = bucket.next});
  }
}

absl::Status WaitingSearch::Advance(const WorkerParts& parts) {
  while (!found()) {
    RETURN_IF_ERROR(ReadPortion(parts));
    if (parts.IsDue()) break;
  }
  return absl::OkStatus();
}

absl::Status WaitingSearch::ReadPortion(const WorkerParts& parts) {
  std::vector<ChunkName> names;
  size_t range = range_;
  uint64_t next = ranges_[range].next;
  while (names.size() < kChunksPerCall && range < ranges_.size()) {
    names.push_back({static_cast<uint32_t>(range), next});
    if (++next < ranges_[range].end) continue;
    ++range;
    if (range < ranges_.size()) next = ranges_[range].next;
  }
  RETURN_IF_ERROR(Read(parts, names, [this](const ChunkName& name, const Chunk& chunk) {
    if (open_ > 0) SearchChunk(name, chunk);
  }));
  range_ = range;
  if (range < ranges_.size()) ranges_[range].next = next;
  return absl::OkStatus();
}

std::string WaitingSearch::ColumnOf(const ChunkName& name) const {
  const Range& range = ranges_[name.range];
  return range.band < kBands ? BandColumn(head_, range.band, name.chunk)
                             : DelayedColumn(range.bucket, static_cast<uint32_t>(name.chunk));
}

ChunkKey WaitingSearch::KeyOf(const ChunkName& name) const {
  return partition_->KeyOf(domain_, ranges_[name.range].band, name.chunk);
}

absl::Status WaitingSearch::Read(const WorkerParts& parts, const std::vector<ChunkName>& names,
                                 const Visitor& visit) const {
  std::vector<std::shared_ptr<const Chunk>> cached(names.size());
  std::vector<std::string> wanted(names.size());
  std::vector<std::string_view> columns;
  for (size_t i = 0; i < names.size(); ++i) {
    if (ranges_[names[i].range].band < kBands) cached[i] = parts.chunks.Find(KeyOf(names[i]));
    if (cached[i] != nullptr) continue;
    wanted[i] = ColumnOf(names[i]);
    columns.push_back(wanted[i]);
  }
  Rows rows;
  if (!columns.empty()) {
    const std::string row = DomainRow(partition_->index.DomainOf(domain_));
    const RowGet get{.row = row, .columns = columns};
    RETURN_IF_ERROR(Annotate(parts.store.MultiGet(Table::kQueue, {&get, 1}, parts.timeout(), &rows),
                             "look for waiting requests"));
    parts.metrics.chunks_read.Increment(columns.size());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (cached[i] != nullptr) {
      visit(names[i], *cached[i]);
      continue;
    }
    // A missing or damaged chunk is reported when it is its turn to leave.
    const Cell* const cell = rows.Find(0, wanted[i]);
    if (cell == nullptr) continue;
    const auto chunk = Chunk::Parse(std::string(cell->value));
    if (chunk.ok()) visit(names[i], *chunk);
  }
  return absl::OkStatus();
}

void WaitingSearch::SearchChunk(const ChunkName& name, const Chunk& chunk) {
  const Range& range = ranges_[name.range];
  for (uint32_t i = name.chunk == range.first ? range.index : 0; i < chunk.size(); ++i) {
    const auto found = urls_.find(EncodedFingerprint(chunk[i]));
    if (found == urls_.end() || !chunk.Waits(i, head_.applied)) continue;
    Url& url = found->second;
    if (range.band <= url.good_enough && url.best > url.good_enough) --open_;
    url.best = std::min(url.best, range.band);
    occurrences_.push_back(
        {.chunk = name.chunk,
         .range = name.range,
         .next = std::exchange(url.first_occurrence, static_cast<uint32_t>(occurrences_.size())),
         .by = kNone,
         .index = static_cast<uint8_t>(i)});
  }
}

std::optional<int> WaitingSearch::BestBand(const Fingerprint& url) const {
  const auto found = urls_.find(url);
  if (found == urls_.end() || found->second.first_occurrence == kNone) return std::nullopt;
  return found->second.best;
}

uint64_t WaitingSearch::TakeOut(const Fingerprint& url, const Watermark& by, Head* head) {
  const auto found = urls_.find(url);
  if (found == urls_.end()) return 0;
  if (messages_.empty() || messages_.back() != by) messages_.push_back(by);
  uint64_t count = 0;
  uint32_t at = std::exchange(found->second.first_occurrence, kNone);
  for (; at != kNone; at = occurrences_[at].next, ++count) {
    Occurrence& occurrence = occurrences_[at];
    occurrence.by = static_cast<uint32_t>(messages_.size() - 1);
    const Range& range = ranges_[occurrence.range];
    if (range.band < kBands) {
      Decrement(&head->bands[range.band].waiting);
      continue;
    }
    const auto bucket =
        std::find_if(head->delayed.begin(), head->delayed.end(),
                     [&](const DelayedBucket& known) { return known.id == range.bucket.id; });
    CHECK(bucket != head->delayed.end());
    Decrement(&bucket->waiting);
  }
  return count;
}

void WaitingSearch::Purge() {
  occurrences_.clear();
  for (auto& [fingerprint, url] : urls_) url.first_occurrence = kNone;
}

absl::Status WaitingSearch::Mark(const WorkerParts& parts) {
  // Each call gets on, also one that comes when the group is due already: whoever gives a partition
  // away calls until all is done.
  do {
    if (marks_.empty()) {
      if (marked()) break;
      RETURN_IF_ERROR(MarkPortion(parts));
    } else {
      RETURN_IF_ERROR(marks_.Write(parts));
    }
  } while (!parts.IsDue());
  return absl::OkStatus();
}

// The head goes along as it is without the messages, so that the domain is claimed.
absl::Status WaitingSearch::MarkPortion(const WorkerParts& parts) {
  std::vector<ChunkName> names;
  std::vector<size_t> first_occurrences;
  size_t at = next_mark_;
  for (; at < occurrences_.size(); ++at) {
    const Occurrence& occurrence = occurrences_[at];
    if (occurrence.by == kNone) continue;
    const bool is_new = names.empty() || names.back().range != occurrence.range ||
                        names.back().chunk != occurrence.chunk;
    if (!is_new) continue;
    if (names.size() == kChunksPerCall) break;
    names.push_back({occurrence.range, occurrence.chunk});
    first_occurrences.push_back(at);
  }
  if (!names.empty()) {
    std::vector<DomainEdit::NewCell> cells;
    size_t name_at = 0;
    RETURN_IF_ERROR(Read(parts, names, [&](const ChunkName& name, const Chunk& chunk) {
      while (names[name_at].range != name.range || names[name_at].chunk != name.chunk) ++name_at;
      cells.push_back({ColumnOf(name), Marked(chunk, first_occurrences[name_at])});
      const bool is_cached =
          ranges_[name.range].band < kBands && parts.chunks.Find(KeyOf(name)) != nullptr;
      if (is_cached) parts.chunks.Insert(KeyOf(name), cells.back().chunk);
    }));
    if (!version_.has_value()) version_ = partition_->NextVersion();
    marks_.Add(*partition_, domain_, *version_, cells);
  }
  next_mark_ = at;
  return absl::OkStatus();
}

std::shared_ptr<const Chunk> WaitingSearch::Marked(const Chunk& chunk,
                                                   size_t first_occurrence) const {
  const Occurrence first = occurrences_[first_occurrence];
  std::vector<Chunk::TakenOut> taken_out;
  for (size_t i = first_occurrence; i < occurrences_.size(); ++i) {
    const Occurrence& occurrence = occurrences_[i];
    if (occurrence.range != first.range || occurrence.chunk != first.chunk) break;
    if (occurrence.by != kNone) taken_out.push_back({occurrence.index, messages_[occurrence.by]});
  }
  // Of others those that count; one that does not is of an owner that was replaced.
  for (const Chunk::TakenOut& known : chunk.taken_out()) {
    if (known.by <= head_.applied) taken_out.push_back(known);
  }
  std::sort(taken_out.begin(), taken_out.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  return std::make_shared<const Chunk>(chunk.WithTakenOut(std::move(taken_out)));
}

}  // namespace orbweaver
