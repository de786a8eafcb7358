// Writes fetched pages as WARC 1.1 files.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

#include "common/base/clock.h"
#include "spider/fetch/fetch_result.h"
#include "spider/publish/output_file.h"
#include "spider/publish/output_files.h"
#include "spider/publish/publish_options.h"
#include "spider/publish/warc_index.h"
#include "spider/publish/warc_record.h"

namespace orbweaver {

// For each answer a `request` and a `response` record, written at once. A body whose content this
// writer has written already, and the answer 304, become `revisit` records. A body stands there
// with its content encoding undone: Content-Encoding, Transfer-Encoding and the original
// Content-Length are kept under the prefix `X-Crawler-`. An answer whose content was refused, or
// did not come, stands there without body and with WARC-Truncated. Beside each file stands its
// index (warc_index.h), which gets its name after the file has got its own.
//
// Place: in Archive, one a lane. Not thread-safe.
class WarcWriter {
 public:
  // `software` stands in each file's warcinfo. `clock` must outlive this.
  WarcWriter(const ArchiveOptions& options, std::string_view name_prefix, std::string_view software,
             const Clock& clock);

  // `result` must have the head of an answer. Fatal when it cannot be written.
  absl::Status Write(std::string_view url, const FetchResult& result);

  // Of the last answer's body.
  const std::string& last_digest() const { return digest_; }

  absl::Status Finish() { return files_.Finish(); }

 private:
  // Where content was written first.
  struct Known {
    std::string digest;
    std::string url;
    std::string date;
    std::string id;
  };

  absl::StatusOr<std::string> BeginFile(std::string_view name);
  absl::Status FinishFile();
  void Index(std::string_view url, const FetchResult& result, bool is_revisit, uint64_t offset,
             uint64_t length);
  // nullptr when it is new, and from then on it is known.
  const Known* Recall(const std::string& digest, std::string_view url, const std::string& date,
                      const std::string& id);

  const ArchiveOptions options_;
  const std::string software_;
  const Clock& clock_;
  WarcEncoder encoder_;
  OutputFiles files_;
  std::string head_;
  std::string records_;
  std::string digest_;
  // Of the file in the works, and null where none is written.
  std::string filename_;
  std::unique_ptr<OutputFile> index_file_;
  WarcIndex index_;
  std::list<Known> known_;  // the last seen first
  absl::flat_hash_map<std::string_view, std::list<Known>::iterator> by_digest_;
};

// The head of an answer as it stands in an archive: HTTP/1.1 whatever was spoken, and a
// Content-Length that is true of the payload. Its status line is complete, with an empty reason
// where the server gave none (RFC 9112, section 4: the space before it stays).
void ArchivedHead(std::string_view response_head, size_t payload_bytes, std::string* out);

}  // namespace orbweaver
