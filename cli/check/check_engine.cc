#include "cli/check/check_engine.h"

#include <algorithm>
#include <utility>

#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/check.h"
#include "spider/fetch/failure_cause.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {
namespace {

constexpr size_t kMaxResolving = 256;
constexpr size_t kRememberedHosts = 200'000;
constexpr uint32_t kDrawnWithoutLimit = 1000;
constexpr size_t kShownUrlBytes = 2048;
// Time to gather answers before the next are begun.
constexpr Duration kLongestStep = std::chrono::seconds(1);

// The body is nothing to us: an answer came.
bool IsAboutTheBody(FailureCause cause) {
  return cause == FailureCause::kContentType || cause == FailureCause::kEncoding ||
         cause == FailureCause::kTooLarge;
}

bool IsOfConnecting(FailureCause cause) {
  return cause == FailureCause::kDns || cause == FailureCause::kDnsTemporary ||
         cause == FailureCause::kRefused || cause == FailureCause::kUnreachable ||
         cause == FailureCause::kTimeoutConnect;
}

FetchResult Failed(FailureCause cause, std::string_view message) {
  FetchResult result;
  result.failure = cause;
  result.message = message;
  return result;
}

uint32_t PerGroup(const PressureLimits& limits) {
  return limits.domain.at_once == 0 ? kDrawnWithoutLimit
                                    : std::min(limits.domain.at_once + 1, 1000U);
}

}  // namespace

CheckEngine::CheckEngine(const CheckSettings& settings, ListedUrls urls, TextOf text_of,
                         UrlResolver& resolver, Fetcher& fetcher, const Clock& clock,
                         OnResult on_result)
    : settings_(settings),
      queue_(std::move(urls), PerGroup(settings.limits)),
      text_of_(std::move(text_of)),
      resolver_(resolver),
      fetcher_(fetcher),
      clock_(clock),
      on_result_(std::move(on_result)),
      gate_(settings.limits),
      memory_(kRememberedHosts),
      robots_(settings.robots, clock) {}

CheckEngine::~CheckEngine() = default;

bool CheckEngine::done() const {
  if (draining_) return gate_.running() == 0;
  return queue_.left() == 0 && tasks_.empty();
}

void CheckEngine::Step(SteadyTime until) {
  const SteadyTime now = clock_.Now();
  SteadyTime next = std::min(until, now + kLongestStep);
  if (!draining_) {
    while (!later_.empty() && later_.begin()->first <= now) {
      const uint64_t id = later_.begin()->second;
      later_.erase(later_.begin());
      EnterGate(id, *tasks_.at(id), now);
    }
    const size_t most = settings_.max_waiting + settings_.limits.at_once;
    while (tasks_.size() < most && resolving_ < kMaxResolving) {
      const std::optional<ListedUrl> url = queue_.Take(now);
      if (!url) break;
      Begin(*url);
    }
    StartTurns(now);
    next = std::min(next, gate_.NextWakeup());
    if (!later_.empty()) next = std::min(next, later_.begin()->first);
    if (tasks_.size() < most && resolving_ < kMaxResolving) {
      next = std::min(next, queue_.NextWakeup());
    }
  }
  if (!done()) fetcher_.Run(next, *this);
}

void CheckEngine::StartTurns(SteadyTime now) {
  while (const std::optional<VisitorId> visitor = gate_.Start(now)) {
    Task& task = *tasks_.at(visitor->value());
    task.is_first = false;
    const bool is_robots = !task.robots_of.empty();
    // It may have been refused since this one began to wait.
    task.get = task.get || memory_.RefusesHead(task.host);
    const bool head = !is_robots && !task.get;
    // Of a GET the first byte of its body is enough.
    const size_t body_bytes = is_robots ? kMaxRobotsBytes + 1 : 1;
    fetcher_.Fetch(FetchId(visitor->value()), {.url = task.url,
                                               .address = task.address,
                                               .max_body_bytes = head ? 0 : body_bytes,
                                               .any_type = true,
                                               .head_only = head});
  }
}

void CheckEngine::Begin(const ListedUrl& listed) {
  const uint64_t id = next_id_++;
  Task& task = *tasks_.emplace(id, std::make_unique<Task>()).first->second;
  task.listed = listed;
  task.result.line = listed.line;
  task.result.attempts = listed.attempts + 1;
  const std::string_view text = text_of_(listed);
  resolver_.ClearBase();
  ResolvedUrl url;
  const UrlError error = ResolveSeed(text, resolver_, &url);
  if (error != UrlError::kNone) {
    task.result.url = text.substr(0, kShownUrlBytes);
    task.result.attempts = 0;
    return Tell(id, task, FailureCause::kBadUrl,
                text.empty() ? "the line is gone" : std::string(UrlErrorName(error)));
  }
  task.result.url = task.url = url.url;
  task.domain = url.domain;
  GoTo(id, task);
}

