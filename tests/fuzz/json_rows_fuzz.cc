// A row as JSON, of any bytes: refused as poison with nothing of it written, or read back as the
// same row.
#include <memory>
#include <string>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver::parquet {
namespace {

const Schema& FuzzedSchema() {
  static const auto* const kSchema = [] {
    const Field inner{.type = Type::kStruct,
                      .children = {{"a", Type::kInt32}, ListOf("l", {.type = Type::kDouble})}};
    auto schema = Schema::Make({{"b", Type::kBool},
                                {"f", Type::kFloat},
                                {"i", Type::kInt64, /*optional=*/false},
                                {"s", Type::kString},
                                {"t", Type::kTimestamp},
                                {"x", Type::kBinary},
                                ListOf("n", inner),
                                MapOf("m", {.type = Type::kString}, {.type = Type::kString})});
    CHECK_OK(schema.status());
    return new Schema(*std::move(schema));
  }();
  return *kSchema;
}

// The rows of the file that these lines make; lines that are refused leave none.
std::string Through(std::string_view lines) {
  std::string file;
  ParquetWriter writer(FuzzedSchema(), {}, [&file](std::string_view bytes) {
    file += bytes;
    return absl::OkStatus();
  });
  JsonRowWriter to(FuzzedSchema(), &writer);
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const int64_t before = writer.rows();
    const absl::Status status = to.Add(line);
    CHECK(status.ok() || IsPoison(status));
    CHECK(writer.rows() == before + (status.ok() ? 1 : 0));
  }
  CHECK_OK(writer.Finish());
  const auto reader = ParquetReader::Open(std::make_unique<MemorySource>(file));
  CHECK_OK(reader.status());
  JsonRowReader from(reader->get());
  std::string all;
  int64_t rows = 0;
  for (std::string row;; ++rows) {
    const auto more = from.Next(&row);
    CHECK_OK(more.status());
    if (!*more) break;
    all += row + "\n";
  }
  CHECK(rows == writer.rows());
  return all;
}

void RunOne(const uint8_t* data, size_t size) {
  const std::string rows = Through({reinterpret_cast<const char*>(data), size});
  CHECK(Through(rows) == rows);
}

}  // namespace
}  // namespace orbweaver::parquet

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, orbweaver::parquet::RunOne);
}
