// Long, because every stage of a request is in it, and each ends by beginning the next one or by
// the request's outcome: that there is always exactly one can be seen only where all of them stand.
#include "spider/crawl/request_flow.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/url/partition.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

constexpr std::string_view kRobotsPath = "/robots.txt";
constexpr Duration kPaceSlack = std::chrono::milliseconds(20);

// A request that was held up so often fails by itself where others got through, before or since:
// a proxy's 502, a name that no server answers for, or an address of IPv6 may be the host's affair,
// and the last host of a crawl has nobody beside it who would show that.
constexpr int kMostHoldUps = 5;
// A way that opens and closes again is told of so often at most.
constexpr Duration kTellEvery = std::chrono::seconds(10);

// Failures of which asking again for robots.txt at once would say nothing else: its pages fail by
// them, and nothing is learnt of robots.txt.
bool IsOfTheHost(FailureCause cause) {
  switch (cause) {
    case FailureCause::kDns:
    case FailureCause::kDnsTemporary:
    case FailureCause::kPrivateAddress:
    case FailureCause::kPort:
    case FailureCause::kProxy:
    case FailureCause::kTls:
    case FailureCause::kTlsCertificate:
      return true;
    default:
      return false;
  }
}

// Those by which a page fails when its robots.txt could not be had for them: the way to the host.
// Of others, such as a robots.txt in a broken encoding, a page would not fail.
bool IsOnTheWay(FailureCause cause) {
  switch (cause) {
    case FailureCause::kRefused:
    case FailureCause::kUnreachable:
    case FailureCause::kReset:
    case FailureCause::kTimeoutConnect:
    case FailureCause::kTimeoutTls:
    case FailureCause::kTimeoutFirstByte:
    case FailureCause::kTimeoutTotal:
    case FailureCause::kTooSlow:
    case FailureCause::kProtocol:
      return true;
    default:
      return false;
  }
}

// The result was decided here, before anything was sent.
bool WasDecidedHere(const LaneResult& result) {
  if (result.ask_again) return true;
  if (result.kind == LaneTask::Kind::kResolve) return !result.asked_names;
  if (!result.failure) return false;
  switch (*result.failure) {
    case FailureCause::kDns:
    case FailureCause::kDnsTemporary:
      return !result.asked_names;
    case FailureCause::kPrivateAddress:
    case FailureCause::kPort:
    case FailureCause::kBadUrl:
      return true;
    default:
      return false;
  }
}

// Whether the other end itself, or what stands before it, had its part in the result.
bool CameFromOutside(const LaneResult& result) {
  if (result.kind == LaneTask::Kind::kResolve) return false;
  if (result.ending.status != 0) return true;
  if (!result.failure) return true;
  switch (*result.failure) {
    case FailureCause::kRefused:
    case FailureCause::kReset:
    case FailureCause::kTimeoutTls:
    case FailureCause::kTimeoutFirstByte:
    case FailureCause::kTls:
    case FailureCause::kTlsCertificate:
    case FailureCause::kProtocol:
      return true;
    default:
      return false;
  }
}

}  // namespace

RequestFlow::RequestFlow(RequestFlowOptions options, const PublicSuffixes& suffixes,
                         const Clock& clock, Lanes& lanes, CrawlMetrics& metrics)
    : options_(std::move(options)),
      clock_(clock),
      lanes_(lanes),
      metrics_(metrics),
      resolver_(options_.urls, suffixes),
      politeness_(options_.politeness),
      robots_(options_.robots, clock),
      encoder_(options_.publish, clock) {}

void RequestFlow::Begin(const FeedRequest& delivered) {
  const TurnId id(next_id_++);
  const Request& request = delivered.journey->request();
  auto made = std::make_unique<Job>(
      Job{.place = delivered.place, .journey = delivered.journey, .slot = SlotOf(request.domain)});
  Job& job = *jobs_.emplace(id, std::move(made)).first->second;
  if (OriginOf(request.url).empty()) {
    return Fail(id, job, FailureCause::kBadUrl, "no scheme and host");
  }
  if (delivered.others_until) {
    politeness_.OthersAsked(request.domain, *delivered.others_until, clock_.Now());
  }
  if (delivered.rest_until) politeness_.Rest(request.domain, *delivered.rest_until, clock_.Now());
  AskRobots(id, job);
}

