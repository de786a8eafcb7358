#include "cli/check/pressure_gate.h"

#include <algorithm>

#include "fmt/format.h"

#include "common/base/check.h"

namespace orbweaver {
namespace {

// At one lane, whatever its rate: the others are of more use elsewhere.
constexpr uint32_t kMostWaiting = 256;

Duration IntervalOf(const PressureLimit& limit) {
  if (limit.per_second <= 0) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / limit.per_second));
}

}  // namespace

// A host, a domain or an address: requests that run, and hosts that wait for its turn.
struct PressureGate::Lane {
  explicit Lane(const PressureLimit& of) : limit(of), interval(IntervalOf(of)) {}

  bool full() const { return limit.at_once > 0 && running >= limit.at_once; }
  SteadyTime ReadyAt() const { return std::max(next_start, rest.until); }
  bool Free(SteadyTime now) const { return !full() && ReadyAt() <= now; }

  const PressureLimit limit;
  Duration interval;
  SteadyTime next_start = SteadyTime::min();
  SteadyTime reserved = SteadyTime::min();  // the last time that a visitor was told to come again
  DomainRest<SteadyTime> rest;
  uint32_t running = 0;
  uint32_t waiting = 0;  // visitors
  std::deque<Host*> waiters;
  bool has_look = false;
};

struct PressureGate::Host : Lane {
  explicit Host(const PressureLimit& of, Lane& of_domain) : Lane(of), domain(of_domain) {}

  struct Waiting {
    VisitorId id;
    Lane* address;  // nullptr: not limited
  };
  Lane& domain;
  std::deque<Waiting> queue;
  bool placed = false;  // in ready_, or among the waiters of one lane
};

PressureGate::PressureGate(const PressureLimits& limits) : limits_(limits) {}
PressureGate::~PressureGate() = default;

PressureGate::Lane& PressureGate::FindLane(std::string key, const PressureLimit& limit) {
  std::unique_ptr<Lane>& lane = lanes_[std::move(key)];
  if (lane == nullptr) lane = std::make_unique<Lane>(limit);
  return *lane;
}

std::optional<SteadyTime> PressureGate::RefuseUntil(Lane& lane, SteadyTime now) const {
  const SteadyTime turn = std::max(now, lane.ReadyAt()) + lane.waiting * lane.interval;
  if (turn - now <= limits_.max_wait && lane.waiting < kMostWaiting) return std::nullopt;
  const SteadyTime soonest =
      lane.waiting < kMostWaiting ? turn : std::max(turn, now + limits_.max_wait);
  lane.reserved = std::max(lane.reserved + lane.interval, soonest);
  return lane.reserved;
}

std::optional<SteadyTime> PressureGate::Add(const Visitor& visitor, SteadyTime now) {
  if (lanes_.size() + hosts_.size() > forget_at_) Forget(now);
  Lane& domain = FindLane(fmt::format("d{}", visitor.domain), limits_.domain);
  std::unique_ptr<Host>& host = hosts_[std::string(visitor.host)];
  if (host == nullptr) host = std::make_unique<Host>(limits_.host, domain);
  if (visitor.crawl_delay) {
    host->interval =
        std::max(host->interval, std::min(*visitor.crawl_delay, limits_.max_crawl_delay));
  }
  Lane* const address =
      visitor.address.empty()
          ? nullptr
          : &FindLane(fmt::format("a{}", visitor.address.Text()), limits_.address);
  for (Lane* const lane : {static_cast<Lane*>(host.get()), &host->domain, address}) {
    if (lane == nullptr) continue;
    if (const auto until = RefuseUntil(*lane, now)) return until;
  }
  for (Lane* const lane : {static_cast<Lane*>(host.get()), &host->domain, address}) {
    if (lane != nullptr) ++lane->waiting;
  }
  ++waiting_;
  host->queue.push_back({.id = visitor.id, .address = address});
  if (!std::exchange(host->placed, true)) ready_.push_back(host.get());
  return std::nullopt;
}

void PressureGate::WaitAt(Lane& lane, Host& host) {
  host.placed = true;
  lane.waiters.push_back(&host);
}

