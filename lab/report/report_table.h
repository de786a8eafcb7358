// A table of a report's figures, for other programs.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

#include "common/parquet/schema.h"

namespace orbweaver::lab {

// Rows in memory, since they are few. Types of columns: kString, kInt64, kDouble.
struct ReportTable {
  using Cell = std::variant<std::monostate, std::string, int64_t, double>;  // monostate: null

  struct Column {
    std::string name;
    parquet::Type type = parquet::Type::kDouble;
  };

  std::string name;  // of its files
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;

  // A line of names, then one a row; a null is empty, and texts stand in quotes where they need
  // them (RFC 4180, with line feeds alone).
  std::string ToCsv() const;
  // The bytes of a file.
  absl::StatusOr<std::string> ToParquet() const;
};

}  // namespace orbweaver::lab
