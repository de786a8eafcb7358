// The values of one column of one row group, gathered and then written as pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/parquet/metadata.h"
#include "common/parquet/page_writer.h"
#include "common/parquet/schema.h"

namespace orbweaver::parquet {

// Place: in ParquetWriter, one for each leaf. Values are kept plainly until the row group is
// written: only then it is known whether a dictionary pays. Not thread-safe.
class ColumnWriter {
 public:
  explicit ColumnWriter(const Node& leaf);

  // A value, or that there is none: `definition` is below the leaf's then. `repetition` is 0 where
  // a row begins.
  void AddNull(uint8_t repetition, uint8_t definition) { AddLevels(repetition, definition); }
  void AddBool(uint8_t repetition, bool value);
  void AddInt32(uint8_t repetition, int32_t value) { AddFixed(repetition, value); }
  void AddInt64(uint8_t repetition, int64_t value) { AddFixed(repetition, value); }
  void AddFloat(uint8_t repetition, float value) { AddFixed(repetition, value); }
  void AddDouble(uint8_t repetition, double value) { AddFixed(repetition, value); }
  // At most 2^31 - 1 bytes; of a string UTF-8, which is not checked here.
  void AddBytes(uint8_t repetition, std::string_view value);

  // Memory that the gathered values take.
  size_t bytes() const { return plain_.size() + levels_ * (2 + sizeof(uint32_t)); }

  // Back to `mark`: what came since then is forgotten.
  struct Mark {
    size_t levels = 0;
    size_t values = 0;
    size_t plain_bytes = 0;
  };
  Mark mark() const { return {levels_, values_, plain_.size()}; }
  void BackTo(const Mark& mark);

  // Writes the pages and forgets the values. Offsets are those of `pages`.
  absl::StatusOr<ChunkMeta> Flush(PageWriter* pages, size_t page_bytes, size_t dictionary_bytes);

 private:
  // One page's part of the column.
  struct Slice {
    size_t level = 0;
    size_t levels = 0;
    size_t value = 0;
    size_t values = 0;
    size_t plain = 0;
    size_t plain_bytes = 0;
  };

  void AddLevels(uint8_t repetition, uint8_t definition);
  template <typename T>
  void AddFixed(uint8_t repetition, T value);
  size_t SizeAt(size_t plain) const;             // of the value that begins there
  std::string_view ValueAt(size_t plain) const;  // without a length
  bool MakeDictionary(size_t max_bytes);
  Slice NextSlice(const Slice& before, size_t page_bytes) const;
  void AppendValues(const Slice& slice, int index_width, std::string* page) const;
  ChunkStatistics Statistics() const;

  const Type type_;
  const std::vector<std::string> path_;
  const uint8_t max_definition_;
  const uint8_t max_repetition_;
  std::vector<uint8_t> definitions_;  // empty where max_definition_ is 0
  std::vector<uint8_t> repetitions_;  // likewise
  size_t levels_ = 0;
  size_t values_ = 0;
  std::string plain_;  // a boolean is a byte here

  // While pages are written.
  std::string dictionary_;  // plain
  std::vector<uint32_t> indices_;
  uint32_t entries_ = 0;
};

}  // namespace orbweaver::parquet
