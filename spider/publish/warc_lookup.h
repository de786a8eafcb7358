// A page out of the WARC files of a folder, by their indexes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace orbweaver {

struct ArchivedAnswer {
  std::string url;
  std::string date;  // "2026-01-31T12:00:00.123Z"
  bool is_revisit = false;
  std::string status;
  std::string content_type;
  std::string digest;
  std::string head;  // of the answer, to its empty line
  std::string body;  // of a revisit that of the answer it refers to, where that is found
  bool has_body = false;
  // Where the record stands.
  std::string file;
  uint64_t offset = 0;
  uint64_t length = 0;
};

// The newest answer to `url`, which is canonical; nullopt when there is none in `folder`. Files
// that have no index yet, because they are being written, are read whole. Fatal when a file cannot
// be read. Blocks; for people, not for crawls.
absl::StatusOr<std::optional<ArchivedAnswer>> FindInArchive(const std::string& folder,
                                                            std::string_view url);

}  // namespace orbweaver
