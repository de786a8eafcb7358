#include "tests/sim/whole/planted_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/head.h"
#include "strategy_worker/states/block.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/shard.h"

namespace orbweaver::sim {
namespace {

constexpr std::string_view kRecordColumn = "r";

std::string WithoutOutbox(const Cell& cell) {
  DomainRecord record;
  std::string_view states;
  CHECK_OK(DecodeRecordCell(cell.value, &record, &states));
  record.outbox.clear();
  return EncodeDomainRecord(record).append(states);
}

// A block with the entries of all others in its row, so that whichever the record names, none is
// left out.
std::string WithAllBlocks(std::span<const Cell> row, const Cell& block) {
  const auto head = DecodeHead(block.value);
  CHECK_OK(head.status());
  LinkSet links;
  std::vector<std::string_view> blocks{block.value};
  for (const std::string& column : BlockColumns(row)) {
    const auto other =
        std::ranges::find_if(row, [&](const Cell& one) { return one.column == column; });
    if (other->column != block.column) blocks.push_back(other->value);
  }
  for (const std::string_view one : blocks) {
    const auto one_head = DecodeHead(one);
    CHECK_OK(one_head.status());
    CHECK_OK(DecodeEntries(one, one_head->purges, &links));
  }
  std::string bytes;
  if (!head->before.has_value()) {
    EncodeBase(links, head->purges, &bytes);
    return bytes;
  }
  std::vector<ChangedLink> changed;
  links.ForEach([&changed](uint64_t key, const PackedLink&) {
    changed.push_back({.key = key, .word = kLookUp});
  });
  EncodeDelta(links, *head->before, head->purges, changed, &bytes);
  return bytes;
}

// The row's last message is no part of it.
std::string OneMessageBehind(const Cell& cell) {
  Head head;
  CHECK_OK(DecodeHead(cell.value, &head));
  Watermark& applied = head.applied;
  if (applied.part > 0) {
    --applied.part;
  } else if (applied.offset >= Offset(0)) {
    applied.offset = applied.offset + -1;
    applied.part = ~uint32_t{0};
  }
  std::string bytes;
  EncodeHead(head, &bytes);
  return bytes;
}

bool IsHeadAlone(const RowPut& put) {
  return put.cells.size() == 1 && put.cells[0].column == kHeadColumn;
}

}  // namespace

std::string PlantedStore::Seen(Table table, std::span<const Cell> row, const Cell& cell) const {
  const bool is_record = table == Table::kDomains && cell.column == kRecordColumn;
  const bool is_head = table == Table::kQueue && cell.column == kHeadColumn;
  if (fault_ == PlantedFault::kNoOutbox && is_record) return WithoutOutbox(cell);
  if (fault_ == PlantedFault::kWatermarkOffByOne && is_head) return OneMessageBehind(cell);
  if (fault_ == PlantedFault::kNoManifest && table == Table::kDomains &&
      !BlockColumns({&cell, 1}).empty()) {
    return WithAllBlocks(row, cell);
  }
  return std::string(cell.value);
}

absl::Status PlantedStore::MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                                    Rows* rows) {
  RETURN_IF_ERROR(store_.MultiGet(table, gets, timeout, rows));
  Rows seen;
  for (size_t i = 0; i < rows->size(); ++i) {
    for (const Cell& cell : (*rows)[i]) {
      seen.AddCell(cell.column, Seen(table, (*rows)[i], cell), cell.version);
    }
    seen.EndRow();
  }
  *rows = std::move(seen);
  return absl::OkStatus();
}

absl::Status PlantedStore::Scan(Table table, const ScanRange& range, Duration timeout,
                                Visitor visitor) {
  return store_.Scan(table, range, timeout, [&](std::string_view row, std::span<const Cell> cells) {
    Rows seen;
    for (const Cell& cell : cells) {
      seen.AddCell(cell.column, Seen(table, cells, cell), cell.version);
    }
    seen.EndRow();
    return visitor(row, seen[0]);
  });
}

absl::Status PlantedStore::Write(Table table, std::span<const RowPut> puts, Duration timeout,
                                 std::vector<uint32_t>* remaining) {
  if (fault_ == PlantedFault::kCheckpointFirst) {
    return WriteHeadsLast(table, puts, timeout, remaining);
  }
  if (fault_ != PlantedFault::kNoVersions) return store_.Write(table, puts, timeout, remaining);
  std::vector<RowPut> winning(puts.begin(), puts.end());
  for (RowPut& put : winning) {
    Rows rows;
    tables_.Get(table, {.row = put.row, .columns = {}}, &rows);
    for (const CellPut& cell : put.cells) {
      const Cell* const there = rows.Find(0, cell.column);
      if (there != nullptr) put.version = std::max(put.version, there->version);
    }
  }
  return store_.Write(table, winning, timeout, remaining);
}

absl::Status PlantedStore::WriteHeadsLast(Table table, std::span<const RowPut> puts,
                                          Duration timeout, std::vector<uint32_t>* remaining) {
  if (table == Table::kQueue && std::ranges::all_of(puts, IsHeadAlone)) {
    for (const RowPut& put : puts) {
      held_.push_back({.row = std::string(put.row),
                       .version = put.version,
                       .column = std::string(put.cells[0].column),
                       .head = std::string(put.cells[0].value)});
    }
    remaining->clear();
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(store_.Write(table, puts, timeout, remaining));
  if (table != Table::kPartitions) return absl::OkStatus();
  std::vector<CellPut> cells;
  for (const Held& held : held_) cells.push_back({held.column, held.head});
  std::vector<RowPut> heads;
  for (size_t i = 0; i < held_.size(); ++i) {
    heads.push_back({held_[i].row, held_[i].version, {&cells[i], 1}});
  }
  std::vector<uint32_t> heads_left;
  if (store_.Write(Table::kQueue, heads, timeout, &heads_left).ok()) held_.clear();
  return absl::OkStatus();
}

absl::Status PlantedStore::Erase(Table table, std::span<const RowErase> erases, Duration timeout) {
  if (fault_ != PlantedFault::kChunkErasedEarly || table != Table::kQueue) {
    return store_.Erase(table, erases, timeout);
  }
  // A chunk's column is `q`, the band, its number and its writer (db_worker/queue/columns.h): those
  // of the next number go too.
  constexpr size_t kNumberEnd = 2 + sizeof(uint64_t);
  const auto next_prefix = [](std::string_view column) {
    std::string prefix(column.substr(0, kNumberEnd));
    for (size_t i = kNumberEnd; i-- > 2;) {
      if (static_cast<uint8_t>(++prefix[i]) != 0) break;
    }
    return prefix;
  };
  for (const RowErase& erase : erases) {
    Rows rows;
    tables_.Get(table, {.row = erase.row, .columns = {}}, &rows);
    std::set<std::string> columns(erase.columns.begin(), erase.columns.end());
    for (const std::string_view column : erase.columns) {
      if (!column.starts_with('q')) continue;
      for (const Cell& cell : rows[0]) {
        if (cell.column.starts_with(next_prefix(column))) columns.emplace(cell.column);
      }
    }
    const std::vector<std::string_view> all(columns.begin(), columns.end());
    const RowErase more{.row = erase.row, .version = erase.version, .columns = all};
    RETURN_IF_ERROR(store_.Erase(table, {&more, 1}, timeout));
  }
  return absl::OkStatus();
}

}  // namespace orbweaver::sim
