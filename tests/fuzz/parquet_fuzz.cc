// A Parquet file of any bytes: what is refused is poison, and what is read comes back the same when
// it is written again.
#include <memory>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver::parquet {
namespace {

// Bytes of a page and of rows that one input may unpack to: runs and zstd say much with few bytes.
constexpr size_t kMaxPageBytes = 64 << 10;
constexpr size_t kMaxRows = 200;
constexpr size_t kMaxRowBytes = 64 << 10;

// The rows up to the first that is refused.
std::vector<std::string> Rows(ParquetReader* reader) {
  JsonRowReader rows(reader);
  std::vector<std::string> all;
  size_t bytes = 0;
  for (std::string row; all.size() < kMaxRows && bytes < kMaxRowBytes; bytes += row.size()) {
    const auto more = rows.Next(&row);
    if (!more.ok()) CHECK(IsPoison(more.status()));
    if (!more.ok() || !*more) break;
    all.push_back(row);
  }
  return all;
}

std::string Write(const Schema& schema, const std::vector<std::string>& rows) {
  std::string file;
  ParquetWriter writer(schema, {.row_group_bytes = 1 << 10, .page_bytes = 100},
                       [&file](std::string_view bytes) {
                         file += bytes;
                         return absl::OkStatus();
                       });
  JsonRowWriter to(schema, &writer);
  for (const std::string& row : rows) {
    // A map may have a key twice, and a number may be NaN where there must be one.
    const absl::Status status = to.Add(row);
    CHECK(status.ok() || IsPoison(status));
  }
  CHECK_OK(writer.Finish());
  return file;
}

void RunOne(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto opened =
      ParquetReader::Open(std::make_unique<MemorySource>(bytes), {.max_page_bytes = kMaxPageBytes});
  if (!opened.ok()) {
    CHECK(IsPoison(opened.status()));
    return;
  }
  const Schema& schema = (*opened)->schema();
  const std::string first = Write(schema, Rows(opened->get()));
  auto again = ParquetReader::Open(std::make_unique<MemorySource>(first));
  CHECK_OK(again.status());
  const std::vector<std::string> rows = Rows(again->get());
  const bool are_all = static_cast<int64_t>(rows.size()) == (*again)->meta().rows;
  CHECK(!are_all || Write(schema, rows) == first);
}

}  // namespace
}  // namespace orbweaver::parquet

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, orbweaver::parquet::RunOne);
}
