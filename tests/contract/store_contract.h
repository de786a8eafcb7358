// The suite that every Store passes: see README.md for how to instantiate it.
//
// The tests stand in store_contract_*_test.cc, a file for each call of the interface and one for
// crashes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/ids.h"
#include "tests/contract/store_env.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {

// Longer than any restart of a server takes.
inline constexpr Duration kStorePatience = std::chrono::minutes(2);

class StoreContract : public ::testing::TestWithParam<StoreEnvFactory> {
 protected:
  using Cells = std::vector<std::pair<std::string, std::string>>;  // column, value

  StoreContract();

  Store& store() { return env_->store(); }
  StoreEnv& env() { return *env_; }

  // A row that no other test, run or earlier run uses; ascending by `name`. `slot` chooses a part
  // of the table.
  std::string Row(std::string_view name, uint16_t slot = 0) const;
  // The end of a range that begins with a Row of the slot and holds all of them.
  std::string EndOfRows(uint16_t slot = 0) const;
  bool IsMine(std::string_view row) const;
  // Numbers as names that sort as they do.
  static std::string Number(uint64_t number);

  // Each fails the test when the call fails.
  void Put(std::string_view row, uint64_t version, const Cells& cells, Table table = kTable);
  void PutRows(const std::vector<std::string>& rows, uint64_t version, std::string_view column,
               const std::function<std::string(size_t)>& value, Table table = kTable);
  void Erase(std::string_view row, uint64_t version, std::vector<std::string> columns = {},
             Table table = kTable);
  Cells Get(std::string_view row, std::vector<std::string> columns = {}, Table table = kTable);
  std::vector<std::pair<std::string, Cells>> Scan(const ScanRange& range, Table table = kTable);

  static constexpr Table kTable = Table::kQueue;

 private:
  std::string unique_;
  std::unique_ptr<StoreEnv> env_;
};

}  // namespace orbweaver
