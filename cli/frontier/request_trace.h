// Where the request of a URL is that is scheduled and waits in no queue: between two workers.
//
// Place: `orbweaver explain`. On the interface Bus; reads what the groups have not read yet.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "cli/frontier/url_facts.h"

#include "common/bus/bus.h"

namespace orbweaver {

// So many messages of each log are looked at.
inline constexpr uint64_t kMostTraced = 1'000'000;

struct RequestTrace {
  enum class Where : uint8_t {
    kNowhere,     // a spider has it, or it has just moved on
    kOutbox,      // of the domain: the strategy worker is about to put it into the scoring log
    kScoringLog,  // the db worker has yet to read it
    kFeed,        // no spider has dealt with it yet; it may be under way
    kSpiderLog,   // its outcome is there, which the strategy worker has yet to read
    kHandedBack,  // the same, and a spider has given it back unfetched
  };
  Where where = Where::kNowhere;
  uint64_t before = 0;      // messages of that log that will be read earlier
  bool is_complete = true;  // false: a log had more than kMostTraced
};

// Looks along the loop: outbox, scoring log, feed, spider log. The last request found counts, since
// a log keeps what was handed on already.
absl::StatusOr<RequestTrace> TraceRequest(Bus& bus, const UrlFacts& facts);

}  // namespace orbweaver