void RequestFlow::AskRobots(TurnId id, Job& job) {
  job.stage = Stage::kRobots;
  const std::string_view url = job.journey->url();
  const std::string_view origin = OriginOf(url);
  if (robots_.IsUntold(origin)) TellFacts(origin, std::nullopt);
  const RobotsAsked asked = robots_.Ask(origin, url.substr(origin.size()));
  switch (asked.verdict) {
    case RobotsVerdict::kAllowed:
      job.crawl_delay = asked.crawl_delay;
      return WaitForTurn(id, url, job.slot);
    case RobotsVerdict::kDisallowed:
      return Fail(id, job, FailureCause::kRobots,
                  fmt::format("line {}: {}", asked.decision.line, asked.decision.path));
    case RobotsVerdict::kUnreachable:
      if (asked.failure && IsOnTheWay(*asked.failure)) {
        return Fail(id, job, *asked.failure, std::string(asked.message));
      }
      return Fail(id, job, FailureCause::kRobotsUnreachable,
                  fmt::format("robots.txt cannot be had{}, which forbids everything for now",
                              asked.status == 0 ? "" : fmt::format(" ({})", asked.status)));
    case RobotsVerdict::kFetch:
      return FetchRobots(job, origin, id);
    case RobotsVerdict::kPending:
      robots_fetches_.at(robots_by_origin_.at(ToAbsl(origin)))->waiters.push_back(id);
  }
}

void RequestFlow::FetchRobots(const Job& job, std::string_view origin, TurnId waiter) {
  const TurnId id(next_id_++);
  auto robots = std::make_unique<RobotsFetch>();
  robots->partition = job.place.partition;
  robots->origin = origin;
  robots->url = fmt::format("{}{}", origin, kRobotsPath);
  robots->domain = job.journey->request().domain;
  robots->slot = job.slot;
  robots->delay = job.journey->request().delay;
  robots->waiters.push_back(waiter);
  robots_by_origin_.emplace(std::string(origin), id);
  const RobotsFetch& kept = *robots_fetches_.emplace(id, std::move(robots)).first->second;
  WaitForTurn(id, kept.url, kept.slot);
}

void RequestFlow::WaitForTurn(TurnId id, std::string_view url, Slot slot) {
  if (options_.politeness.address_delay == Duration{}) return AddTurn(id);
  if (Job* const job = Find(id)) job->stage = Stage::kAddress;
  lanes_.Start({.kind = LaneTask::Kind::kResolve, .id = id, .slot = slot, .url = std::string(url)});
}

void RequestFlow::AddTurn(TurnId id) {
  const SteadyTime now = clock_.Now();
  if (Job* const job = Find(id)) {
    job->stage = Stage::kTurn;
    const std::string address = job->address.Text();
    politeness_.Add({.id = id,
                     .domain = job->journey->request().domain,
                     .address = address,
                     .delay = job->journey->request().delay,
                     .crawl_delay = job->crawl_delay,
                     .urgent = job->redirect != nullptr || job->again},
                    now);
    return;
  }
  const RobotsFetch& robots = *robots_fetches_.at(id);
  const std::string address = robots.address.Text();
  politeness_.Add({.id = id,
                   .domain = robots.domain,
                   .address = address,
                   .delay = robots.delay,
                   .urgent = true},
                  now);
}

