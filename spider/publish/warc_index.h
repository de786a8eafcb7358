// The index of a WARC file, CDXJ: a line for each answer, sorted by the URL's key (surt.h) and the
// time, with the record's place. Tools find a page by a binary search and read one record.
//
//   com,example)/a 20260131120000 {"url":"http://example.com/a","mime":"text/html",…}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace orbweaver {

inline constexpr std::string_view kWarcSuffix = ".warc.gz";
inline constexpr std::string_view kIndexSuffix = ".cdxj";

// An answer in a WARC file.
struct IndexedRecord {
  std::string_view url;
  std::string_view date;  // as in the record: "2026-01-31T12:00:00.123Z"
  bool is_revisit = false;
  std::string_view content_type;  // as in the answer's head
  std::string_view status;
  std::string_view digest;  // empty: it has none
  uint64_t offset = 0;
  uint64_t length = 0;
};

// Place: in WarcWriter, one for the file in the works. Not thread-safe.
class WarcIndex {
 public:
  void Add(const IndexedRecord& record, std::string_view filename);

  // The memory that it takes: whoever writes a file ends it before this is too much.
  size_t bytes() const { return text_.size() + lines_.size() * sizeof(Line); }

  // All lines, sorted; then it is empty again.
  std::string Take();

 private:
  struct Line {
    size_t begin;
    size_t size;
  };

  std::string text_;
  std::vector<Line> lines_;
};

// The index of a finished file, out of the file itself: a crash has taken the one that its writer
// had. Reads all of it. Fatal when it cannot be read.
absl::StatusOr<std::string> IndexOfWarc(const std::string& path);

// Finishes the indexes in the folder whose writers died; those of WARC files that are no more are
// removed. After the WARC files were recovered. Returns how many.
int RecoverIndexes(const std::string& folder);

}  // namespace orbweaver
