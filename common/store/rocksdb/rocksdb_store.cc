#include "common/store/rocksdb/rocksdb_store.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "rocksdb/db.h"

#include "common/base/status.h"
#include "common/store/rocksdb/row_key.h"
#include "common/store/rocksdb/versioned_value.h"

namespace orbweaver {
namespace {

// RocksDB copies a batch several times on its way: larger calls are committed in portions.
constexpr size_t kBatchBytes = size_t{32} << 20;
// The approximate overhead of a cell in a batch, besides its row, column and value.
constexpr size_t kAroundCell = 24;
// A scan lets go of its view this often, so that a long one does not pin what was flushed since.
constexpr uint64_t kRowsPerPortion = 10'000;
// A scan for columns goes on to the next row by so many steps at most, which cost a fifth of a
// seek: through other cells whose values are not larger, and not more erased ones.
constexpr int kMostSteps = 2;
constexpr size_t kMostSteppedBytes = 2048;
constexpr uint64_t kMostErased = 16;
// Steps that do not reach the next row are lost. This many more that do must make up for them.
constexpr int kStepsForALoss = 4;
constexpr int kMostCredit = 4 * kStepsForALoss;

std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }
rocksdb::Slice ToSlice(std::string_view view) { return {view.data(), view.size()}; }

absl::Status CorruptCell(const Database& database) {
  return database.ToStatus(rocksdb::Status::Corruption("a cell is not as it was written"), "read");
}

rocksdb::ReadOptions ReadsOfScan(bool may_step) {
  rocksdb::ReadOptions read;
  read.total_order_seek = true;
  read.fill_cache = false;
  if (may_step) read.max_skippable_internal_keys = kMostErased;
  return read;
}

// Whether the iterator stands in the row of this prefix.
bool IsIn(std::string_view prefix, const rocksdb::Iterator& cells) {
  return cells.Valid() && cells.key().starts_with(ToSlice(prefix));
}

// Steps towards the next row. False when it is not reached, and a seek has to go on from there.
bool StepOut(std::string_view prefix, rocksdb::Iterator& cells) {
  for (int steps = 0; steps < kMostSteps && IsIn(prefix, cells); ++steps) {
    cells.Next();
    if (IsIn(prefix, cells) && cells.value().size() > kMostSteppedBytes) break;
  }
  return !IsIn(prefix, cells);
}

// Entries are gets or puts; those of one row stay in their order.
template <typename Entry>
void SortByRow(std::span<const Entry> entries, std::vector<uint32_t>* order) {
  std::sort(order->begin(), order->end(), [&](uint32_t a, uint32_t b) {
    const int compared = entries[a].row.compare(entries[b].row);
    return compared < 0 || (compared == 0 && a < b);
  });
}

absl::Status AddPut(const Database& database, Table table, const RowPut& put, std::string* key,
                    PackedValue* packed, rocksdb::WriteBatch* batch) {
  key->clear();
  AppendRowPrefix(put.row, key);
  const size_t prefix = key->size();
  for (const CellPut& cell : put.cells) {
    key->resize(prefix);
    key->append(cell.column);
    const rocksdb::Slice key_part(*key);
    packed->Pack(put.version, cell.value);
    const rocksdb::Slice value_parts[] = {ToSlice(packed->version()), ToSlice(packed->value())};
    RETURN_IF_ERROR(database.ToStatus(
        batch->Merge(database.table(table), {&key_part, 1}, {value_parts, 2}), "write"));
  }
  return absl::OkStatus();
}

// The keys of a call, one after the other in one string.
class Keys {
 public:
  void Add(std::string_view row, std::string_view column) {
    AppendRowPrefix(row, &bytes_);
    bytes_.append(column);
    ends_.push_back(bytes_.size());
  }
  size_t size() const { return ends_.size(); }
  void Clear() {
    bytes_.clear();
    ends_.clear();
  }
  std::vector<rocksdb::Slice> Slices() const {
    std::vector<rocksdb::Slice> slices;
    slices.reserve(ends_.size());
    size_t begin = 0;
    for (const size_t end : ends_) {
      slices.emplace_back(bytes_.data() + begin, end - begin);
      begin = end;
    }
    return slices;
  }

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

// The results of point reads of `keys` at one instant; a status each. The keys are sorted here,
// since RocksDB's own sort counts every comparison.
class PointReads {
 public:
  // `fill_cache`: whether somebody may want the blocks again.
  PointReads(Database& database, Table table, const Keys& keys, bool fill_cache)
      : values_(keys.size()), statuses_(keys.size()), places_(keys.size()) {
    if (keys.size() == 0) return;
    const std::vector<rocksdb::Slice> slices = keys.Slices();
    std::vector<uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return View(slices[a]) < View(slices[b]); });
    std::vector<rocksdb::Slice> sorted(keys.size());
    for (uint32_t place = 0; place < order.size(); ++place) {
      sorted[place] = slices[order[place]];
      places_[order[place]] = place;
    }
    rocksdb::ReadOptions read;
    read.fill_cache = fill_cache;
    database.db().MultiGet(read, database.table(table), sorted.size(), sorted.data(),
                           values_.data(), statuses_.data(), /*sorted_input=*/true);
  }
  const rocksdb::Status& status(size_t key) const { return statuses_[places_[key]]; }
  std::string_view value(size_t key) const { return View(values_[places_[key]]); }