void RequestFlow::OnAddress(LaneResult& result) {
  Judge(result);
  if (Job* const job = Find(result.id); job != nullptr && job->stage == Stage::kAddress) {
    if (IsHeldUp(result, &job->hold_ups)) return without_address_.push_back(result.id);
    if (result.failure) return Fail(result.id, *job, *result.failure, result.message);
    job->address = result.address;
    return AddTurn(result.id);
  }
  const auto found = robots_fetches_.find(result.id);
  if (found == robots_fetches_.end()) return;
  RobotsFetch& robots = *found->second;
  if (IsHeldUp(result, &robots.hold_ups)) return without_address_.push_back(result.id);
  robots.address = result.address;
  if (!result.failure) return AddTurn(result.id);
  robots_.OnAbandoned(robots.origin);
  for (const TurnId waiter : EndRobotsFetch(result.id)) {
    if (Job* const job = Find(waiter)) Fail(waiter, *job, *result.failure, result.message);
  }
}

void RequestFlow::Advance(bool may_fetch) {
  HandBackLate();
  AskNamesAgain();
  while (may_fetch && fetching_ < options_.max_fetches) {
    const SteadyTime now = clock_.Now();
    if (now < next_start_ || !way_.MayStart(now)) break;
    const std::optional<TurnId> id = politeness_.Start(now);
    if (!id) break;
    StartFetch(*id);
    Pace(now);
  }
  HandBackLate();
  metrics_.waiting.Set(static_cast<double>(politeness_.waiting()));
  metrics_.fetching.Set(static_cast<double>(fetching_));
  metrics_.robots_hosts.Set(static_cast<double>(robots_.hosts()));
}

void RequestFlow::Pace(SteadyTime now) {
  if (options_.politeness.rate == 0) return;
  const auto interval = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(1 / options_.politeness.rate));
  // Steps come a little late; this much of it is made up for.
  next_start_ = std::max(next_start_, now - kPaceSlack) + interval;
}

void RequestFlow::StartFetch(TurnId id) {
  if (Job* const job = Find(id); job != nullptr && job->stage == Stage::kTurn) {
    job->stage = Stage::kFetching;
    lanes_.Start({.id = id,
                  .slot = job->slot,
                  .url = std::string(job->journey->url()),
                  .address = job->address,
                  .journey = job->journey,
                  .again = job->again});
  } else if (RobotsFetch* const wanted = WantedRobots(id)) {
    RobotsFetch& robots = *wanted;
    robots.fetching = true;
    metrics_.robots_fetches.Increment();
    lanes_.Start({.kind = LaneTask::Kind::kRobots,
                  .id = id,
                  .slot = robots.slot,
                  .url = robots.url,
                  .address = robots.address,
                  .again = robots.again});
  } else {
    // Nobody waits for it any more: handed back, or another spider's.
    CHECK(politeness_.Ended(id, {}, clock_.Now()));
    return;
  }
  way_.OnStarted();
  ++fetching_;
}

RequestFlow::RobotsFetch* RequestFlow::WantedRobots(TurnId id) {
  const auto found = robots_fetches_.find(id);
  if (found == robots_fetches_.end()) return nullptr;
  RobotsFetch& robots = *found->second;
  const bool wanted =
      std::any_of(robots.waiters.begin(), robots.waiters.end(), [this](TurnId waiter) {
        const Job* const job = Find(waiter);
        return job != nullptr && job->stage == Stage::kRobots;
      });
  if (wanted) return &robots;
  robots_.OnAbandoned(robots.origin);
  (void)EndRobotsFetch(id);
  return nullptr;
}

void RequestFlow::HandBackLate() {
  while (const auto late = politeness_.TakeDeferred()) {
    const WallTime not_before = WallAt(late->not_before);
    const DeferReason reason = late->reason == Politeness::Reason::kBackOff
                                   ? DeferReason::kBackOff
                                   : DeferReason::kPoliteness;
    if (Job* const job = Find(late->id); job != nullptr && job->stage == Stage::kTurn) {
      HandBackJob(late->id, *job, not_before, reason);
    } else if (const auto found = robots_fetches_.find(late->id); found != robots_fetches_.end()) {
      robots_.OnAbandoned(found->second->origin);
      for (const TurnId waiter : EndRobotsFetch(late->id)) {
        if (Job* const waiting = Find(waiter)) HandBackJob(waiter, *waiting, not_before, reason);
      }
    }
  }
}