void PressureGate::Nudge(Lane& lane, SteadyTime now) {
  if (lane.waiters.empty() || lane.full()) return;
  if (lane.Free(now)) {
    ready_.push_back(lane.waiters.front());
    lane.waiters.pop_front();
  } else if (!std::exchange(lane.has_look, true)) {
    wakeups_.emplace(lane.ReadyAt(), next_wakeup_++, &lane);
  }
}

bool PressureGate::TryStart(Host& host, SteadyTime now) {
  const Host::Waiting visitor = host.queue.front();
  Lane* const lanes[] = {&host, &host.domain, visitor.address};
  Lane* in_the_way = nullptr;
  for (Lane* const lane : lanes) {
    if (in_the_way == nullptr && lane != nullptr && !lane->Free(now)) in_the_way = lane;
  }
  host.placed = false;
  if (in_the_way == nullptr) {
    host.queue.pop_front();
    --waiting_;
    for (Lane* const lane : lanes) {
      if (lane == nullptr) continue;
      --lane->waiting;
      ++lane->running;
      lane->next_start = now + lane->interval;
    }
    CHECK(running_.emplace(visitor.id, Running{&host, visitor.address, now}).second);
    started_ = visitor.id;
    if (!host.queue.empty()) {
      host.placed = true;
      ready_.push_back(&host);
    }
  } else {
    WaitAt(*in_the_way, host);
  }
  // A lane that has let this host pass, and is free still, lets the next one.
  for (Lane* const lane : lanes) {
    if (lane != nullptr) Nudge(*lane, now);
  }
  return in_the_way == nullptr;
}

std::optional<VisitorId> PressureGate::Start(SteadyTime now) {
  while (!wakeups_.empty() && std::get<0>(wakeups_.top()) <= now) {
    Lane& lane = *std::get<2>(wakeups_.top());
    wakeups_.pop();
    lane.has_look = false;
    Nudge(lane, now);
  }
  while (!ready_.empty() && running_.size() < limits_.at_once) {
    Host& host = *ready_.front();
    ready_.pop_front();
    if (TryStart(host, now)) return started_;
  }
  return std::nullopt;
}

SteadyTime PressureGate::NextWakeup() const {
  if (!ready_.empty() && running_.size() < limits_.at_once) return SteadyTime::min();
  return wakeups_.empty() ? SteadyTime::max() : std::get<0>(wakeups_.top());
}

void PressureGate::Ended(VisitorId id, SteadyTime now) {
  const auto found = running_.find(id);
  CHECK(found != running_.end());
  const Running running = found->second;
  running_.erase(found);
  Host& host = *running.host;
  if (host.interval > Duration::zero()) {
    host.next_start =
        std::max(host.next_start, now + std::min(now - running.since, limits_.max_rest));
  }
  for (Lane* const lane : {static_cast<Lane*>(&host), &host.domain, running.address}) {
    if (lane == nullptr) continue;
    --lane->running;
    Nudge(*lane, now);
  }
}

SteadyTime PressureGate::Complain(std::string_view domain, std::optional<Duration> retry_after,
                                  SteadyTime now) {
  Lane& lane = FindLane(fmt::format("d{}", domain), limits_.domain);
  if (retry_after) {
    lane.rest.RestUntil(limits_.back_off, now + RestAsAsked(limits_.back_off, *retry_after), now);
  } else {
    lane.rest.BackOff(limits_.back_off, domain, now);
  }
  return lane.rest.until;
}

// Those that nobody uses, and that would begin anew as they are.
void PressureGate::Forget(SteadyTime now) {
  const auto is_idle = [&](const Lane& lane) {
    return lane.running == 0 && lane.waiting == 0 && !lane.has_look && lane.ReadyAt() <= now &&
           lane.reserved <= now && lane.rest.IsForgiven(limits_.back_off, now);
  };
  absl::flat_hash_map<const Lane*, bool> used;
  for (auto host = hosts_.begin(); host != hosts_.end();) {
    const auto current = host++;
    if (is_idle(*current->second)) {
      hosts_.erase(current);
    } else {
      used[&current->second->domain] = true;
    }
  }
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    const auto current = lane++;
    if (is_idle(*current->second) && !used.contains(current->second.get())) lanes_.erase(current);
  }
  forget_at_ = std::max<size_t>(4096, 2 * (lanes_.size() + hosts_.size()));
}

}  // namespace orbweaver
