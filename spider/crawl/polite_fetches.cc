#include "spider/crawl/polite_fetches.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/log.h"

namespace orbweaver {
namespace {

constexpr Duration kPaceSlack = std::chrono::milliseconds(20);

// A fetch that was held up so often fails by itself where others got through, before or since:
// a proxy's 502, a name that no server answers for, or an address of IPv6 may be the host's affair,
// and the last host of a crawl has nobody beside it who would show that.
constexpr int kMostHoldUps = 5;
// A way that opens and closes again is told of so often at most.
constexpr Duration kTellEvery = std::chrono::seconds(10);

// Of a failure that may be our own side's.
std::string_view MessageOf(const LaneResult& result) {
  const auto* const over = std::get_if<FetchOver>(&result.what);
  return (over != nullptr ? std::get<Answer>(over->end) : std::get<Answer>(result.what))->message;
}

}  // namespace

PoliteFetches::PoliteFetches(const PolitenessOptions& options, size_t max_fetches,
                             const Clock& clock, Lanes& lanes, CrawlMetrics& metrics)
    : options_(options),
      max_fetches_(max_fetches),
      clock_(clock),
      lanes_(lanes),
      metrics_(metrics),
      politeness_(options) {}

void PoliteFetches::Begin(TurnId id, std::shared_ptr<const Journey> journey, bool is_robots,
                          std::optional<Duration> crawl_delay, bool urgent) {
  const auto [added, is_new] = fetches_.emplace(id, Fetch{.journey = std::move(journey),
                                                          .task = {.is_robots = is_robots},
                                                          .crawl_delay = crawl_delay,
                                                          .urgent = urgent});
  CHECK(is_new);
  if (options_.address_delay == Duration{}) return AddTurn(id, added->second);
  LookUp(id, added->second);
}

void PoliteFetches::LookUp(TurnId id, Fetch& fetch) {
  fetch.stage = Stage::kLooksUp;
  fetch.began = clock_.Now();
  lanes_.Start({.id = id, .journey = fetch.journey});
}

void PoliteFetches::AddTurn(TurnId id, Fetch& fetch) {
  fetch.stage = Stage::kWaits;
  const Request& request = fetch.journey->request();
  const std::string address = fetch.task.address.Text();
  politeness_.Add({.id = id,
                   .domain = request.domain,
                   .address = address,
                   .delay = request.delay,
                   .crawl_delay = fetch.crawl_delay,
                   .urgent = fetch.urgent || fetch.task.again},
                  clock_.Now());
}

void PoliteFetches::Drop(TurnId id) {
  const auto found = fetches_.find(id);
  if (found == fetches_.end()) return;
  const Stage stage = found->second.stage;
  if (stage == Stage::kLooksUp || stage == Stage::kRuns) {
    found->second.dropped = true;
  } else {
    fetches_.erase(found);
  }
}

bool PoliteFetches::IsRunning(TurnId id) const {
  const auto found = fetches_.find(id);
  return found != fetches_.end() && found->second.stage == Stage::kRuns;
}

void PoliteFetches::Advance(bool may_fetch, absl::FunctionRef<bool(TurnId)> is_wanted) {
  AskNamesAgain();
  while (may_fetch && running_ < max_fetches_) {
    const SteadyTime now = clock_.Now();
    if (now < next_start_ || !way_.MayStart(now)) break;
    const std::optional<TurnId> id = politeness_.Start(now);
    if (!id) break;
    if (!is_wanted(*id)) Drop(*id);
    if (const auto found = fetches_.find(*id); found != fetches_.end()) {
      Start(*id, found->second);
    } else {
      CHECK(politeness_.Ended(*id, {}, now));
    }
    Pace(now);
  }
  metrics_.waiting.Set(static_cast<double>(politeness_.waiting()));
  metrics_.fetching.Set(static_cast<double>(running_));
}

void PoliteFetches::AskNamesAgain() {
  while (!without_address_.empty() && way_.MayStart(clock_.Now())) {
    const TurnId id = without_address_.back();
    without_address_.pop_back();
    const auto found = fetches_.find(id);
    if (found == fetches_.end() || found->second.stage != Stage::kHasNoAddress) continue;
    way_.OnStarted();
    LookUp(id, found->second);
  }
}

void PoliteFetches::Start(TurnId id, Fetch& fetch) {
  fetch.stage = Stage::kRuns;
  fetch.began = clock_.Now();
  if (fetch.task.is_robots) metrics_.robots_fetches.Increment();
  lanes_.Start({.id = id, .journey = fetch.journey, .fetch = fetch.task});
  way_.OnStarted();
  ++running_;
}

void PoliteFetches::Pace(SteadyTime now) {
  if (options_.rate == 0) return;
  const auto interval =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / options_.rate));
  // Steps come a little late; this much of it is made up for.
  next_start_ = std::max(next_start_, now - kPaceSlack) + interval;
}