void CheckEngine::GoTo(uint64_t id, Task& task) {
  const std::optional<FetchUrl> parts = SplitFetchUrl(task.url);
  const bool is_robots = !task.robots_of.empty();
  if (!parts) {
    if (is_robots) return OnRobots(id, task, Failed(FailureCause::kBadUrl, "not a URL to ask"));
    return Tell(id, task, FailureCause::kBadUrl, "not a URL to ask");
  }
  task.host = parts->authority;
  if (task.result.host.empty()) task.result.host = task.host;
  if (const auto cause = memory_.GivenUp(task.host); cause && !is_robots) {
    task.result.asked = !task.is_first || task.listed.attempts > 0;
    return Tell(id, task, cause, fmt::format("{} does not answer and is given up", task.host));
  }
  task.get = false;
  if (settings_.obey_robots && !is_robots) return AskRobots(id, task);
  ++resolving_;
  fetcher_.Resolve(FetchId(id), parts->host);
}

void CheckEngine::AskRobots(uint64_t id, Task& task) {
  const FetchUrl parts = *SplitFetchUrl(task.url);
  const RobotsAsked asked = robots_.Ask(parts.origin, parts.target);
  switch (asked.verdict) {
    case RobotsVerdict::kAllowed:
      if (asked.crawl_delay) task.crawl_delay = *asked.crawl_delay;
      ++resolving_;
      return fetcher_.Resolve(FetchId(id), parts.host);
    case RobotsVerdict::kDisallowed:
      return Tell(id, task, FailureCause::kRobots, "robots.txt does not allow it");
    case RobotsVerdict::kUnreachable:
      return Tell(id, task, FailureCause::kRobotsUnreachable, "robots.txt cannot be had");
    case RobotsVerdict::kPending:
      for_robots_[std::string(parts.origin)].push_back(id);
      return;
    case RobotsVerdict::kFetch:
      break;
  }
  for_robots_[std::string(parts.origin)].push_back(id);
  const uint64_t robots_id = next_id_++;
  auto robots = std::make_unique<Task>();
  robots->robots_of = parts.origin;
  robots->url = robots->robots_of + "/robots.txt";
  robots->domain = task.domain;
  Task& begun = *tasks_.emplace(robots_id, std::move(robots)).first->second;
  GoTo(robots_id, begun);
}

// `result` may be of a failure to resolve too.
void CheckEngine::OnRobots(uint64_t id, Task& task, const FetchResult& result) {
  const std::string origin = task.robots_of;
  // A host that is not there has no robots.txt either.
  const bool is_gone = result.failure && IsOfConnecting(*result.failure);
  if (is_gone) robots_.OnAbandoned(origin);
  RobotsAnswer answer{.status = result.failure ? 0 : result.status, .body = result.body};
  ResolvedUrl to;
  if (IsRedirect(answer.status) && resolver_.SetBase(task.url) == UrlError::kNone &&
      resolver_.Resolve(result.Header("location"), &to) == UrlError::kNone) {
    answer.location = to.url;
  }
  if (const auto next = robots_.OnAnswer(origin, answer)) {
    task.domain = to.domain;
    task.url = *next;
    return GoTo(id, task);
  }
  const auto node = for_robots_.extract(origin);
  tasks_.erase(id);
  if (node.empty()) return;
  for (const uint64_t waiting : node.mapped()) {
    Task& for_it = *tasks_.at(waiting);
    if (is_gone) {
      for_it.result.address = result.address;
      Conclude(waiting, for_it, result.failure, result.message);
    } else {
      AskRobots(waiting, for_it);
    }
  }
}

void CheckEngine::OnResolved(const Resolution& resolution) {
  --resolving_;
  const uint64_t id = resolution.id.value();
  Task& task = *tasks_.at(id);
  if (!resolution.failure) {
    task.address = resolution.address;
    task.dns = resolution.took;
    return EnterGate(id, task, clock_.Now());
  }
  if (!task.robots_of.empty()) {
    return OnRobots(id, task, Failed(*resolution.failure, resolution.message));
  }
  task.result.times = {.dns = resolution.took, .total = resolution.took};
  Conclude(id, task, resolution.failure, std::string(resolution.message));
}

void CheckEngine::EnterGate(uint64_t id, Task& task, SteadyTime now) {
  const auto refused = gate_.Add({.id = VisitorId(id),
                                  .host = task.host,
                                  .domain = task.domain,
                                  .address = task.address,
                                  .crawl_delay = task.crawl_delay},
                                 now);
  if (!refused) return;
  if (!task.robots_of.empty()) {
    later_.emplace(*refused, id);
  } else if (task.is_first) {
    const ListedUrl listed = task.listed;
    tasks_.erase(id);
    queue_.PutBack(listed, *refused);
  } else if (*refused - now <= settings_.next_step_wait) {
    later_.emplace(*refused, id);
  } else {
    Tell(id, task, FailureOfStatus(task.result.status).value_or(FailureCause::kRedirect),
         fmt::format("{} is asked as often as it may be: not followed", task.host),
         CheckVerdict::kUnclear);
  }
}