 private:
  std::vector<rocksdb::PinnableSlice> values_;
  std::vector<rocksdb::Status> statuses_;
  std::vector<uint32_t> places_;  // by key: its index in the two above
};

// Reads whole rows: RocksDB skips each file whose row bloom says no, and stops at the row's end
// even before tombstones.
std::unique_ptr<rocksdb::Iterator> NewRowIterator(Database& database, Table table) {
  rocksdb::ReadOptions read;
  read.prefix_same_as_start = true;
  return std::unique_ptr<rocksdb::Iterator>(database.db().NewIterator(read, database.table(table)));
}

// The whole rows among a call's gets. They are read in the order of the table, which finds each
// file and block open that the row before has used, and handed out in the order of the call.
class WholeRows {
 public:
  static absl::StatusOr<std::shared_ptr<const WholeRows>> Read(Database& database, Table table,
                                                               std::span<const RowGet> gets) {
    auto read = std::make_shared<WholeRows>();
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < gets.size(); ++i) {
      if (gets[i].columns.empty()) order.push_back(i);
    }
    if (order.empty()) return read;
    SortByRow(gets, &order);
    read->places_.resize(gets.size());
    const std::unique_ptr<rocksdb::Iterator> cells = NewRowIterator(database, table);
    std::string prefix;
    for (const uint32_t i : order) {
      prefix.clear();
      AppendRowPrefix(gets[i].row, &prefix);
      for (cells->Seek(prefix); cells->Valid(); cells->Next()) {
        const std::string_view column = View(cells->key()).substr(prefix.size());
        if (!AddStored(column, View(cells->value()), &read->rows_)) return CorruptCell(database);
      }
      if (!cells->status().ok()) return database.ToStatus(cells->status(), "read");
      read->rows_.EndRow();
      read->places_[i] = static_cast<uint32_t>(read->rows_.size());
    }
    return read;
  }

  // Of the get at `index` of the call; none when it is not for a whole row.
  std::span<const Cell> Cells(size_t index) const {
    if (places_.empty() || places_[index] == 0) return {};
    return rows_[places_[index] - 1];
  }

 private:
  Rows rows_;
  std::vector<uint32_t> places_;  // by get: one more than its row's index in rows_, or 0
};

}  // namespace

