// The values of one column of one row group, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/parquet/byte_source.h"
#include "common/parquet/metadata.h"
#include "common/parquet/page_reader.h"
#include "common/parquet/rle.h"
#include "common/parquet/schema.h"

namespace orbweaver::parquet {

// A value with its levels, or, with a definition below the leaf's, that there is none.
struct Cell {
  uint8_t repetition = 0;
  uint8_t definition = 0;
  int64_t integer = 0;  // of bool, integers, timestamps
  double real = 0;      // of float and double
  std::string_view bytes;
};

// Place: below RowReader; also for those who want few columns and no rows. Memory: a page and the
// dictionary. Not thread-safe.
class ColumnReader {
 public:
  // `source` and `leaf` must outlive this.
  ColumnReader(ByteSource& source, const Node& leaf, const ChunkMeta& chunk, size_t max_page_bytes);

  // The next cell; nullptr at the end. Poison where the file is damaged or has what this reader
  // does not understand, which is named. Valid until Pop.
  absl::StatusOr<const Cell*> Peek();
  void Pop() { has_cell_ = false; }

 private:
  absl::Status NextPage();
  absl::Status ReadDictionary(const PageHeader& header, std::string_view page);
  absl::Status BeginPage(const PageHeader& header, std::string_view page);
  absl::Status TakeLevels(std::string_view* page, uint8_t max, RleDecoder* levels);
  absl::Status ReadCell();
  bool ReadPlain(std::string_view* plain);
  bool ReadBool();

  const Node& leaf_;
  PageReader pages_;
  const int64_t values_;  // that the chunk says it has
  int64_t seen_ = 0;      // of pages begun
  int64_t left_ = 0;      // of the page that is read

  RleDecoder repetitions_;
  RleDecoder definitions_;
  enum class Values : uint8_t { kPlain, kIndices, kRleBools };
  Values kind_ = Values::kPlain;
  std::string_view plain_;
  RleDecoder indices_;
  size_t bit_ = 0;  // of a plain page of booleans

  std::string dictionary_page_;
  std::vector<Cell> dictionary_;
  Cell cell_;
  bool has_cell_ = false;
};

}  // namespace orbweaver::parquet
