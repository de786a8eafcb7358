// Answers that were fetched, kept in files: WARC, a mirror, pages.jsonl, links.jsonl and
// texts.jsonl, as configured. Failures are FailureFile's.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "spider/fetch/fetch_result.h"
#include "spider/parse/page.h"
#include "spider/publish/line_converter.h"
#include "spider/publish/line_files.h"
#include "spider/publish/mirror_writer.h"
#include "spider/publish/outcome_encoder.h"
#include "spider/publish/publish_options.h"
#include "spider/publish/warc_writer.h"

namespace orbweaver {

// Place: one in each lane, between parsing and the outcome being handed on: what the log says was
// fetched is in a file. A crash may leave a page in the files whose outcome is not in the log; it
// is then fetched, and kept, again. Not thread-safe.
class Archive {
 public:
  // `writer` tells those apart that write into one folder at the same time. `clock` must outlive
  // this. `converter`: of the lines' files, where they become Parquet; shared by all archives.
  Archive(const ArchiveOptions& options, std::string_view writer, std::string_view software,
          const Clock& clock, std::shared_ptr<LineConverter> converter = nullptr);

  // Every answer, robots.txt, redirects and those whose content was refused included. Fatal when
  // the disk does not take it.
  absl::Status KeepExchange(std::string_view url, const FetchResult& result);

  // A page, right after its KeepExchange.
  absl::Status KeepPage(const Journey& journey, const FetchResult& result, const ParsedPage& page);

  // Finishes the files.
  absl::Status Finish();

 private:
  const std::vector<std::string> headers_;  // in the lines of pages
  std::unique_ptr<WarcWriter> warc_;        // null: none is written
  std::unique_ptr<MirrorWriter> mirror_;    // likewise
  std::unique_ptr<LineFiles> pages_;        // likewise
  std::unique_ptr<LineFiles> links_;        // likewise
  std::unique_ptr<LineFiles> texts_;        // likewise
  const std::shared_ptr<LineConverter> converter_;
  const bool has_text_;
  const bool has_markdown_;
  std::string line_;
};

// Finishes what workers that died have left in the folder; before the first Archive is made. A file
// that cannot be finished is logged: it never keeps a worker from starting.
void RecoverArchives(const ArchiveOptions& options);

}  // namespace orbweaver
