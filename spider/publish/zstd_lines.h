// Lines in zstd frames, so that every line is on its way once it was taken: a flush behind each
// ends a block, and a file that is cut behind a block can be read to there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace orbweaver {

// Place: in LineFiles, one for the file in the works. Not thread-safe; keeps its memory, some
// 500 KB.
class ZstdLines {
 public:
  ZstdLines();
  ~ZstdLines();

  // The bytes to append to the file for `line`. Valid until the next call.
  std::string_view Compress(std::string_view line);
  // The bytes that end the file; the next line begins another one.
  std::string_view End();

 private:
  struct Stream;

  std::string_view Run(std::string_view text, bool is_end);

  const std::unique_ptr<Stream> stream_;
  std::string out_;
};

// Makes a file whose writer died end with its last whole line; returns how many bytes it has then.
// Fatal when it cannot be read or written.
absl::StatusOr<uint64_t> RepairZstdLines(int fd, const std::string& path);

}  // namespace orbweaver
