#include "common/store/hbase/hbase_store.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/base/status.h"
#include "common/store/hbase/chunks.h"
#include "hbase_thrift/hbase_types.h"

namespace orbweaver {
namespace {

// However badly gets end, so many rows at once are tried.
constexpr size_t kFewRows = 8;

constexpr int kFirstPortionRows = 16;
constexpr int kMaxPortionRows = 2000;
// How much larger a portion may be than the one before: rows may be larger further on.
constexpr int kMaxPortionGrowth = 8;

SteadyTime DeadlineIn(Duration timeout) {
  const SteadyTime now = SystemClock().Now();
  return timeout > SteadyTime::max() - now ? SteadyTime::max() : now + timeout;
}

// Prefers a status that the caller cannot retry.
absl::Status WorstOf(const std::vector<absl::Status>& statuses) {
  absl::Status worst;
  for (const absl::Status& status : statuses) {
    if (worst.ok() || (IsRetry(worst) && !status.ok() && !IsRetry(status))) worst = status;
  }
  return worst;
}

size_t BytesOf(const Results& results) {
  size_t bytes = 0;
  for (const auto& result : results) {
    bytes += result.row.size();
    for (const auto& cell : result.columnValues) bytes += cell.qualifier.size() + cell.value.size();
  }
  return bytes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HBaseStore>> HBaseStore::Create(const HBaseOptions& options) {
  ASSIGN_OR_RETURN(auto caller, ThriftCaller::Create(options));
  return std::unique_ptr<HBaseStore>(new HBaseStore(options, std::move(caller)));
}

HBaseStore::HBaseStore(const HBaseOptions& options, std::unique_ptr<ThriftCaller> caller)
    : options_(options),
      caller_(std::move(caller)),
      calls_(*caller_, options.table_prefix),
      parallel_(options.parallel_calls - 1) {}

size_t HBaseStore::RowsPerGet(Table table) const {
  return std::min(estimates_[static_cast<size_t>(table)].RowsIn(options_.bytes_per_call),
                  static_cast<size_t>(options_.rows_per_call));
}

void HBaseStore::LearnFailure(Table table, size_t rows) {
  if (rows <= kFewRows) return;
  estimates_[static_cast<size_t>(table)].ExpectAtLeast(options_.bytes_per_call /
                                                       std::max(kFewRows, rows / 2));
}

absl::Status HBaseStore::MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                                  Rows* rows) {
  rows->Clear();
  RETURN_IF_ERROR(CheckGets(gets));
  const SteadyTime deadline = DeadlineIn(timeout);
  const auto chunks = SplitEvenly(gets.size(), RowsPerGet(table));
  std::vector<absl::Status> statuses(chunks.size());
  std::vector<std::vector<std::shared_ptr<const Results>>> results(chunks.size());
  parallel_.Run(chunks.size(), [&](size_t i) {
    const RowChunk chunk = chunks[i];
    statuses[i] = calls_.Get(table, gets.subspan(chunk.begin, chunk.end - chunk.begin), deadline,
                             &results[i]);
  });
  absl::Status status = WorstOf(statuses);
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (IsRetry(statuses[i])) LearnFailure(table, chunks[i].end - chunks[i].begin);
    for (const auto& part : results[i]) {
      estimates_[static_cast<size_t>(table)].Learn(part->size(), BytesOf(*part));
      rows->Keep(part);
      for (const auto& result : *part) {
        if (status.ok()) status = RowCalls::AppendRow(result, rows);
      }
    }
  }
  if (!status.ok()) rows->Clear();
  return status;
}

absl::Status HBaseStore::Write(Table table, std::span<const RowPut> puts, Duration timeout,
                               std::vector<uint32_t>* remaining) {
  remaining->clear();
  const auto remain = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) remaining->push_back(static_cast<uint32_t>(i));
  };
  if (absl::Status status = CheckPuts(puts); !status.ok()) {
    remain(0, puts.size());
    return status;
  }
  const SteadyTime deadline = DeadlineIn(timeout);
  const auto waves = SplitPuts(puts, {.max_rows = static_cast<size_t>(options_.rows_per_call),
                                      .max_bytes = options_.bytes_per_call});
  for (const Wave& wave : waves) {
    std::vector<absl::Status> statuses(wave.size());
    parallel_.Run(wave.size(), [&](size_t i) {
      statuses[i] =
          calls_.Put(table, puts.subspan(wave[i].begin, wave[i].end - wave[i].begin), deadline);
    });
    const absl::Status status = WorstOf(statuses);
    if (status.ok()) continue;
    for (size_t i = 0; i < wave.size(); ++i) {
      if (!statuses[i].ok()) remain(wave[i].begin, wave[i].end);
    }
    remain(wave.back().end, puts.size());  // the waves that were not begun
    return status;
  }
  return absl::OkStatus();
}

absl::Status HBaseStore::Erase(Table table, std::span<const RowErase> erases, Duration timeout) {
  RETURN_IF_ERROR(CheckErases(erases));
  const SteadyTime deadline = DeadlineIn(timeout);
  const auto chunks = SplitEvenly(erases.size(), static_cast<size_t>(options_.rows_per_call));
  std::vector<absl::Status> statuses(chunks.size());
  parallel_.Run(chunks.size(), [&](size_t i) {
    statuses[i] = calls_.Erase(
        table, erases.subspan(chunks[i].begin, chunks[i].end - chunks[i].begin), deadline);
  });
  return WorstOf(statuses);
}

absl::Status HBaseStore::Scan(Table table, const ScanRange& range, Duration timeout,
                              Visitor visitor) {
  RETURN_IF_ERROR(CheckScan(range));
  std::string begin(range.begin);
  uint64_t left = range.limit == 0 ? UINT64_MAX : range.limit;
  int portion = kFirstPortionRows;
  while (left > 0 && (range.end.empty() || begin < range.end)) {
    const int wanted = static_cast<int>(std::min<uint64_t>(left, static_cast<uint64_t>(portion)));
    Results results;
    const absl::Status status =
        calls_.ScanPortion(table, {.begin = begin, .end = range.end, .columns = range.columns},
                           wanted, DeadlineIn(timeout), &results);
    if (status.code() == absl::StatusCode::kOutOfRange && wanted > 1) {
      portion = wanted / 2;
      continue;
    }
    RETURN_IF_ERROR(status);
    Rows cells;
    for (const auto& result : results) {
      cells.Clear();
      RETURN_IF_ERROR(RowCalls::AppendRow(result, &cells));
      if (!visitor(RowCalls::RowOf(result), cells[0])) return absl::OkStatus();
    }
    if (results.size() < static_cast<size_t>(wanted)) return absl::OkStatus();
    left -= results.size();
    // The smallest row after the last one seen.
    begin = RowCalls::RowOf(results.back());
    begin.push_back('\0');
    const size_t row_bytes = BytesOf(results) / results.size() + 1;
    const size_t fitting = std::max<size_t>(1, options_.scan_portion_bytes / row_bytes);
    portion = static_cast<int>(std::min({fitting, static_cast<size_t>(wanted) * kMaxPortionGrowth,
                                         static_cast<size_t>(kMaxPortionRows)}));
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