void CheckEngine::Note(const FetchResult& result, Task& task) const {
  CheckResult& into = task.result;
  into.by_get = task.get;
  into.status = result.status;
  into.address = result.address;
  into.times = result.times;
  into.times.dns = task.dns;
  into.tls_error = result.tls_error;
  if (result.certificate_end &&
      (!into.certificate_end || *result.certificate_end < *into.certificate_end)) {
    into.certificate_end = result.certificate_end;
    into.certificate_host = task.host;
  }
}

void CheckEngine::OnFetched(FetchResult& result) {
  const uint64_t id = result.id.value();
  Task& task = *tasks_.at(id);
  const SteadyTime now = clock_.Now();
  gate_.Ended(VisitorId(id), now);
  // Each time one connection less is kept, so this comes to an end.
  if (result.stale) return EnterGate(id, task, now);
  if (result.failure && result.status != 0 && IsAboutTheBody(*result.failure)) {
    result.failure.reset();
    result.message.clear();
  }
  if (result.failure) {
    memory_.OnFailure(task.host, *result.failure, now);
  } else {
    memory_.OnAnswer(task.host);
  }
  if (!result.failure && (result.status == 429 || result.status == 503)) {
    gate_.Complain(task.domain, result.retry_after, now);
  }
  if (!task.robots_of.empty()) return OnRobots(id, task, result);
  Note(result, task);
  OnAnswer(id, task, result, now);
}

void CheckEngine::OnAnswer(uint64_t id, Task& task, const FetchResult& result, SteadyTime now) {
  if (!task.get && NeedsGet(result.failure, result.status)) {
    if (result.status == 405 || result.status == 501) memory_.OnHeadRefused(task.host);
    task.get = true;
    return EnterGate(id, task, now);
  }
  if (!result.failure && IsRedirect(result.status)) return FollowRedirect(id, task, result);
  Conclude(id, task, result.failure, result.message);
}

void CheckEngine::FollowRedirect(uint64_t id, Task& task, const FetchResult& result) {
  std::vector<CheckHop>& redirects = task.result.redirects;
  const std::string_view location = result.Header("location");
  ResolvedUrl to;
  if (location.empty() || resolver_.SetBase(task.url) != UrlError::kNone ||
      resolver_.Resolve(location, &to) != UrlError::kNone) {
    return Tell(id, task, FailureCause::kRedirect, "it leads to no URL that can be asked");
  }
  const bool is_circle =
      to.url == task.result.url ||
      std::ranges::any_of(redirects, [&](const CheckHop& hop) { return hop.url == to.url; });
  if (redirects.size() >= settings_.max_redirects) {
    redirects.push_back({.status = result.status, .url = std::string(to.url)});
    const bool wanted = settings_.max_redirects == 0;
    return Tell(id, task, FailureCause::kRedirect, wanted ? "not followed" : "too many redirects",
                wanted ? CheckVerdict::kUnclear : CheckVerdict::kDead);
  }
  redirects.push_back({.status = result.status, .url = std::string(to.url)});
  if (is_circle) return Tell(id, task, FailureCause::kRedirect, "redirects in a circle");
  task.url = to.url;
  task.domain = to.domain;
  task.crawl_delay.reset();
  GoTo(id, task);
}

void CheckEngine::Conclude(uint64_t id, Task& task, std::optional<FailureCause> failure,
                           std::string message) {
  if (!IsTemporary(failure, task.result.status) || task.listed.attempts >= settings_.retries) {
    return Tell(id, task, failure, std::move(message));
  }
  ListedUrl listed = task.listed;
  listed.attempts = listed.attempts + 1;
  tasks_.erase(id);
  queue_.Retry(listed, clock_.Now() + settings_.retry_delay);
}

void CheckEngine::Tell(uint64_t id, Task& task, std::optional<FailureCause> failure,
                       std::string message, std::optional<CheckVerdict> verdict) {
  CheckResult& result = task.result;
  // The status of a redirect on the way is not that of what failed behind it.
  if (failure && *failure != FailureCause::kRedirect && !verdict) result.status = 0;
  result.verdict = verdict.value_or(Judge(failure, result.status));
  result.cause = failure ? failure : FailureOfStatus(result.status);
  result.message = std::move(message);
  result.checked_at = clock_.Wall();
  on_result_(result);
  const ListedUrl listed = task.listed;
  tasks_.erase(id);
  queue_.Finish(listed);
}

}  // namespace orbweaver
