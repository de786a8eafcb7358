#include "cli/frontier/request_trace.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "absl/functional/function_ref.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/log_reader.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_log.h"

namespace orbweaver {
namespace {

bool HasRequest(std::string_view bytes, const Fingerprint& url) {
  Arena arena;
  ScoringLogEntry entry;
  if (!Decode(bytes, &arena, &entry).ok()) return false;
  const auto* const schedule = std::get_if<ScheduleRequests>(&entry.entry);
  return schedule != nullptr && std::any_of(schedule->requests.begin(), schedule->requests.end(),
                                            [&url](const ScheduledRequest& request) {
                                              return request.fingerprint == url &&
                                                     request.action == ScheduleAction::kAdd;
                                            });
}

bool IsRequest(std::string_view bytes, const Fingerprint& url) {
  Arena arena;
  SpiderFeedEntry entry;
  if (!Decode(bytes, &arena, &entry).ok()) return false;
  const auto* const request = std::get_if<Request>(&entry.entry);
  return request != nullptr && request->fingerprint == url;
}

struct FingerprintOfOutcome {
  const Fingerprint* operator()(const PageFetched& page) const { return &page.request.fingerprint; }
  const Fingerprint* operator()(const FetchFailed& failed) const {
    return &failed.request.fingerprint;
  }
  const Fingerprint* operator()(const Deferred& deferred) const {
    return &deferred.request.fingerprint;
  }
  template <typename Other>
  const Fingerprint* operator()(const Other&) const {
    return nullptr;
  }
};

// Where a message of a log says that the URL's request is; kNowhere: it is not about the URL.
using Where = RequestTrace::Where;
Where InScoringLog(std::string_view bytes, const Fingerprint& url) {
  return HasRequest(bytes, url) ? Where::kScoringLog : Where::kNowhere;
}
Where InFeed(std::string_view bytes, const Fingerprint& url) {
  return IsRequest(bytes, url) ? Where::kFeed : Where::kNowhere;
}
Where InSpiderLog(std::string_view bytes, const Fingerprint& url) {
  Arena arena;
  SpiderLogEntry entry;
  if (!Decode(bytes, &arena, &entry).ok()) return Where::kNowhere;
  const Fingerprint* const of = std::visit(FingerprintOfOutcome(), entry.event);
  if (of == nullptr || *of != url) return Where::kNowhere;
  return std::holds_alternative<Deferred>(entry.event) ? Where::kHandedBack : Where::kSpiderLog;
}

// The logs in the order of the loop.
struct Stage {
  std::string_view topic;
  std::string_view group;
  Where (*find)(std::string_view, const Fingerprint&);
};
constexpr Stage kStages[] = {{kScoringLogTopic, kDbWorkerGroup, InScoringLog},
                             {kSpiderFeedTopic, kSpiderGroup, InFeed},
                             {kSpiderLogTopic, kStrategyWorkerGroup, InSpiderLog}};

}  // namespace

absl::StatusOr<RequestTrace> TraceRequest(Bus& bus, const UrlFacts& facts) {
  RequestTrace trace;
  const PartitionId partition = facts.domain.partition;
  if (facts.domain.record.has_value() &&
      std::any_of(facts.domain.record->outbox.begin(), facts.domain.record->outbox.end(),
                  [&](const std::string& entry) { return HasRequest(entry, facts.fingerprint); })) {
    trace.where = RequestTrace::Where::kOutbox;
  }
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  for (const Stage& stage : kStages) {
    ASSIGN_OR_RETURN(const auto committed,
                     offsets->Committed(stage.group, stage.topic, {&partition, 1}, kLookTimeout));
    LogRange unread{.topic = std::string(stage.topic), .partition = partition};
    if (committed[0].has_value()) unread.from = committed[0]->offset.value();
    uint64_t looked_at = 0;
    RETURN_IF_ERROR(LogReader(unread).Read(bus, kLookTimeout, [&](const Message& message) {
      const Where where = stage.find(message.value, facts.fingerprint);
      if (where != Where::kNowhere) {
        trace.where = where;
        trace.before = looked_at;
        return false;
      }
      ++looked_at;
      if (looked_at == kMostTraced) trace.is_complete = false;
      return looked_at < kMostTraced;
    }));
  }
  return trace;
}

}  // namespace orbweaver
