// Which recorded visit answers a request, and the answer as entries of the spider log.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/model/encode_buffer.h"
#include "lab/crawl/crawl_trace.h"
#include "lab/crawl/recorded_web.h"
#include "spider/crawl/lanes.h"
#include "spider/feed/journey.h"

namespace orbweaver::lab {

// The answer to a request, as a lane gives it.
struct CrawlAnswer {
  Duration took{};
  Politeness::Ending ending;
  FetchEnd end;  // a redirect, or the outcome's entries
};

// A request at the time t of the crawl's clock gets the visit that was recorded last before t, or
// the first one. A visit that failed is met once: the next request for the URL gets the next visit,
// as a server that was out of order is in order later. Redirects are followed as they were
// recorded, a fetch each. A page that has still the validators of the request is not modified.
//
// Place: one a crawl, used by its spiders' lanes, on one thread. Fills the trace's fetches.
class RecordedAnswers {
 public:
  // The arguments must outlive this. The clock begins at web.begin(). `seed`: of drawn latencies.
  RecordedAnswers(const RecordedWeb& web, const Clock& clock, uint64_t seed, CrawlTrace* trace)
      : web_(web), clock_(clock), began_(clock.Now()), seed_(seed), trace_(*trace) {}

  // The fetch of journey.url() begins now. Adds it to the trace, unless it follows a redirect.
  absl::StatusOr<CrawlAnswer> Fetch(const Journey& journey);
  // The same of a robots.txt.
  CrawlAnswer FetchRobots(const Journey& journey) const;

  const RecordedWeb& web() const { return web_; }

 private:
  struct Choice {
    uint32_t url = 0;
    uint32_t visit = 0;
    FetchOutcome outcome = FetchOutcome::kUnknown;
  };

  // An unknown URL answers as another one of its registered domain and depth did.
  absl::StatusOr<CrawlAnswer> FetchUnknown(const Journey& journey, const Choice& choice);
  uint32_t LikelyLike(const Request& request) const;

  Choice Choose(const Request& request);
  uint32_t VisitNow(uint32_t url);
  uint32_t NumberOfUnknown(const Request& request);
  // A recorded latency of the domain, or of any.
  Duration Latency(std::string_view domain, std::string_view url) const;
  void Trace(const Request& request, const Choice& choice, Duration took);

  absl::Status EncodePage(const Journey& journey, const Choice& choice, Duration took,
                          LogEntries* out);
  // answer_ is a failure: into answer->end.
  absl::Status EncodeFailure(const Request& request, CrawlAnswer* answer);
  absl::Status Append(std::string_view domain, SpiderLogEntry entry, Duration took,
                      LogEntries* out);

  const RecordedWeb& web_;
  const Clock& clock_;
  const SteadyTime began_;
  const uint64_t seed_;
  CrawlTrace& trace_;
  absl::flat_hash_map<Fingerprint, uint32_t> unknown_;
  absl::flat_hash_map<uint32_t, uint32_t> given_;  // URL to visit, of those with several
  RecordedAnswer answer_;
  EncodeBuffer buffer_;
};

}  // namespace orbweaver::lab
