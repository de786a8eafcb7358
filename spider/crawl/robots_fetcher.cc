#include "spider/crawl/robots_fetcher.h"

#include <algorithm>

#include "fmt/format.h"

#include "common/base/text.h"
#include "common/model/limits.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {

RobotsFetcher::RobotsFetcher(const RobotsOptions& options, const Clock& clock,
                             UrlResolver& resolver, OutcomeEncoder& encoder, PoliteFetches& fetches)
    : resolver_(resolver),
      clock_(clock),
      encoder_(encoder),
      fetches_(fetches),
      cache_(options, clock) {}

RobotsAsked RobotsFetcher::Ask(TurnId waiter, PartitionId partition, const Journey& journey) {
  const std::string_view url = journey.url();
  const std::string_view origin = OriginOf(url);
  if (cache_.IsUntold(origin)) ReportFacts(origin, std::nullopt, std::nullopt);
  RobotsAsked asked = cache_.Ask(origin, url.substr(origin.size()));
  if (asked.verdict == RobotsVerdict::kPending) {
    files_.at(by_origin_.at(ToAbsl(origin))).waiters.push_back(waiter);
  } else if (asked.verdict == RobotsVerdict::kFetch) {
    asked.verdict = RobotsVerdict::kPending;
    const TurnId id = fetches_.NewId();
    const Request& request = journey.request();
    auto file = std::make_shared<Journey>(fmt::format("{}/robots.txt", origin), request.domain,
                                          request.delay);
    by_origin_.emplace(std::string(origin), id);
    files_.emplace(id, RobotsFetch{.partition = partition,
                                   .origin = std::string(origin),
                                   .journey = file,
                                   .waiters = {waiter}});
    fetches_.Begin(id, std::move(file), /*is_robots=*/true, std::nullopt, /*urgent=*/true);
  }
  return asked;
}

void RobotsFetcher::Leave(TurnId waiter, std::string_view url) {
  const auto found = by_origin_.find(ToAbsl(OriginOf(url)));
  if (found != by_origin_.end()) std::erase(files_.at(found->second).waiters, waiter);
}

bool RobotsFetcher::IsWanted(TurnId fetch) {
  const auto found = files_.find(fetch);
  if (found == files_.end() || !found->second.waiters.empty()) return true;
  (void)GiveUp(fetch);
  return false;
}

bool RobotsFetcher::FailsPages(const FetchResult& answer) {
  using enum FailureCause;
  return answer.failure && IsAmong(*answer.failure, {kDns, kDnsTemporary, kPrivateAddress, kPort,
                                                     kProxy, kTls, kTlsCertificate});
}

std::vector<TurnId> RobotsFetcher::OnAnswer(TurnId id, const FetchResult& answer) {
  if (FailsPages(answer)) return GiveUp(id);
  RobotsFetch& fetch = files_.at(id);
  ResolvedUrl target;
  const std::string_view location = answer.Header("location");
  const bool redirected = !answer.failure && IsRedirect(answer.status) && !location.empty() &&
                          resolver_.SetBase(fetch.journey->url()) == UrlError::kNone &&
                          resolver_.Resolve(location, &target) == UrlError::kNone;
  const auto next =
      cache_.OnAnswer(fetch.origin, {.status = answer.failure ? 0 : answer.status,
                                     .body = answer.body,
                                     .location = redirected ? target.url : std::string_view(),
                                     .failure = answer.failure,
                                     .message = answer.message});
  if (next) {
    fetch.journey = std::make_shared<Journey>(*next, target.domain, fetch.journey->request().delay);
    fetches_.Begin(id, fetch.journey, /*is_robots=*/true, std::nullopt, /*urgent=*/true);
    return {};
  }
  const std::string origin = fetch.origin;
  std::vector<TurnId> waiters = GiveUp(id);
  std::optional<std::string_view> file;
  if (!answer.failure && answer.status >= 200 && answer.status < 300) file = answer.body;
  ReportFacts(origin, answer.retry_after, file);
  return waiters;
}

std::vector<TurnId> RobotsFetcher::GiveUp(TurnId id) {
  auto ended = files_.extract(id);
  RobotsFetch& fetch = ended.mapped();
  by_origin_.erase(fetch.origin);
  // Without effect on an origin that is known now.
  cache_.OnAbandoned(fetch.origin);
  return std::move(fetch.waiters);
}

bool RobotsFetcher::IsRunningFor(absl::FunctionRef<bool(PartitionId)> which) const {
  return std::any_of(files_.begin(), files_.end(), [&](const auto& entry) {
    return fetches_.IsRunning(entry.first) && which(entry.second.partition);
  });
}

void RobotsFetcher::ReportFacts(std::string_view origin, std::optional<Duration> retry_after,
                                std::optional<std::string_view> file) {
  HostFacts facts{.host = HostAndPort(origin), .observed_at = clock_.Wall()};
  const bool known = cache_.DescribeHost(origin, &facts);
  if (retry_after) facts.retry_after = std::chrono::round<std::chrono::milliseconds>(*retry_after);
  if (!known && !retry_after) return;
  if (known && file) {
    facts.robots_txt = file->substr(0, kMaxRobotsTxtBytes);
    facts.robots_txt_bytes = file->size();
  }
  ResolvedUrl host;
  resolver_.ClearBase();
  if (resolver_.Resolve(origin, &host) != UrlError::kNone) return;
  if (facts.crawl_delay) {
    fetches_.politeness().SetCrawlDelay(host.domain, *facts.crawl_delay, clock_.Now());
  }
  encoder_.Facts(host.domain, facts, &facts_.emplace_back());
  if (facts_.back().empty()) facts_.pop_back();
}

}  // namespace orbweaver
