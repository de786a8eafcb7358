#include "lab/report/report_table.h"

#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/parquet/parquet_writer.h"

namespace orbweaver::lab {
namespace {

// Every cell begins a row.
constexpr uint8_t kRowBegins = 0;

void AppendCsv(std::string_view text, std::string* csv) {
  if (text.find_first_of(",\"\r\n") == text.npos) {
    *csv += text;
    return;
  }
  *csv += '"';
  for (const char c : text) {
    if (c == '"') *csv += '"';
    *csv += c;
  }
  *csv += '"';
}

void AppendCell(const ReportTable::Cell& cell, std::string* csv) {
  if (const auto* const text = std::get_if<std::string>(&cell)) AppendCsv(*text, csv);
  if (const auto* const integer = std::get_if<int64_t>(&cell)) *csv += std::to_string(*integer);
  if (const auto* const real = std::get_if<double>(&cell)) *csv += fmt::format("{:.9g}", *real);
}

void AddCell(const ReportTable::Cell& cell, const parquet::Node& leaf,
             parquet::ColumnWriter& column) {
  if (const auto* const text = std::get_if<std::string>(&cell)) {
    CHECK(leaf.type == parquet::Type::kString);
    column.AddBytes(kRowBegins, *text);
  } else if (const auto* const integer = std::get_if<int64_t>(&cell)) {
    CHECK(leaf.type == parquet::Type::kInt64);
    column.AddInt64(kRowBegins, *integer);
  } else if (const auto* const real = std::get_if<double>(&cell)) {
    CHECK(leaf.type == parquet::Type::kDouble);
    column.AddDouble(kRowBegins, *real);
  } else {
    column.AddNull(0, 0);
  }
}

}  // namespace

std::string ReportTable::ToCsv() const {
  std::string csv;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) csv += ',';
    csv += columns[i].name;
  }
  csv += '\n';
  for (const std::vector<Cell>& row : rows) {
    CHECK(row.size() == columns.size());
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) csv += ',';
      AppendCell(row[i], &csv);
    }
    csv += '\n';
  }
  return csv;
}

absl::StatusOr<std::string> ReportTable::ToParquet() const {
  std::vector<parquet::Field> fields;
  for (const Column& column : columns) fields.push_back({column.name, column.type});
  ASSIGN_OR_RETURN(const parquet::Schema schema, parquet::Schema::Make(std::move(fields)));
  std::string bytes;
  parquet::ParquetWriter writer(schema, {.software = "orbweaver"}, [&](std::string_view more) {
    bytes += more;
    return absl::OkStatus();
  });
  for (const std::vector<Cell>& row : rows) {
    CHECK(row.size() == columns.size());
    for (size_t i = 0; i < row.size(); ++i) {
      const parquet::Node& leaf = schema.leaf(static_cast<int>(i));
      AddCell(row[i], leaf, writer.column(leaf));
    }
    RETURN_IF_ERROR(writer.EndRow());
  }
  RETURN_IF_ERROR(writer.Finish());
  return bytes;
}

}  // namespace orbweaver::lab
