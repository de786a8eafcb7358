#include "common/store/hbase/row_calls.h"

#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "hbase_thrift/THBaseService.h"

namespace orbweaver {
namespace {

using hbase_thrift::TColumn;
using hbase_thrift::TColumnValue;
using hbase_thrift::TDelete;
using hbase_thrift::TDeleteType;
using hbase_thrift::TGet;
using hbase_thrift::TPut;
using hbase_thrift::TScan;

std::vector<TColumn> ToThrift(std::span<const std::string_view> columns) {
  std::vector<TColumn> result(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    result[i].family = kFamily;
    result[i].__set_qualifier(std::string(columns[i]));
  }
  return result;
}

std::vector<TGet> ToThrift(std::span<const RowGet> gets) {
  std::vector<TGet> result(gets.size());
  for (size_t i = 0; i < gets.size(); ++i) {
    result[i].row = gets[i].row;
    if (!gets[i].columns.empty()) result[i].__set_columns(ToThrift(gets[i].columns));
  }
  return result;
}

std::vector<TPut> ToThrift(std::span<const RowPut> puts) {
  std::vector<TPut> result(puts.size());
  for (size_t i = 0; i < puts.size(); ++i) {
    result[i].row = puts[i].row;
    result[i].__set_timestamp(static_cast<int64_t>(puts[i].version.value()));
    result[i].columnValues.resize(puts[i].cells.size());
    for (size_t j = 0; j < puts[i].cells.size(); ++j) {
      TColumnValue& cell = result[i].columnValues[j];
      cell.family = kFamily;
      cell.qualifier = puts[i].cells[j].column;
      cell.value = puts[i].cells[j].value;
    }
  }
  return result;
}

// The timestamp is named on each column: one that is left out is the wall clock's, which hides
// later puts with smaller versions.
std::vector<TDelete> ToThrift(std::span<const RowErase> erases) {
  std::vector<TDelete> result(erases.size());
  for (size_t i = 0; i < erases.size(); ++i) {
    const auto timestamp = static_cast<int64_t>(erases[i].version.value());
    std::vector<TColumn> columns = ToThrift(erases[i].columns);
    if (columns.empty()) columns.emplace_back().family = kFamily;
    for (TColumn& column : columns) column.__set_timestamp(timestamp);
    result[i].row = erases[i].row;
    result[i].__set_columns(columns);
    result[i].__set_deleteType(erases[i].columns.empty() ? TDeleteType::DELETE_FAMILY
                                                         : TDeleteType::DELETE_COLUMNS);
  }
  return result;
}

void CheckAnswer(const std::vector<TGet>& gets, const Results& results) {
  if (results.size() != gets.size()) throw MismatchedAnswer();
  for (size_t i = 0; i < gets.size(); ++i) {
    if (!results[i].columnValues.empty() && results[i].row != gets[i].row) throw MismatchedAnswer();
  }
}

// A row out of order would make the scan go on at the wrong place.
void CheckAnswer(const TScan& scan, int rows, const Results& results) {
  if (results.size() > static_cast<size_t>(rows)) throw MismatchedAnswer();
  for (size_t i = 0; i < results.size(); ++i) {
    if (i == 0 ? results[i].row < scan.startRow : results[i].row <= results[i - 1].row) {
      throw MismatchedAnswer();
    }
  }
}

}  // namespace

RowCalls::RowCalls(ThriftCaller& caller, std::string table_prefix)
    : caller_(caller), table_prefix_(std::move(table_prefix)) {}

absl::Status RowCalls::Get(Table table, std::span<const RowGet> gets, SteadyTime deadline,
                           std::vector<std::shared_ptr<const Results>>* results) {
  const std::string name = FullName(table);
  auto answer = std::make_shared<Results>();
  absl::Status status;
  {
    const std::vector<TGet> request = ToThrift(gets);
    status = caller_.Call(fmt::format("get {} rows of '{}'", gets.size(), name), name, deadline,
                          [&](hbase_thrift::THBaseServiceClient& client) {
                            answer->clear();
                            client.getMultiple(*answer, name, request);
                            CheckAnswer(request, *answer);
                          });
  }
  if (status.ok()) {
    results->push_back(std::move(answer));
    return status;
  }
  if (status.code() != absl::StatusCode::kOutOfRange || gets.size() == 1) return status;
  answer.reset();  // what was read of it is large
  const size_t half = gets.size() / 2;
  RETURN_IF_ERROR(Get(table, gets.first(half), deadline, results));
  return Get(table, gets.subspan(half), deadline, results);
}

absl::Status RowCalls::Put(Table table, std::span<const RowPut> puts, SteadyTime deadline) {
  const std::string name = FullName(table);
  const std::vector<TPut> request = ToThrift(puts);
  return caller_.Call(
      fmt::format("put {} rows into '{}'", puts.size(), name), name, deadline,
      [&](hbase_thrift::THBaseServiceClient& client) { client.putMultiple(name, request); });
}

absl::Status RowCalls::Erase(Table table, std::span<const RowErase> erases, SteadyTime deadline) {
  const std::string name = FullName(table);
  const std::vector<TDelete> request = ToThrift(erases);
  return caller_.Call(fmt::format("erase in {} rows of '{}'", erases.size(), name), name, deadline,
                      [&](hbase_thrift::THBaseServiceClient& client) {
                        std::vector<TDelete> failed;  // never filled: a failure is thrown
                        client.deleteMultiple(failed, name, request);
                      });
}

absl::Status RowCalls::ScanPortion(Table table, const ScanRange& range, int rows,
                                   SteadyTime deadline, Results* results) {
  const std::string name = FullName(table);
  TScan scan;
  if (!range.begin.empty()) scan.__set_startRow(std::string(range.begin));
  if (!range.end.empty()) scan.__set_stopRow(std::string(range.end));
  if (!range.columns.empty()) scan.__set_columns(ToThrift(range.columns));
  // Both, or the server reads ahead what this portion does not take.
  scan.__set_caching(rows);
  scan.__set_limit(rows);
  return caller_.Call(fmt::format("scan '{}'", name), name, deadline,
                      [&](hbase_thrift::THBaseServiceClient& client) {
                        results->clear();
                        client.getScannerResults(*results, name, scan, rows);
                        CheckAnswer(scan, rows, *results);
                      });
}

absl::Status RowCalls::AppendRow(const hbase_thrift::TResult& result, Rows* rows) {
  for (const TColumnValue& cell : result.columnValues) {
    if (cell.timestamp < 0) {
      return PoisonError("read a row: a cell has the version {}", cell.timestamp);
    }
    rows->AddCellView(cell.qualifier, cell.value, Version(static_cast<uint64_t>(cell.timestamp)));
  }
  rows->EndRow();
  return absl::OkStatus();
}

std::string_view RowCalls::RowOf(const hbase_thrift::TResult& result) { return result.row; }

std::string RowCalls::FullName(Table table) const {
  return fmt::format("{}{}", table_prefix_, TableName(table));
}

}  // namespace orbweaver
