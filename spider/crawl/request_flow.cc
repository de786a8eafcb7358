#include "spider/crawl/request_flow.h"

#include <algorithm>

#include "fmt/format.h"

#include "common/base/check.h"
#include "spider/fetch/failure_cause.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {
namespace {

// Failures by which a page fails when its robots.txt could not be had for them: the way to the
// host. Of others, such as a robots.txt in a broken encoding, a page would not fail.
bool IsOnTheWay(FailureCause cause) {
  using enum FailureCause;
  return IsAmong(cause, {kRefused, kUnreachable, kReset, kTimeoutConnect, kTimeoutTls,
                         kTimeoutFirstByte, kTimeoutTotal, kTooSlow, kProtocol});
}

}  // namespace

RequestFlow::RequestFlow(RequestFlowOptions options, const PublicSuffixes& suffixes,
                         const Clock& clock, Lanes& lanes, CrawlMetrics& metrics)
    : options_(std::move(options)),
      clock_(clock),
      metrics_(metrics),
      resolver_(options_.urls, suffixes),
      encoder_(options_.publish, clock),
      fetches_(options_.politeness, options_.max_fetches, clock, lanes, metrics),
      robots_(options_.robots, clock, resolver_, encoder_, fetches_) {}

void RequestFlow::Begin(const FeedRequest& delivered) {
  const TurnId id = fetches_.NewId();
  Job& job =
      jobs_.emplace(id, Job{.place = delivered.place, .journey = delivered.journey}).first->second;
  const Request& request = job.journey->request();
  if (!SplitFetchUrl(request.url)) {
    return Fail(id, job, FailureCause::kBadUrl, "not a URL to fetch");
  }
  Politeness& politeness = fetches_.politeness();
  const SteadyTime now = clock_.Now();
  if (delivered.others_until) politeness.OthersAsked(request.domain, *delivered.others_until, now);
  if (delivered.rest_until) politeness.Rest(request.domain, *delivered.rest_until, now);
  AskRobots(id, job);
}

void RequestFlow::AskRobots(TurnId id, Job& job) {
  job.stage = Stage::kRobots;
  const RobotsAsked asked = robots_.Ask(id, job.place.partition, *job.journey);
  switch (asked.verdict) {
    case RobotsVerdict::kAllowed:
      job.stage = Stage::kFetch;
      return fetches_.Begin(id, job.journey, /*is_robots=*/false, asked.crawl_delay,
                            /*urgent=*/job.redirect != nullptr);
    case RobotsVerdict::kDisallowed:
      return Fail(id, job, FailureCause::kRobots,
                  fmt::format("line {}: {}", asked.decision.line, asked.decision.path));
    case RobotsVerdict::kUnreachable:
      if (asked.failure && IsOnTheWay(*asked.failure)) {
        return Fail(id, job, *asked.failure, asked.message);
      }
      return Fail(id, job, FailureCause::kRobotsUnreachable,
                  fmt::format("robots.txt cannot be had{}, which forbids everything for now",
                              asked.status == 0 ? "" : fmt::format(" ({})", asked.status)));
    case RobotsVerdict::kFetch:
    case RobotsVerdict::kPending:
      return;
  }
}

void RequestFlow::Advance(bool may_fetch) {
  HandBackLate();
  fetches_.Advance(may_fetch, [this](TurnId id) { return robots_.IsWanted(id); });
  HandBackLate();
  metrics_.robots_hosts.Set(static_cast<double>(robots().hosts()));
}

void RequestFlow::HandBackLate() {
  while (const auto late = fetches_.TakeLate()) {
    const std::vector<TurnId> ids =
        robots_.Has(late->id) ? robots_.GiveUp(late->id) : std::vector<TurnId>{late->id};
    for (const TurnId id : ids) HandBackJob(id, jobs_.at(id), late->not_before, late->reason);
  }
}

void RequestFlow::OnResult(LaneResult& result) {
  FetchEnd end = fetches_.OnResult(result);
  if (std::holds_alternative<std::monostate>(end)) return;
  auto* const answer = std::get_if<Answer>(&end);
  if (robots_.Has(result.id)) return OnRobots(result.id, **answer);
  Job& job = jobs_.at(result.id);
  if (answer != nullptr) return OnAnswer(result.id, job, std::move(*answer));
  LogEntries& entries = std::get<LogEntries>(end);
  if (!entries.failure()) metrics_.pages.Increment();
  Finish(result.id, job, std::move(entries));
}

