#include "cli/frontier/explanation.h"

#include <algorithm>

#include "cli/amounts.h"
#include "cli/frontier/message_view.h"
#include "fmt/format.h"

#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

std::string In(WallTime time, WallTime now) {
  return time <= now ? "now" : fmt::format("in {}", Time(time - now));
}
std::string Ago(WallTime time, WallTime now) {
  return time == WallTime() ? "at an unknown time"
                            : fmt::format("{} ago", Time(std::max(now - time, milliseconds(0))));
}

std::string FailureText(const LastFailure& failure) {
  std::string text(FailureCauseName(failure.cause));
  if (failure.status != 0) text += fmt::format(", status {}", failure.status);
  if (!failure.message.empty()) text += fmt::format(" ({})", failure.message);
  return text;
}

void ExplainUnknown(const UrlFacts& facts, const std::string& left_out, Explanation* out) {
  if (!left_out.empty()) {
    out->answer = UrlAnswer::kLeftOut;
    out->says = fmt::format("is left out: {}", left_out);
  } else if (!facts.domain.record.has_value()) {
    out->says = fmt::format("was never heard of, nor was any URL of {}", facts.domain.domain);
  } else {
    out->says = "was never heard of: no page that was read links to it";
  }
}

void ExplainPace(const UrlFacts& facts, Duration pace, WallTime now, Explanation* out) {
  const WallTime likely = now + std::chrono::duration_cast<milliseconds>(
                                    static_cast<int64_t>(facts.queued->before + 1) * pace);
  if (likely <= *out->soonest) return;
  out->likely = likely;
  out->more.push_back(
      fmt::format("{} was lately asked every {}: at that pace it is fetched in about {}",
                  facts.domain.domain, Time(pace), Time(likely - now)));
}

// It waits in the queue.
void ExplainQueued(const UrlFacts& facts, std::optional<Duration> pace, WallTime now,
                   Explanation* out) {
  const QueuedRequest& queued = *facts.queued;
  const DomainReport& queue = *facts.domain.queue;
  WallTime soonest = std::max({now, queue.blocked_until, queue.paced_until});
  if (!queued.band.has_value()) {
    soonest = std::max(soonest, std::max(queued.delayed_until, queued.not_before));
    out->answer = UrlAnswer::kLater;
    out->says =
        fmt::format("waits for its time: it is fetched {} at the soonest", In(soonest, now));
  } else {
    const std::string before =
        queued.before == 0
            ? "it is the domain's next"
            : fmt::format("{} of {} {} fetched before it", Count(queued.before, "request"),
                          facts.domain.domain, queued.before == 1 ? "is" : "are");
    soonest += static_cast<int64_t>(queued.before) * queue.delay;
    out->answer = UrlAnswer::kQueued;
    out->says =
        fmt::format("waits in the queue, band {} of 0 to {}: {}", *queued.band, kBands - 1, before);
    out->more.push_back(
        fmt::format("it is fetched {} at the soonest; the domain is asked every {} ms",
                    In(soonest, now), queue.delay.count()));
  }
  if (queue.blocked_until > now) {
    out->answer = UrlAnswer::kBlocked;
    out->more.push_back(fmt::format(
        "{} is not asked until {} ({}): an operator's block, Retry-After, or answers 429 and 503",
        facts.domain.domain, TimeText(queue.blocked_until), In(queue.blocked_until, now)));
  }
  if (queued.attempt > 0)
    out->more.push_back(fmt::format("this is attempt {}", queued.attempt + 1));
  out->soonest = soonest;
  if (pace.has_value() && out->answer == UrlAnswer::kQueued) ExplainPace(facts, *pace, now, out);
}

// It is scheduled, and not in the queue.
void ExplainTraced(const std::optional<RequestTrace>& trace, Explanation* out) {
  const uint64_t before = trace.has_value() ? trace->before : 0;
  const std::string behind =
      before == 0 ? "" : fmt::format(", behind {}", Count(before, "message"));
  switch (trace.has_value() ? trace->where : RequestTrace::Where::kNowhere) {
    case RequestTrace::Where::kOutbox:
      out->answer = UrlAnswer::kOnItsWay;
      out->says = "is scheduled: the strategy worker is about to tell the queue";
      return;
    case RequestTrace::Where::kScoringLog:
      out->answer = UrlAnswer::kOnItsWay;
      out->says = fmt::format(
          "is scheduled: it stands in the scoring log{}, which the db worker has yet to read",
          behind);
      return;
    case RequestTrace::Where::kFeed:
      out->answer = UrlAnswer::kFed;
      out->says = fmt::format(
          "is handed out: it stands in the spider feed{}, and a spider fetches it or is about to",
          behind);
      return;
    case RequestTrace::Where::kSpiderLog:
      out->answer = UrlAnswer::kWithSpider;
      out->says = fmt::format(
          "was asked for: the outcome stands in the spider log{}, which the strategy worker has "
          "yet to read",
          behind);
      return;
    case RequestTrace::Where::kHandedBack:
      out->answer = UrlAnswer::kOnItsWay;
      out->says = fmt::format(
          "was handed back by a spider, unfetched: that stands in the spider log{}, and once the "
          "strategy worker has read it, it is queued again",
          behind);
      return;
    case RequestTrace::Where::kNowhere:
      out->answer = UrlAnswer::kWithSpider;
      out->says =
          trace.has_value() && !trace->is_complete
              ? "is scheduled, and not in the queue: it stands further back in a log than "
                "was looked, or a spider has it"
              : "is scheduled, and not in the queue: a spider has it, or it moves on just now";
  }
}

