// The pages of a recording, valued and numbered for a report.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "lab/crawl/crawl_trace.h"
#include "lab/crawl/recorded_web.h"
#include "lab/report/crawl_fetches.h"
#include "lab/report/page_table.h"
#include "lab/report/page_value.h"

namespace orbweaver::lab {

// Place: between a recording's web with the crawls in it, and Evaluate. Links count once a page, as
// they stood at its last recorded fetch; not those that embed something, and not those with
// nofollow, ugc or sponsored. Memory: 4 bytes a link; about 70 a URL that was only linked to, half
// of them while Read runs. Not thread-safe.
class RecordedPages {
 public:
  // Reads every recorded fetch once. `go_on` is asked now and then with the number of fetches so
  // far; false: the call ends with a cancelled status. Errors are those of RecordedWeb.
  static absl::StatusOr<std::unique_ptr<RecordedPages>> Read(
      const RecordedWeb& web, const PageValue& value,
      absl::FunctionRef<bool(uint64_t fetches)> go_on);

  const PageTable& table() const { return table_; }

  // A crawl in the web that was read.
  CrawlFetches FetchesOf(const CrawlTrace& trace);

 private:
  RecordedPages(const RecordedWeb& web, const PageValue& value) : web_(web), value_(value) {}

  absl::Status ReadUrl(uint32_t url, RecordedAnswer* answer, std::vector<VisitFacts>* visits);
  uint32_t NodeOf(std::string_view url);
  uint32_t ContentOf(const Fingerprint& content);

  const RecordedWeb& web_;
  const PageValue& value_;
  PageTable table_;
  // Of URLs that were only linked to, by the lower half of their fingerprint.
  absl::flat_hash_map<uint64_t, uint32_t> linked_;
  absl::flat_hash_map<Fingerprint, uint32_t> contents_;
  std::vector<uint32_t> targets_;
  double probability_ = 1;  // of the URL that is read
};

}  // namespace orbweaver::lab