void RequestFlow::OnResult(LaneResult& result) {
  if (result.kind == LaneTask::Kind::kResolve) return OnAddress(result);
  CHECK(politeness_.Ended(result.id, result.ending, clock_.Now()));
  metrics_.fetch_seconds.Observe(std::chrono::duration<double>(result.took).count());
  --fetching_;
  Judge(result);
  if (result.kind == LaneTask::Kind::kRobots) {
    RobotsFetch& robots = *robots_fetches_.at(result.id);
    robots.fetching = false;
    NoteRest(robots.domain, robots.slot);
    if (IsHeldUp(result, &robots.hold_ups)) return AddTurn(result.id);
    if (!result.ask_again) return OnRobots(result.id, robots, result);
    robots.again = true;
    return AddTurn(result.id);
  }
  Job* const job = Find(result.id);
  if (job == nullptr || job->stage != Stage::kFetching) {
    int nobodys = 0;
    (void)IsHeldUp(result, &nobodys);
    metrics_.late_answers.Increment();
    return;
  }
  NoteRest(job->journey->request().domain, job->slot);
  if (IsHeldUp(result, &job->hold_ups)) return AddTurn(result.id);
  if (!result.ask_again) return OnPage(result.id, *job, result);
  job->again = true;
  AddTurn(result.id);
}

void RequestFlow::Judge(const LaneResult& result) {
  if (result.suspect) return;
  const SteadyTime now = clock_.Now();
  if (result.asked_names) way_.OnWorked(OwnSide::kNameServers, now);
  if (WasDecidedHere(result)) {
    way_.OnNothingLearnt(result.began);
  } else {
    if (CameFromOutside(result)) {
      way_.OnWorked(OwnSide::kNetwork, now);
      way_.OnWorked(OwnSide::kProxy, now);
    }
    way_.OnPassed(result.began);
  }
  TellWayOut();
}

bool RequestFlow::IsHeldUp(const LaneResult& result, int* hold_ups) {
  if (!result.suspect) return false;
  const bool is_others = !way_.OnSuspect(
      *result.suspect, result.answer == nullptr ? result.message : result.answer->message,
      result.began, clock_.Now());
  TellWayOut();
  if (is_others) return false;
  return ++*hold_ups <= kMostHoldUps || !way_.HasWorkedSince(*result.suspect, SteadyTime::min());
}

void RequestFlow::TellWayOut() {
  const auto& closed = way_.closed();
  for (int i = 0; i < kOwnSides; ++i) {
    const auto side = static_cast<OwnSide>(i);
    metrics_.no_way_out(side).Set(closed && closed->side == side ? 1 : 0);
  }
  if (closed.has_value() == told_closed_) return;
  const SteadyTime now = clock_.Now();
  if (closed && now < next_told_) return;
  told_closed_ = closed.has_value();
  if (!closed) return Log(LogLevel::kInfo, "spider", "the way out is open again: fetching goes on");
  next_told_ = now + kTellEvery;
  Log(LogLevel::kInfo, "spider",
      "no way out ({}): {}. Requests wait, and are tried again until it is open",
      OwnSideName(closed->side), closed->message);
}

void RequestFlow::AskNamesAgain() {
  while (!without_address_.empty() && way_.MayStart(clock_.Now())) {
    const TurnId id = without_address_.back();
    without_address_.pop_back();
    const auto robots = robots_fetches_.find(id);
    const Job* const job = Find(id);
    const bool is_waited_for =
        robots != robots_fetches_.end() || (job != nullptr && job->stage == Stage::kAddress);
    if (!is_waited_for) continue;
    way_.OnStarted();
    const std::string url(job != nullptr ? job->journey->url() : robots->second->url);
    WaitForTurn(id, url, job != nullptr ? job->slot : robots->second->slot);
  }
}