void ExplainFailed(const UrlFacts& facts, WallTime now, Explanation* out) {
  const LinkState& link = *facts.link;
  const bool is_gone = link.status == LinkStatus::kGone;
  out->answer = is_gone ? UrlAnswer::kGone : UrlAnswer::kFailed;
  if (!facts.failure.has_value()) {
    out->says = fmt::format("failed {}, and is tried no more", Count(link.errors, "time"));
    return;
  }
  const LastFailure& failure = *facts.failure;
  if (failure.cause == FailureCause::kRobots) {
    out->answer = UrlAnswer::kForbidden;
    out->says = fmt::format("is forbidden by robots.txt, {}", failure.message);
  } else {
    out->says = fmt::format("{} after {}: {}", is_gone ? "is gone" : "is given up",
                            Count(failure.attempt + 1, "attempt"), FailureText(failure));
  }
  out->more.push_back(
      fmt::format("asked {}; `orbweaver requeue` tries it again", Ago(failure.failed_at, now)));
}

void ExplainFetched(const UrlFacts& facts, WallTime now, Explanation* out) {
  const LinkState& link = *facts.link;
  out->answer = UrlAnswer::kFetched;
  out->says = fmt::format("was fetched {}{}, with status {}", Ago(link.fetched_at, now),
                          link.fetches > 1 ? fmt::format(" for the {}. time", link.fetches) : "",
                          link.http_status);
  if (facts.page.has_value() && facts.page->final_url != facts.url) {
    out->more.push_back(fmt::format("it led to {}", facts.page->final_url));
  }
  if (link.due_at > now) {
    out->more.push_back(fmt::format("the strategy has it due {}", In(link.due_at, now)));
  }
}

}  // namespace

std::string_view UrlAnswerName(UrlAnswer answer) {
  switch (answer) {
    case UrlAnswer::kUnknown:
      return "unknown";
    case UrlAnswer::kLeftOut:
      return "left-out";
    case UrlAnswer::kNotScheduled:
      return "not-scheduled";
    case UrlAnswer::kOnItsWay:
      return "on-its-way";
    case UrlAnswer::kQueued:
      return "queued";
    case UrlAnswer::kLater:
      return "later";
    case UrlAnswer::kBlocked:
      return "blocked";
    case UrlAnswer::kFed:
      return "fed";
    case UrlAnswer::kWithSpider:
      return "with-spider";
    case UrlAnswer::kFetched:
      return "fetched";
    case UrlAnswer::kFailed:
      return "failed";
    case UrlAnswer::kGone:
      return "gone";
    case UrlAnswer::kForbidden:
      return "forbidden";
  }
  return "unknown";
}

bool WantsTrace(const UrlFacts& facts) {
  return facts.link.has_value() && facts.link->status == LinkStatus::kQueued &&
         !facts.queued.has_value();
}

bool WantsPace(const UrlFacts& facts) {
  return facts.queued.has_value() && facts.queued->band.has_value();
}

Explanation Explain(const UrlFacts& facts, const Findings& findings, WallTime now) {
  Explanation out;
  if (facts.queued.has_value()) {
    // The strategy worker's states may be some seconds behind the queue.
    ExplainQueued(facts, findings.pace, now, &out);
  } else if (!facts.link.has_value()) {
    ExplainUnknown(facts, findings.left_out, &out);
  } else {
    switch (facts.link->status) {
      case LinkStatus::kNotCrawled:
        out.answer = UrlAnswer::kNotScheduled;
        out.says = "is known, and the strategy has not asked for it";
        break;
      case LinkStatus::kQueued:
        ExplainTraced(findings.trace, &out);
        break;
      case LinkStatus::kCrawled:
        ExplainFetched(facts, now, &out);
        break;
      case LinkStatus::kError:
      case LinkStatus::kGone:
        ExplainFailed(facts, now, &out);
        break;
    }
  }
  const bool is_retried = facts.failure.has_value() && facts.link.has_value() &&
                          facts.link->status == LinkStatus::kQueued;
  if (is_retried) {
    out.more.push_back(fmt::format("it failed {}: {}", Ago(facts.failure->failed_at, now),
                                   FailureText(*facts.failure)));
  }
  return out;
}

}  // namespace orbweaver
