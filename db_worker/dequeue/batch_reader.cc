#include "db_worker/dequeue/batch_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"

namespace orbweaver {
namespace {

// Of one band of one domain in one call, should they be small.
constexpr uint64_t kMaxChunksAhead = 16;
// Of one band of one domain in one batch: all others wait for it.
constexpr uint32_t kMaxEmptyChunks = 256;

}  // namespace

void BatchReader::Begin(std::vector<LeavingDomain>* domains) {
  cursors_.clear();
  read_.clear();
  kept_.clear();
  for (LeavingDomain& domain : *domains) {
    for (int band = 0; band < kBands; ++band) {
      const uint32_t count = domain.chosen.take[band];
      if (count == 0) continue;
      const Band& queued = domain.chosen.head.bands[band];
      cursors_.push_back({&domain, band, count, queued.first, queued.index});
    }
  }
}

absl::Status BatchReader::Read() {
  while (!cursors_.empty()) {
    std::erase_if(cursors_, [this](Cursor& cursor) {
      if (!TakeCached(cursor)) return false;
      Finish(cursor);
      return true;
    });
    if (cursors_.empty()) break;
    RETURN_IF_ERROR(Fetch(cursors_));
    if (parts_.IsDue()) break;
  }
  return absl::OkStatus();
}

bool BatchReader::TakeCached(Cursor& cursor) {
  const LeavingDomain& domain = *cursor.domain;
  const Band& band = domain.chosen.head.bands[cursor.band];
  while (cursor.left > 0 && cursor.chunk < band.next && cursor.empty_chunks < kMaxEmptyChunks) {
    const ChunkKey key = domain.partition->KeyOf(domain.chosen.id, cursor.band, cursor.chunk);
    std::shared_ptr<const Chunk> chunk;
    const auto found = read_.find(key);
    if (found != read_.end()) {
      chunk = found->second;
    } else {
      chunk = parts_.chunks.Find(key);
      if (chunk == nullptr) return false;
    }
    const uint32_t size = chunk == nullptr ? 0 : chunk->size();
    const uint32_t left_before = cursor.left;
    for (; cursor.left > 0 && cursor.index < size; ++cursor.index) {
      const std::string_view encoded = (*chunk)[cursor.index];
      if (!chunk->Waits(cursor.index, domain.chosen.head.applied)) continue;
      cursor.domain->requests.push_back(
          {encoded, cursor.chunk, cursor.index, static_cast<uint8_t>(cursor.band)});
      --cursor.left;
    }
    const bool gave_none = cursor.left == left_before;
    if (!gave_none) kept_.push_back(std::move(chunk));
    if (cursor.index < size) break;
    if (gave_none) ++cursor.empty_chunks;
    if (found != read_.end()) read_.erase(found);
    parts_.chunks.Erase(key);
    ++cursor.chunk;
    cursor.index = 0;
  }
  return true;
}

void BatchReader::Finish(const Cursor& cursor) {
  Band& band = cursor.domain->chosen.head.bands[cursor.band];
  const uint64_t left = cursor.domain->chosen.take[cursor.band] - cursor.left;
  band.waiting -= std::min(band.waiting, left);
  band.MoveTo(cursor.chunk, cursor.index);
}

absl::Status BatchReader::Fetch(std::span<const Cursor> cursors) {
  struct Wanted {
    const Cursor* cursor;
    uint64_t end;  // chunks [cursor->chunk, end)
  };
  std::vector<Wanted> wanted;
  std::vector<std::string> names;
  for (const Cursor& cursor : cursors) {
    const Head& head = cursor.domain->chosen.head;
    const Band& band = head.bands[cursor.band];
    // As many chunks as should hold what is wanted.
    const uint64_t chunks = band.next - cursor.chunk;
    const uint64_t in_each = std::max<uint64_t>(1, band.waiting / chunks);
    const uint64_t count =
        std::min({chunks, kMaxChunksAhead, 1 + (cursor.left + cursor.index) / in_each});
    wanted.push_back({&cursor, cursor.chunk + count});
    for (uint64_t n = 0; n < count; ++n) {
      names.push_back(BandColumn(head, cursor.band, cursor.chunk + n));
    }
  }
  const std::vector<std::string_view> columns(names.begin(), names.end());
  std::vector<std::string> rows_wanted;
  rows_wanted.reserve(wanted.size());  // the gets point into it
  std::vector<RowGet> gets;
  size_t first = 0;
  for (const Wanted& want : wanted) {
    const LeavingDomain& domain = *want.cursor->domain;
    rows_wanted.push_back(DomainRow(domain.partition->index.DomainOf(domain.chosen.id)));
    const size_t count = want.end - want.cursor->chunk;
    gets.push_back({rows_wanted.back(), {columns.data() + first, count}});
    first += count;
    if (gets.size() == kMaxRowsPerGet) break;
  }
  Rows rows;
  RETURN_IF_ERROR(Annotate(parts_.store.MultiGet(Table::kQueue, gets, parts_.timeout(), &rows),
                           "read chunks of the queue"));
  parts_.metrics.chunks_read.Increment(columns.size());
  for (size_t i = 0; i < gets.size(); ++i) {
    if (rows[i].size() == gets[i].columns.size()) continue;
    RETURN_IF_ERROR(CheckOwnerOf(parts_, *wanted[i].cursor->domain->partition));
  }
  for (size_t i = 0; i < gets.size(); ++i) {
    const Cursor& cursor = *wanted[i].cursor;
    const LeavingDomain& domain = *cursor.domain;
    for (size_t c = 0; c < gets[i].columns.size(); ++c) {
      const std::string_view column = gets[i].columns[c];
      const ChunkKey key = domain.partition->KeyOf(domain.chosen.id, cursor.band, cursor.chunk + c);
      const Cell* const cell = rows.Find(i, column);
      auto chunk = cell == nullptr ? absl::StatusOr<Chunk>(PoisonError("the chunk is missing"))
                                   : Chunk::Parse(std::string(cell->value));
      if (!chunk.ok()) {
        ReportDamage(parts_, *domain.partition, domain.chosen.id, column,
                     cell == nullptr ? std::string_view() : cell->value, chunk.status());
        read_[key] = nullptr;
        continue;
      }
      auto shared = std::make_shared<const Chunk>(*std::move(chunk));
      parts_.chunks.Insert(key, shared);
      read_[key] = std::move(shared);
    }
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