void RequestFlow::NoteRest(std::string_view domain, Slot slot) {
  const SteadyTime until = politeness_.RestsUntil(domain);
  if (until > clock_.Now()) {
    rests_.push_back({.domain = std::string(domain), .slot = slot, .until = until});
  }
}

void RequestFlow::OnPage(TurnId id, Job& job, LaneResult& result) {
  if (result.suspect) {
    return Fail(id, job, *result.failure, result.answer->message, result.answer.get());
  }
  if (result.answer == nullptr) {
    if (const auto cause = result.entries.failure()) {
      metrics_.failed(*cause).Increment();
    } else {
      metrics_.pages.Increment();
    }
    return Finish(id, job, std::move(result.entries));
  }
  const FetchResult& answer = *result.answer;
  switch (job.journey->Follow(answer.status, answer.Header("location"), resolver_,
                              options_.max_redirects, options_.scope)) {
    case Journey::Next::kFollow:
      job.redirect = std::move(result.answer);
      job.address = IpAddress();
      job.again = false;
      return AskRobots(id, job);
    case Journey::Next::kAway:
      return NotFollowed(id, job, answer);
    case Journey::Next::kFailed:
      return Fail(id, job, FailureCause::kRedirect, job.journey->why(), &answer);
  }
}

void RequestFlow::OnRobots(TurnId id, RobotsFetch& robots, LaneResult& result) {
  const FetchResult& answer = *result.answer;
  if (answer.failure && IsOfTheHost(*answer.failure)) {
    robots_.OnAbandoned(robots.origin);
    for (const TurnId waiter : EndRobotsFetch(id)) {
      if (Job* const job = Find(waiter)) Fail(waiter, *job, *answer.failure, answer.message);
    }
    return;
  }
  ResolvedUrl target;
  const bool redirected = !answer.failure && IsRedirect(answer.status) &&
                          !answer.Header("location").empty() &&
                          resolver_.SetBase(robots.url) == UrlError::kNone &&
                          resolver_.Resolve(answer.Header("location"), &target) == UrlError::kNone;
  const auto next =
      robots_.OnAnswer(robots.origin, {.status = answer.failure ? 0 : answer.status,
                                       .body = answer.body,
                                       .location = redirected ? target.url : std::string_view(),
                                       .failure = answer.failure,
                                       .message = answer.message});
  if (next) {
    robots.url = *next;
    robots.domain = target.domain;
    robots.slot = target.slot;
    robots.address = IpAddress();
    robots.again = false;
    return WaitForTurn(id, robots.url, robots.slot);
  }
  TellFacts(robots.origin, answer.retry_after);
  for (const TurnId waiter : EndRobotsFetch(id)) {
    if (Job* const job = Find(waiter); job != nullptr && job->stage == Stage::kRobots) {
      AskRobots(waiter, *job);
    }
  }
}

std::vector<TurnId> RequestFlow::EndRobotsFetch(TurnId id) {
  const auto found = robots_fetches_.find(id);
  robots_by_origin_.erase(found->second->origin);
  std::vector<TurnId> waiters = std::move(found->second->waiters);
  robots_fetches_.erase(found);
  // Those handed back meanwhile have their outcome.
  std::erase_if(waiters, [this](TurnId waiter) {
    const Job* const job = Find(waiter);
    return job == nullptr || job->stage != Stage::kRobots;
  });
  return waiters;
}

