// A request's work on a fetching thread: fetched, parsed, kept in files, and made into entries of
// the spider log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/url/resolver.h"
#include "spider/crawl/fetch_metrics.h"
#include "spider/feed/journey.h"
#include "spider/fetch/fetcher.h"
#include "spider/parse/page_parser.h"
#include "spider/politeness/politeness.h"
#include "spider/publish/archive.h"
#include "spider/publish/log_entries.h"
#include "spider/publish/outcome_encoder.h"

namespace orbweaver {

struct LaneTask {
  enum class Kind : uint8_t {
    kPage,     // a request of the feed, at where redirects have led it
    kRobots,   // a robots.txt
    kResolve,  // only the address of the URL's host
  };
  Kind kind = Kind::kPage;
  TurnId id;
  Slot slot;        // of the domain that is asked: the lane it goes to
  std::string url;  // canonical
  IpAddress address;
  // Of kPage: leads to `url`.
  std::shared_ptr<const Journey> journey;
  // It was asked before, over a connection that had ended: whatever comes now counts.
  bool again = false;
};

struct LaneResult {
  TurnId id;
  LaneTask::Kind kind = LaneTask::Kind::kPage;
  // A disk that takes no more: the spider must stop.
  absl::Status fatal;
  Politeness::Ending ending;
  Duration took{};
  // Nothing else is set: the request met a connection that had ended, and needs another turn.
  bool ask_again = false;
  // Of a failure: the part of our own side that may be at fault (FetchResult). `answer` has it
  // then, of a page too, and there are no entries.
  std::optional<OwnSide> suspect;
  SteadyTime began;
  bool asked_names = false;  // a name server was asked, and answered
  // The page's outcome; empty when it was redirected, and of the other kinds.
  LogEntries entries;
  std::optional<FailureCause> failure;
  // Of a page that was redirected, of robots.txt, and of what is suspect.
  std::unique_ptr<FetchResult> answer;
  // Of kResolve.
  IpAddress address;
  std::string message;
};

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

// Place: below the spider's core; one a thread. Not thread-safe but for Wake.
class Lane : private FetchListener {
 public:
  // The objects in `parts` must outlive this.
  explicit Lane(LaneParts parts);
  ~Lane() override;

  // Begins now. Its id must not be in use in any lane.
  void Start(LaneTask task);

  // Works until something has finished, `until` has passed or Wake was called; appends what has
  // finished. Every task has one result.
  void Run(SteadyTime until, std::vector<LaneResult>* done);

  // Thread-safe.
  void Wake() { fetcher_->Wake(); }

  // Finishes the archive's files: the last call.
  absl::Status Finish() { return archive_->Finish(); }

 private:
  void OnResolved(const Resolution& resolution) override;
  void OnFetched(FetchResult& result) override;
  void FinishPage(const LaneTask& task, FetchResult& result, LaneResult* done);

  const std::unique_ptr<Fetcher> fetcher_;
  const std::unique_ptr<Archive> archive_;
  const Clock& clock_;
  FetchMetrics& metrics_;
  UrlResolver resolver_;
  PageParser parser_;
  OutcomeEncoder encoder_;
  struct Running {
    LaneTask task;
    SteadyTime began;
  };
  absl::flat_hash_map<FetchId, Running> tasks_;
  FetchStats reported_;  // to metrics_
  SteadyTime next_report_{};
  std::vector<LaneResult>* done_ = nullptr;  // while Run runs
};

}  // namespace orbweaver
