#include "common/store/memory/memory_store.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr size_t kRowsPerPortion = 500;

std::vector<uint32_t> All(size_t count) {
  std::vector<uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

}  // namespace

absl::Status MemoryStore::Begin(std::string_view action, Table table, Duration timeout,
                                Fate* fate) {
  if (options_.process != nullptr && options_.process->dead()) {
    return FatalError("{} {}: the process was killed", action, TableName(table));
  }
  const StoreFaults& faults = options_.faults;
  Duration latency = faults.min_latency;
  {
    absl::MutexLock lock(&mutex_);
    if (faults.max_latency > faults.min_latency) {
      const Duration spread = faults.max_latency - faults.min_latency;
      latency += Duration(random_.Below(static_cast<uint64_t>(spread.count()) + 1));
    }
    const double draw = random_.Unit();
    *fate = draw < faults.unavailable                        ? Fate::kUnavailable
            : draw < faults.unavailable + faults.lost_answer ? Fate::kLostAnswer
                                                             : Fate::kDone;
  }
  if (latency > timeout) {
    *fate = Fate::kLostAnswer;
    latency = timeout;
  }
  Spend(latency);
  if (*fate == Fate::kUnavailable || !tables_.available()) {
    return RetryError("{} {}: the store is not available", action, TableName(table));
  }
  return absl::OkStatus();
}

void MemoryStore::Spend(Duration latency) {
  if (latency <= Duration::zero()) return;
  if (options_.virtual_time != nullptr) {
    options_.virtual_time->Advance(latency);
  } else {
    std::this_thread::sleep_for(latency);
  }
}

absl::Status MemoryStore::LostAnswer(std::string_view action, Table table) const {
  return TimeoutError("{} {}: no answer in time", action, TableName(table));
}

absl::Status MemoryStore::MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                                   Rows* rows) {
  rows->Clear();
  RETURN_IF_ERROR(CheckGets(gets));
  Fate fate;
  RETURN_IF_ERROR(Begin("get", table, timeout, &fate));
  Reach("before get");
  if (fate == Fate::kLostAnswer) return LostAnswer("get", table);
  for (const RowGet& get : gets) tables_.Get(table, get, rows);
  Reach("after get");
  return absl::OkStatus();
}

absl::Status MemoryStore::Write(Table table, std::span<const RowPut> puts, Duration timeout,
                                std::vector<uint32_t>* remaining) {
  *remaining = All(puts.size());
  RETURN_IF_ERROR(CheckPuts(puts));
  Fate fate;
  RETURN_IF_ERROR(Begin("put", table, timeout, &fate));
  const std::vector<uint32_t> order = WriteOrder(puts);
  if (fate == Fate::kLostAnswer) return WriteAndLoseTheAnswer(table, puts, order, remaining);
  Duration left = timeout;
  for (size_t i = 0; i < order.size(); ++i) {
    if (left < Duration::zero()) {
      remaining->assign(order.begin() + static_cast<ptrdiff_t>(i), order.end());
      std::sort(remaining->begin(), remaining->end());
      return LostAnswer("put", table);
    }
    left -= options_.faults.row_time;
    Spend(options_.faults.row_time);
    PutOne(table, puts[order[i]]);
  }
  remaining->clear();
  return absl::OkStatus();
}

void MemoryStore::PutOne(Table table, const RowPut& put) {
  Reach("before put");
  tables_.Put(table, put);
  Reach("after put");
}

std::vector<uint32_t> MemoryStore::WriteOrder(std::span<const RowPut> puts) {
  std::vector<uint32_t> order = All(puts.size());
  if (!options_.faults.shuffle_writes) return order;
  {
    absl::MutexLock lock(&mutex_);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.Below(i)]);
  }
  // The places that a row drew are filled in the order in which its puts were given.
  std::map<std::string_view, std::vector<size_t>> places;
  for (size_t place = 0; place < order.size(); ++place) {
    places[puts[order[place]].row].push_back(place);
  }
  for (auto& [row, row_places] : places) {
    std::vector<uint32_t> indices;
    for (const size_t place : row_places) indices.push_back(order[place]);
    std::sort(indices.begin(), indices.end());
    for (size_t i = 0; i < indices.size(); ++i) order[row_places[i]] = indices[i];
  }
  return order;
}

absl::Status MemoryStore::WriteAndLoseTheAnswer(Table table, std::span<const RowPut> puts,
                                                std::span<const uint32_t> order,
                                                std::vector<uint32_t>* remaining) {
  // A row's puts go from known to unknown to undone and never back: see Store::Write.
  enum Outcome : uint8_t { kKnown, kUnknown, kUndone };
  std::map<std::string_view, Outcome> rows;
  remaining->clear();
  for (const uint32_t index : order) {
    Outcome& outcome = rows.try_emplace(puts[index].row, kKnown).first->second;
    {
      absl::MutexLock lock(&mutex_);
      outcome = std::max(outcome, static_cast<Outcome>(random_.Below(3)));
    }
    if (outcome != kUndone) PutOne(table, puts[index]);
    if (outcome != kKnown) remaining->push_back(index);
  }
  std::sort(remaining->begin(), remaining->end());
  return LostAnswer("put", table);
}

absl::Status MemoryStore::Erase(Table table, std::span<const RowErase> erases, Duration timeout) {
  RETURN_IF_ERROR(CheckErases(erases));
  Fate fate;
  RETURN_IF_ERROR(Begin("erase", table, timeout, &fate));
  Reach("before erase");
  for (const RowErase& erase : erases) {
    if (fate == Fate::kLostAnswer) {
      absl::MutexLock lock(&mutex_);
      if (random_.Chance(0.5)) continue;
    }
    tables_.Erase(table, erase);
  }
  Reach("after erase");
  return fate == Fate::kLostAnswer ? LostAnswer("erase", table) : absl::OkStatus();
}

absl::Status MemoryStore::Scan(Table table, const ScanRange& range, Duration timeout,
                               Visitor visitor) {
  RETURN_IF_ERROR(CheckScan(range));
  Rows rows;
  std::vector<std::string> names;
  std::optional<std::string> next(range.begin);
  ScanRange rest = range;
  uint64_t visited = 0;
  while (next.has_value()) {
    const std::string begin = *next;
    rest.begin = begin;
    Fate fate;
    RETURN_IF_ERROR(Begin("scan", table, timeout, &fate));
    Reach("before scan");
    if (fate == Fate::kLostAnswer) return LostAnswer("scan", table);
    rows.Clear();
    names.clear();
    const uint64_t wanted = range.limit == 0 ? kRowsPerPortion : range.limit - visited;
    tables_.Read(table, rest, std::min<uint64_t>(wanted, kRowsPerPortion), &rows, &names, &next);
    Reach("after scan");
    for (size_t i = 0; i < names.size(); ++i) {
      Spend(options_.faults.row_time);
      // No lock is held: the visitor may call the store.
      if (!visitor(names[i], rows[i])) return absl::OkStatus();
    }
    visited += names.size();
    if (range.limit != 0 && visited == range.limit) return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