absl::Status RocksdbStore::MultiGet(Table table, std::span<const RowGet> gets, Duration,
                                    Rows* rows) {
  rows->Clear();
  RETURN_IF_ERROR(CheckGets(gets));
  Keys keys;
  for (const RowGet& get : gets) {
    for (const std::string_view column : get.columns) keys.Add(get.row, column);
  }
  const PointReads points(database_, table, keys, /*fill_cache=*/true);
  ASSIGN_OR_RETURN(const std::shared_ptr<const WholeRows> whole,
                   WholeRows::Read(database_, table, gets));
  size_t point = 0;
  absl::Status failed;
  for (size_t i = 0; i < gets.size(); ++i) {
    for (const std::string_view column : gets[i].columns) {
      const rocksdb::Status& status = points.status(point);
      const std::string_view stored = points.value(point);
      ++point;
      if (status.IsNotFound()) continue;
      if (!status.ok()) {
        failed.Update(database_.ToStatus(status, "read"));
      } else if (!AddStored(column, stored, rows)) {
        failed.Update(CorruptCell(database_));
      }
    }
    for (const Cell& cell : whole->Cells(i)) {
      rows->AddCellView(cell.column, cell.value, cell.version);
    }
    rows->EndRow();
  }
  rows->Keep(whole);
  if (!failed.ok()) rows->Clear();
  return failed;
}

absl::Status RocksdbStore::Write(Table table, std::span<const RowPut> puts, Duration timeout,
                                 std::vector<uint32_t>* remaining) {
  remaining->clear();
  uint32_t durable = 0;  // puts before this one are
  const auto fail = [&](const absl::Status& status) {
    remaining->resize(puts.size() - durable);
    std::iota(remaining->begin(), remaining->end(), durable);
    return status;
  };
  if (const absl::Status fits = CheckPuts(puts); !fits.ok()) return fail(fits);

  const SteadyTime deadline = SystemClock().Now() + timeout;
  std::vector<uint32_t> portion;  // of `puts`, written as one batch
  std::string key;
  PackedValue packed;
  while (durable < puts.size()) {
    portion.clear();
    size_t bytes = 0;
    while (bytes < kBatchBytes && durable + portion.size() < puts.size()) {
      const auto i = static_cast<uint32_t>(durable + portion.size());
      for (const CellPut& cell : puts[i].cells) {
        bytes += puts[i].row.size() + cell.column.size() + cell.value.size() + kAroundCell;
      }
      portion.push_back(i);
    }
    // In the order of the memtable each insert begins where the one before it ended, which spares
    // most of the key comparisons. Puts of one row stay in the order of the call.
    SortByRow(puts, &portion);
    rocksdb::WriteBatch batch(bytes);
    for (const uint32_t i : portion) {
      const absl::Status added = AddPut(database_, table, puts[i], &key, &packed, &batch);
      if (!added.ok()) return fail(added);
    }
    const absl::Status written = database_.WhenWritable(deadline - SystemClock().Now(), [&] {
      const absl::ReaderMutexLock lock(&erase_mutex_);
      return database_.Write(&batch, "write");
    });
    if (!written.ok()) return fail(written);
    durable += static_cast<uint32_t>(portion.size());
  }
  return absl::OkStatus();
}

absl::Status RocksdbStore::Erase(Table table, std::span<const RowErase> erases, Duration timeout) {
  RETURN_IF_ERROR(CheckErases(erases));
  return database_.WhenWritable(timeout, [&] { return LookAndDelete(table, erases); });
}

absl::Status RocksdbStore::LookAndDelete(Table table, std::span<const RowErase> erases) {
  const absl::MutexLock lock(&erase_mutex_);
  Keys keys;
  for (const RowErase& erase : erases) {
    for (const std::string_view column : erase.columns) keys.Add(erase.row, column);
  }
  const PointReads points(database_, table, keys, /*fill_cache=*/false);
  const std::vector<rocksdb::Slice> slices = keys.Slices();
  size_t point = 0;

  std::unique_ptr<rocksdb::Iterator> cells;
  std::string prefix;
  rocksdb::WriteBatch batch;
  const auto erase_if = [&](const rocksdb::Slice& key, std::string_view stored,
                            Version version) -> absl::Status {
    if (stored.size() < kVersionBytes) return CorruptCell(database_);
    if (VersionOf(stored) > version) return absl::OkStatus();
    return database_.ToStatus(batch.Delete(database_.table(table), key), "erase");
  };
  for (const RowErase& erase : erases) {
    for (size_t i = 0; i < erase.columns.size(); ++i, ++point) {
      const rocksdb::Status& status = points.status(point);
      if (status.IsNotFound()) continue;
      if (!status.ok()) return database_.ToStatus(status, "erase");
      RETURN_IF_ERROR(erase_if(slices[point], points.value(point), erase.version));
    }
    if (erase.columns.empty()) {
      if (cells == nullptr) cells = NewRowIterator(database_, table);
      prefix.clear();
      AppendRowPrefix(erase.row, &prefix);
      for (cells->Seek(prefix); cells->Valid(); cells->Next()) {
        RETURN_IF_ERROR(erase_if(cells->key(), View(cells->value()), erase.version));
      }
      if (!cells->status().ok()) return database_.ToStatus(cells->status(), "erase");
    }
  }
  return batch.Count() == 0 ? absl::OkStatus() : database_.Write(&batch, "erase");
}

