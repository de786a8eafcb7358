// A request's work on a fetching thread: fetched, parsed, kept in files, and made into entries of
// the spider log.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/url/resolver.h"
#include "spider/crawl/fetch_metrics.h"
#include "spider/crawl/lanes.h"
#include "spider/fetch/fetcher.h"
#include "spider/parse/page_parser.h"
#include "spider/publish/archive.h"
#include "spider/publish/outcome_encoder.h"

namespace orbweaver {

struct LaneParts {
  std::unique_ptr<Fetcher> fetcher;
  std::unique_ptr<Archive> archive;  // which may write nothing
  const PublicSuffixes& suffixes;
  const Clock& clock;
  FetchMetrics& metrics;
  UrlOptions urls;
  ParseOptions parse;
  PublishOptions publish;
};

// Place: below the spider's core, on its thread; or on one of ThreadedLanes. Not thread-safe but
// for Wake.
class Lane : public Lanes, private FetchListener {
 public:
  // The objects in `parts` must outlive this.
  explicit Lane(LaneParts parts);
  ~Lane() override;

  void Start(LaneTask task) override;
  absl::Status Run(SteadyTime until, std::vector<LaneResult>* done) override;
  absl::Status Stop() override { return archive_->Finish(); }

  // Makes Run return. Thread-safe.
  void Wake() { fetcher_->Wake(); }

 private:
  void OnResolved(const Resolution& resolution) override;
  void OnFetched(FetchResult& result) override;
  // Parses what came, keeps it in files, and encodes the outcome.
  absl::Status FinishPage(const Journey& journey, const FetchResult& result, LogEntries* outcome);

  const std::unique_ptr<Fetcher> fetcher_;
  const std::unique_ptr<Archive> archive_;
  const Clock& clock_;
  FetchMetrics& metrics_;
  UrlResolver resolver_;
  PageParser parser_;
  OutcomeEncoder encoder_;
  absl::flat_hash_map<FetchId, LaneTask> tasks_;
  absl::Status failure_;  // for ever
  FetchStats reported_;   // to metrics_
  SteadyTime next_report_{};
  std::vector<LaneResult>* done_ = nullptr;  // while Run runs
};

}  // namespace orbweaver
