#include "common/store/store.h"

#include "absl/strings/escaping.h"

#include "common/base/status.h"
#include "common/base/text.h"

namespace orbweaver {
namespace {

std::string Printable(std::string_view row) { return absl::CHexEscape(ToAbsl(row.substr(0, 100))); }

absl::Status CheckRow(std::string_view action, std::string_view row) {
  if (row.empty()) return FatalError("{}: a row's name is empty", action);
  if (row.size() > kMaxRowBytes) {
    return FatalError("{} row '{}…': its name has {} bytes, at most {} are allowed", action,
                      Printable(row), row.size(), kMaxRowBytes);
  }
  return absl::OkStatus();
}

absl::Status CheckColumn(std::string_view action, std::string_view row, std::string_view column) {
  if (column.empty())
    return FatalError("{} row '{}': a column's name is empty", action, Printable(row));
  if (column.size() > kMaxColumnBytes) {
    return FatalError("{} row '{}': a column's name has {} bytes, at most {} are allowed", action,
                      Printable(row), column.size(), kMaxColumnBytes);
  }
  return absl::OkStatus();
}

absl::Status CheckVersion(std::string_view action, std::string_view row, Version version) {
  if (version > kMaxVersion) {
    return FatalError("{} row '{}': version {} is above {}", action, Printable(row), version,
                      kMaxVersion);
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view TableName(Table table) {
  switch (table) {
    case Table::kDomains:
      return "domains";
    case Table::kQueue:
      return "queue";
    case Table::kPartitions:
      return "partitions";
    case Table::kPages:
      return "pages";
  }
  return "unknown";
}

absl::Status CheckGets(std::span<const RowGet> gets) {
  if (gets.size() > kMaxRowsPerGet) {
    return FatalError("get {} rows: at most {} a call", gets.size(), kMaxRowsPerGet);
  }
  for (const RowGet& get : gets) {
    RETURN_IF_ERROR(CheckRow("get", get.row));
    for (const auto column : get.columns) RETURN_IF_ERROR(CheckColumn("get", get.row, column));
  }
  return absl::OkStatus();
}

absl::Status CheckPuts(std::span<const RowPut> puts) {
  for (const RowPut& put : puts) {
    RETURN_IF_ERROR(CheckRow("put", put.row));
    RETURN_IF_ERROR(CheckVersion("put", put.row, put.version));
    if (put.cells.empty()) return FatalError("put row '{}': no cells", Printable(put.row));
    size_t bytes = put.row.size();
    for (const CellPut& cell : put.cells) {
      RETURN_IF_ERROR(CheckColumn("put", put.row, cell.column));
      bytes += cell.column.size() + cell.value.size();
    }
    if (bytes > kMaxPutBytes) {
      return FatalError("put row '{}': {} bytes, at most {} are allowed", Printable(put.row), bytes,
                        kMaxPutBytes);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckErases(std::span<const RowErase> erases) {
  for (const RowErase& erase : erases) {
    RETURN_IF_ERROR(CheckRow("erase", erase.row));
    RETURN_IF_ERROR(CheckVersion("erase", erase.row, erase.version));
    for (const auto column : erase.columns) {
      RETURN_IF_ERROR(CheckColumn("erase", erase.row, column));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckScan(const ScanRange& range) {
  for (const std::string_view bound : {range.begin, range.end}) {
    if (bound.size() > kMaxRowBytes + 1) {
      return FatalError("scan from or to row '{}…': its name has {} bytes, at most {} are allowed",
                        Printable(bound), bound.size(), kMaxRowBytes + 1);
    }
  }
  for (const auto column : range.columns) RETURN_IF_ERROR(CheckColumn("scan", range.begin, column));
  return absl::OkStatus();
}

}  // namespace orbweaver