void RequestFlow::TellFacts(std::string_view origin, std::optional<Duration> retry_after) {
  HostFacts facts{.host = HostAndPort(origin), .observed_at = clock_.Wall()};
  const bool known = robots_.DescribeHost(origin, &facts);
  if (retry_after) facts.retry_after = std::chrono::round<std::chrono::milliseconds>(*retry_after);
  if (!known && !retry_after) return;
  ResolvedUrl host;
  resolver_.ClearBase();
  if (resolver_.Resolve(origin, &host) != UrlError::kNone) return;
  if (facts.crawl_delay) politeness_.SetCrawlDelay(host.domain, *facts.crawl_delay, clock_.Now());
  LogEntries entries;
  encoder_.Facts(host.domain, facts, &entries);
  if (!entries.empty()) outcomes_.push_back({.id = TurnId(), .entries = std::move(entries)});
}

void RequestFlow::Fail(TurnId id, Job& job, FailureCause cause, std::string_view message,
                       const FetchResult* result) {
  metrics_.failed(cause).Increment();
  LogEntries entries;
  encoder_.Failed(*job.journey, cause, message, result, &entries);
  Finish(id, job, std::move(entries));
}

void RequestFlow::HandBackJob(TurnId id, Job& job, WallTime not_before, DeferReason reason) {
  // A request that was answered with a redirect would get the same answer again.
  if (job.redirect != nullptr) return NotFollowed(id, job, *job.redirect);
  metrics_.handed_back(reason).Increment();
  LogEntries entries;
  encoder_.HandedBack(job.journey->request(), not_before, reason, &entries);
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
  job.stage = Stage::kDone;
  job.redirect.reset();
  metrics_.log_entries.Increment(entries.size());
  metrics_.log_bytes.Increment(entries.bytes());
  outcomes_.push_back({.id = id, .entries = std::move(entries)});
}

std::optional<FeedPlace> RequestFlow::Arrived(TurnId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  const FeedPlace place = found->second->place;
  jobs_.erase(found);
  return place;
}

void RequestFlow::HandBack(WhichRequests which, bool fetching_too) {
  std::vector<TurnId> ids;
  for (const auto& [id, job] : jobs_) {
    if (!Concerns(which, job->place.partition) || job->stage == Stage::kDone) continue;
    if (job->stage != Stage::kFetching || fetching_too) ids.push_back(id);
  }
  // In the order in which they came, which they keep.
  std::sort(ids.begin(), ids.end());
  for (const TurnId id : ids) {
    Job* const job = Find(id);
    const bool fetching = job->stage == Stage::kFetching;
    // Its connection may be busy until then, and the site would be asked twice at once.
    const Duration later = fetching ? options_.fetch_timeout : Duration{};
    HandBackJob(id, *job, WallAt(clock_.Now() + later), DeferReason::kShutdown);
  }
}

void RequestFlow::Forget(WhichRequests which) {
  absl::erase_if(
      jobs_, [which](const auto& entry) { return Concerns(which, entry.second->place.partition); });
}

bool RequestFlow::Holds(WhichRequests which) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [which](const auto& entry) {
    return Concerns(which, entry.second->place.partition);
  });
}

SteadyTime RequestFlow::NextLook() const {
  if (way_.closed()) {
    return without_address_.empty() ? std::max(way_.NextProbe(), politeness_.NextLook())
                                    : way_.NextProbe();
  }
  // With all connections in use an answer comes first.
  return fetching_ < options_.max_fetches ? std::max(politeness_.NextLook(), next_start_)
                                          : SteadyTime::max();
}

bool RequestFlow::AsksRobots(WhichRequests which) const {
  return std::any_of(robots_fetches_.begin(), robots_fetches_.end(), [which](const auto& entry) {
    return entry.second->fetching && Concerns(which, entry.second->partition);
  });
}

bool RequestFlow::Concerns(WhichRequests which, PartitionId partition) {
  return which.partitions == nullptr ||
         std::find(which.partitions->begin(), which.partitions->end(), partition) !=
             which.partitions->end();
}

RequestFlow::Job* RequestFlow::Find(TurnId id) {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second.get();
}

WallTime RequestFlow::WallAt(SteadyTime when) const {
  return clock_.Wall() + std::chrono::ceil<std::chrono::milliseconds>(when - clock_.Now());
}

}  // namespace orbweaver