void RequestFlow::OnRobots(TurnId fetch, const FetchResult& answer) {
  for (const TurnId id : robots_.OnAnswer(fetch, answer)) {
    Job& job = jobs_.at(id);
    if (RobotsFetcher::FailsPages(answer)) {
      Fail(id, job, *answer.failure, answer.message);
    } else {
      AskRobots(id, job);
    }
  }
}

void RequestFlow::OnAnswer(TurnId id, Job& job, Answer answer) {
  if (answer->failure) return Fail(id, job, *answer->failure, answer->message, answer.get());
  switch (job.journey->Follow(answer->status, answer->Header("location"), resolver_,
                              options_.max_redirects, options_.scope)) {
    case Journey::Next::kFollow:
      job.redirect = std::move(answer);
      return AskRobots(id, job);
    case Journey::Next::kAway:
      return NotFollowed(id, job, *answer);
    case Journey::Next::kFailed:
      return Fail(id, job, FailureCause::kRedirect, job.journey->why(), answer.get());
  }
}

void RequestFlow::Fail(TurnId id, Job& job, FailureCause cause, std::string_view message,
                       const FetchResult* result) {
  LogEntries entries;
  encoder_.Failed(*job.journey, cause, message, result, &entries);
  Finish(id, job, std::move(entries));
}

void RequestFlow::HandBackJob(TurnId id, Job& job, SteadyTime not_before, DeferReason reason) {
  // A request that was answered with a redirect would get the same answer again.
  if (job.redirect != nullptr) return NotFollowed(id, job, *job.redirect);
  metrics_.handed_back(reason).Increment();
  const auto later = std::chrono::ceil<std::chrono::milliseconds>(not_before - clock_.Now());
  LogEntries entries;
  encoder_.HandedBack(job.journey->request(), clock_.Wall() + later, reason, &entries);
  Finish(id, job, std::move(entries));
}

void RequestFlow::NotFollowed(TurnId id, Job& job, const FetchResult& answer) {
  ResolvedUrl target;
  resolver_.ClearBase();
  // Follow has resolved it before.
  CHECK(resolver_.Resolve(job.journey->url(), &target) == UrlError::kNone);
  metrics_.redirects_away.Increment();
  LogEntries entries;
  encoder_.RedirectAway(*job.journey, answer, target, &entries);
  Finish(id, job, std::move(entries));
}

void RequestFlow::Finish(TurnId id, Job& job, LogEntries entries) {
  Stop(id, job);
  job.stage = Stage::kDone;
  job.journey.reset();
  job.redirect.reset();
  if (const auto cause = entries.failure()) metrics_.failed(*cause).Increment();
  metrics_.log_entries.Increment(entries.size());
  metrics_.log_bytes.Increment(entries.bytes());
  outcomes_.push_back({.id = id, .entries = std::move(entries)});
}

void RequestFlow::Stop(TurnId id, const Job& job) {
  if (job.stage == Stage::kRobots) robots_.Leave(id, job.journey->url());
  if (job.stage == Stage::kFetch) fetches_.Drop(id);
}

std::optional<FeedPlace> RequestFlow::Arrived(TurnId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  const FeedPlace place = found->second.place;
  jobs_.erase(found);
  return place;
}

void RequestFlow::HandBack(Which which, bool fetching_too) {
  std::vector<TurnId> ids;
  for (const auto& [id, job] : jobs_) {
    if (!which(job.place.partition) || job.stage == Stage::kDone) continue;
    if (fetching_too || !fetches_.IsRunning(id)) ids.push_back(id);
  }
  // In the order in which they came, which they keep.
  std::sort(ids.begin(), ids.end());
  for (const TurnId id : ids) {
    // Its connection may be busy until then, and the site would be asked twice at once.
    const Duration later = fetches_.IsRunning(id) ? options_.fetch_timeout : Duration{};
    HandBackJob(id, jobs_.at(id), clock_.Now() + later, DeferReason::kShutdown);
  }
}

void RequestFlow::Forget(Which which) {
  absl::erase_if(jobs_, [&](const auto& entry) {
    if (!which(entry.second.place.partition)) return false;
    Stop(entry.first, entry.second);
    return true;
  });
}

bool RequestFlow::Holds(Which which) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const auto& entry) { return which(entry.second.place.partition); });
}

}  // namespace orbweaver
