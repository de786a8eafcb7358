#include "tests/contract/store_contract.h"

#include <chrono>
#include <random>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "common/base/big_endian.h"
#include "common/base/check.h"

namespace orbweaver {
namespace {

constexpr char kAfterUnique = '/';

}  // namespace

uint64_t StoreEnv::KillDuring(const Work& work, uint64_t kill_at) {
  absl::Mutex mutex;
  uint64_t acked = 0;
  Store& client = store();
  std::thread worker([&] {
    work(client, [&](uint64_t count) {
      absl::MutexLock lock(&mutex);
      acked = count;
    });
  });
  {
    absl::MutexLock lock(&mutex);
    auto reached = [&] { return acked >= kill_at; };
    CHECK(mutex.AwaitWithTimeout(absl::Condition(&reached), absl::FromChrono(kStorePatience)));
  }
  KillServer();
  StartServer();
  worker.join();
  return acked;
}

StoreContract::StoreContract()
    // Drawn, since real tables keep the rows of earlier runs; no test depends on the value.
    : unique_(SharedWithChild("ROWS", Number(std::random_device()()) + kAfterUnique)),
      env_(GetParam().make()) {}

std::string StoreContract::Row(std::string_view name, uint16_t slot) const {
  std::string row;
  AppendBigEndian(slot, &row);
  return row.append(unique_).append(name);
}

std::string StoreContract::EndOfRows(uint16_t slot) const {
  std::string end = Row("", slot);
  end.back() = kAfterUnique + 1;
  return end;
}

bool StoreContract::IsMine(std::string_view row) const {
  return row.size() >= sizeof(uint16_t) && row.substr(sizeof(uint16_t)).starts_with(unique_);
}

std::string StoreContract::Number(uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(20 - digits.size(), '0') + digits;
}

void StoreContract::Put(std::string_view row, uint64_t version, const Cells& cells, Table table) {
  std::vector<CellPut> cell_puts;
  for (const auto& [column, value] : cells) cell_puts.push_back({column, value});
  const RowPut put{row, Version(version), cell_puts};
  std::vector<uint32_t> remaining;
  EXPECT_OK(store().Write(table, {&put, 1}, kStorePatience, &remaining));
  EXPECT_TRUE(remaining.empty());
}

void StoreContract::PutRows(const std::vector<std::string>& rows, uint64_t version,
                            std::string_view column,
                            const std::function<std::string(size_t)>& value, Table table) {
  constexpr size_t kPutsPerCall = 2000;
  for (size_t begin = 0; begin < rows.size(); begin += kPutsPerCall) {
    const size_t end = std::min(rows.size(), begin + kPutsPerCall);
    std::vector<std::string> values;
    for (size_t i = begin; i < end; ++i) values.push_back(value(i));
    std::vector<CellPut> cells;
    for (const std::string& v : values) cells.push_back({column, v});
    std::vector<RowPut> puts;
    for (size_t i = begin; i < end; ++i) {
      puts.push_back({rows[i], Version(version), {&cells[i - begin], 1}});
    }
    std::vector<uint32_t> remaining;
    ASSERT_OK(store().Write(table, puts, kStorePatience, &remaining));
    ASSERT_TRUE(remaining.empty());
  }
}

void StoreContract::Erase(std::string_view row, uint64_t version, std::vector<std::string> columns,
                          Table table) {
  const std::vector<std::string_view> views(columns.begin(), columns.end());
  const RowErase erase{row, Version(version), views};
  EXPECT_OK(store().Erase(table, {&erase, 1}, kStorePatience));
}

StoreContract::Cells StoreContract::Get(std::string_view row, std::vector<std::string> columns,
                                        Table table) {
  const std::vector<std::string_view> views(columns.begin(), columns.end());
  const RowGet get{row, views};
  Rows rows;
  EXPECT_OK(store().MultiGet(table, {&get, 1}, kStorePatience, &rows));
  Cells cells;
  if (rows.size() != 1) {
    ADD_FAILURE() << rows.size() << " rows for one get";
    return cells;
  }
  for (const Cell& cell : rows[0]) {
    cells.emplace_back(std::string(cell.column), std::string(cell.value));
  }
  return cells;
}

std::vector<std::pair<std::string, StoreContract::Cells>> StoreContract::Scan(
    const ScanRange& range, Table table) {
  std::vector<std::pair<std::string, Cells>> rows;
  EXPECT_OK(store().Scan(table, range, kStorePatience,
                         [&](std::string_view row, std::span<const Cell> cells) {
                           auto& seen = rows.emplace_back(std::string(row), Cells{}).second;
                           for (const Cell& cell : cells) {
                             seen.emplace_back(std::string(cell.column), std::string(cell.value));
                           }
                           return true;
                         }));
  return rows;
}

}  // namespace orbweaver