FetchEnd PoliteFetches::OnResult(LaneResult& result) {
  const auto found = fetches_.find(result.id);
  CHECK(found != fetches_.end());
  Fetch& fetch = found->second;
  auto* const over = std::get_if<FetchOver>(&result.what);
  if (over != nullptr) {
    CHECK(politeness_.Ended(result.id, over->ending, clock_.Now()));
    metrics_.fetch_seconds.Observe(std::chrono::duration<double>(over->took).count());
    --running_;
    const std::string_view domain = fetch.journey->request().domain;
    if (politeness_.RestsUntil(domain) > clock_.Now()) rests_.emplace_back(domain);
  }
  Judge(result, fetch.began);
  const bool is_held_up = IsHeldUp(result, fetch);
  if (fetch.dropped) {
    if (over != nullptr) metrics_.late_answers.Increment();
    fetches_.erase(found);
    return {};
  }
  if (is_held_up && over == nullptr) {
    fetch.stage = Stage::kHasNoAddress;
    without_address_.push_back(result.id);
    return {};
  }
  const auto* const address = std::get_if<IpAddress>(&result.what);
  if (address != nullptr) fetch.task.address = *address;
  const bool is_stale = over != nullptr && std::holds_alternative<std::monostate>(over->end);
  fetch.task.again = fetch.task.again || is_stale;
  if (is_held_up || is_stale || address != nullptr) {
    AddTurn(result.id, fetch);
    return {};
  }
  fetches_.erase(found);
  if (over != nullptr) return std::move(over->end);
  return std::get<Answer>(std::move(result.what));
}

void PoliteFetches::Judge(const LaneResult& result, SteadyTime began) {
  if (result.suspect) return;
  const SteadyTime now = clock_.Now();
  if (result.asked_names) way_.OnWorked(OwnSide::kNameServers, now);
  if (result.reached == Reached::kAnother) {
    way_.OnWorked(OwnSide::kNetwork, now);
    way_.OnWorked(OwnSide::kProxy, now);
  }
  if (result.reached == Reached::kNothing) {
    way_.OnNothingLearnt(began);
  } else {
    way_.OnPassed(began);
  }
  TellWayOut();
}

bool PoliteFetches::IsHeldUp(const LaneResult& result, Fetch& fetch) {
  if (!result.suspect) return false;
  const bool is_others =
      !way_.OnSuspect(*result.suspect, MessageOf(result), fetch.began, clock_.Now());
  TellWayOut();
  if (is_others) return false;
  return ++fetch.hold_ups <= kMostHoldUps ||
         !way_.HasWorkedSince(*result.suspect, SteadyTime::min());
}

void PoliteFetches::TellWayOut() {
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

std::optional<Politeness::Deferred> PoliteFetches::TakeLate() {
  while (const auto late = politeness_.TakeDeferred()) {
    if (fetches_.erase(late->id) > 0) return late;
  }
  return std::nullopt;
}

SteadyTime PoliteFetches::NextLook() const {
  if (way_.closed()) {
    return without_address_.empty() ? std::max(way_.NextProbe(), politeness_.NextLook())
                                    : way_.NextProbe();
  }
  // With all connections in use an answer comes first.
  return running_ < max_fetches_ ? std::max(politeness_.NextLook(), next_start_)
                                 : SteadyTime::max();
}

}  // namespace orbweaver