absl::Status RocksdbStore::Scan(Table table, const ScanRange& range, Duration, Visitor visitor) {
  RETURN_IF_ERROR(CheckScan(range));
  std::vector<std::string_view> columns(range.columns.begin(), range.columns.end());
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  std::string from;
  AppendRowPrefix(range.begin, &from);
  uint64_t visited = 0;
  bool may_step = !columns.empty();
  while (!from.empty()) {
    RETURN_IF_ERROR(ScanPortion(table, range, columns, visitor, &from, &visited, &may_step));
  }
  return absl::OkStatus();
}

absl::Status RocksdbStore::ScanPortion(Table table, const ScanRange& range,
                                       std::span<const std::string_view> columns, Visitor visitor,
                                       std::string* from, uint64_t* visited, bool* may_step) {
  std::string end;
  if (!range.end.empty()) AppendRowPrefix(range.end, &end);
  const rocksdb::Slice bound(end);
  rocksdb::ReadOptions read = ReadsOfScan(*may_step);
  if (!end.empty()) read.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> cells(
      database_.db().NewIterator(read, database_.table(table)));

  std::string key;
  std::string row;
  Rows found;
  int credit = kMostCredit;
  cells->Seek(*from);
  for (uint64_t rows = 0; cells->Valid() && credit > 0 && rows < kRowsPerPortion; ++rows) {
    *from = View(cells->key()).substr(0, RowPrefixBytes(View(cells->key())));
    if (from->empty())
      return database_.ToStatus(rocksdb::Status::Corruption("a key has no row"), "scan");
    const auto in_row = [&] { return IsIn(*from, *cells); };
    const auto take = [&] {
      return AddStored(View(cells->key()).substr(from->size()), View(cells->value()), &found);
    };
    found.Clear();
    if (columns.empty()) {
      for (; in_row(); cells->Next()) {
        if (!take()) return CorruptCell(database_);
      }
    }
    for (const std::string_view column : columns) {
      // Cells between the wanted columns, live or erased, are jumped over and not walked through.
      key.assign(*from).append(column);
      if (in_row() && View(cells->key()) < key) cells->Seek(key);
      if (!in_row()) break;
      if (View(cells->key()) == key && !take()) return CorruptCell(database_);
    }
    // This row is read again, without steps.
    if (cells->status().IsIncomplete()) break;
    found.EndRow();
    const bool wanted = !found[0].empty();
    if (wanted) DecodeRowPrefix(*from, &row);
    if (*may_step && in_row()) {
      credit = StepOut(*from, *cells) ? std::min(credit + 1, kMostCredit) : credit - kStepsForALoss;
    }
    const bool in_next_row = !in_row();
    SkipPastRow(from);
    if (wanted) {
      const bool more = visitor(row, found[0]);
      if (!more || ++*visited == range.limit) {
        from->clear();
        return absl::OkStatus();
      }
    }
    if (!in_next_row) cells->Seek(*from);
  }
  const bool is_held_up = cells->status().IsIncomplete();  // by erased cells
  if (!is_held_up && !cells->status().ok()) return database_.ToStatus(cells->status(), "scan");
  if (is_held_up || credit <= 0) {
    *may_step = false;
  } else if (!cells->Valid()) {
    from->clear();
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
