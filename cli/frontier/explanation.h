// Explains a URL in words: where its request is, when it is fetched at the soonest, or the rule
// that keeps it from being fetched.
//
// Place: explain_url.h asks, explanation_view.h shows. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frontier/request_trace.h"
#include "cli/frontier/url_facts.h"

#include "common/base/clock.h"

namespace orbweaver {

enum class UrlAnswer : uint8_t {
  kUnknown,       // no page that was read links to it
  kLeftOut,       // the scope or the strategy's rules leave it out
  kNotScheduled,  // it is known, and the strategy has not asked for it
  kOnItsWay,      // scheduled, not in the queue yet
  kQueued,        // its turn has not come
  kLater,         // it waits for its time
  kBlocked,       // its domain is not asked for now
  kFed,           // in the feed of the spiders
  kWithSpider,    // handed out: being fetched, or its outcome is on the way
  kFetched,
  kFailed,  // and is tried no more until somebody asks
  kGone,
  kForbidden,  // robots.txt
};
// "unknown", "left-out", "not-scheduled", …
std::string_view UrlAnswerName(UrlAnswer answer);

struct Explanation {
  UrlAnswer answer = UrlAnswer::kUnknown;
  std::string says;                 // one sentence without a full stop
  std::vector<std::string> more;    // further ones
  std::optional<WallTime> soonest;  // when it is fetched, at the soonest
  std::optional<WallTime> likely;   // when it is fetched if its domain goes on as lately
};

// Of one URL, beside its facts.
struct Findings {
  std::optional<RequestTrace> trace;  // where WantsTrace
  std::string left_out;               // why the scope or the strategy's rules leave it out
  std::optional<Duration> pace;       // where WantsPace: from one fetch of its domain to the next
};
Explanation Explain(const UrlFacts& facts, const Findings& findings, WallTime now);

// It is scheduled and not in the queue.
bool WantsTrace(const UrlFacts& facts);
// It has a place in the queue.
bool WantsPace(const UrlFacts& facts);

}  // namespace orbweaver
