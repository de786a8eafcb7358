#include "spider/politeness/politeness.h"

#include <algorithm>
#include <span>

#include "common/base/check.h"
#include "common/base/text.h"

namespace orbweaver {

struct Politeness::Domain {
  explicit Domain(std::string_view of) : name(of) {}

  const std::string name;
  std::deque<Waiting> urgent;
  std::deque<Waiting> ordinary;
  uint32_t running = 0;
  bool asked = false;
  SteadyTime last_move{};  // a start or an end
  Duration delay{};        // beyond the options', by the feed
  Duration crawl_delay{};
  Duration took{};  // the last request
  DomainRest<SteadyTime> rest;
  // Its entry of checks_; nullopt: none.
  std::optional<std::pair<SteadyTime, uint64_t>> check;
  Address* waits_for = nullptr;  // whose `waiters` it is among

  bool empty() const { return urgent.empty() && ordinary.empty(); }
  const Waiting& next() const { return urgent.empty() ? ordinary.front() : urgent.front(); }
  size_t size() const { return urgent.size() + ordinary.size(); }
  // The first at which one of them is too late; not to be asked when empty.
  SteadyTime deadline() const {
    if (urgent.empty()) return ordinary.front().deadline;
    if (ordinary.empty()) return urgent.front().deadline;
    return std::min(urgent.front().deadline, ordinary.front().deadline);
  }
};

struct Politeness::Address {
  uint32_t running = 0;
  uint32_t waiting = 0;  // requests that will need it
  bool asked = false;
  SteadyTime last_end{};
  // Domains whose next request must wait for the one that runs.
  std::vector<Domain*> waiters;
};

Politeness::Politeness(const PolitenessOptions& options) : options_(options) {}

Politeness::~Politeness() = default;

Politeness::Domain& Politeness::FindDomain(std::string_view name) {
  const auto found = domains_.find(name);
  if (found != domains_.end()) return *found->second;
  auto domain = std::make_unique<Domain>(name);
  return *domains_.emplace(domain->name, std::move(domain)).first->second;
}

Politeness::Address* Politeness::FindAddress(std::string_view name) {
  if (name.empty() || options_.address_delay <= Duration{}) return nullptr;
  auto found = addresses_.find(ToAbsl(name));
  if (found == addresses_.end()) {
    found = addresses_.emplace(std::string(name), std::make_unique<Address>()).first;
  }
  return found->second.get();
}

Duration Politeness::DelayOf(const Domain& domain) const {
  return std::max(DomainDelay(options_, domain.crawl_delay), domain.delay);
}

SteadyTime Politeness::ReadyAt(const Domain& domain) const {
  const SteadyTime rested = domain.rest.until;
  return domain.asked ? std::max(rested, domain.last_move + DelayOf(domain)) : rested;
}

bool Politeness::MayStart(const Domain& domain, const Waiting& next, SteadyTime now) const {
  if (domain.running >= options_.per_domain || now < ReadyAt(domain)) return false;
  const Address* const address = next.address;
  if (address == nullptr || !address->asked) return true;
  return address->running == 0 && now >= address->last_end + options_.address_delay;
}

void Politeness::Add(const Turn& turn, SteadyTime now) {
  CHECK(!running_.contains(turn.id));
  if (domains_.size() + addresses_.size() >= forget_at_) Forget(now);
  Domain& domain = FindDomain(turn.domain);
  const Duration delay_before = DelayOf(domain);
  domain.delay = std::max(Duration{}, turn.delay);
  if (turn.crawl_delay) LearnCrawlDelay(domain, *turn.crawl_delay);
  Waiting waiting{
      .id = turn.id, .address = FindAddress(turn.address), .deadline = now + options_.max_wait};
  if (turn.urgent) waiting.deadline += DelayOf(domain);
  if (waiting.address != nullptr) ++waiting.address->waiting;
  ++waiting_;
  const size_t position = turn.urgent ? domain.urgent.size() : domain.size();
  const SteadyTime start = StartOf(domain, position, now);
  if (start > waiting.deadline) {
    Defer(domain, waiting, start, now);
  } else {
    (turn.urgent ? domain.urgent : domain.ordinary).push_back(waiting);
  }
  if (DelayOf(domain) > delay_before) DeferLate(domain, now);
  Reschedule(domain, now);
}

void Politeness::LearnCrawlDelay(Domain& domain, Duration crawl_delay) {
  domain.crawl_delay = std::max(domain.crawl_delay, crawl_delay);
}

void Politeness::OthersAsked(std::string_view name, SteadyTime until, SteadyTime now) {
  Domain& domain = FindDomain(name);
  if (domain.asked && domain.last_move >= until) return;
  domain.asked = true;
  domain.last_move = until;
  DeferLate(domain, now);
  Reschedule(domain, now);
}

void Politeness::Rest(std::string_view name, SteadyTime until, SteadyTime now) {
  Domain& domain = FindDomain(name);
  if (domain.rest.until >= until) return;
  domain.rest.RestUntil(options_.back_off, until, now);
  DeferLate(domain, now);
  Reschedule(domain, now);
}

SteadyTime Politeness::RestsUntil(std::string_view domain) const {
  const auto found = domains_.find(domain);
  return found == domains_.end() ? SteadyTime() : found->second->rest.until;
}

void Politeness::SetCrawlDelay(std::string_view name, Duration crawl_delay, SteadyTime now) {
  Domain& domain = FindDomain(name);
  const Duration delay_before = DelayOf(domain);
  LearnCrawlDelay(domain, crawl_delay);
  if (DelayOf(domain) == delay_before) return;
  DeferLate(domain, now);
  Reschedule(domain, now);
}

std::optional<TurnId> Politeness::Start(SteadyTime now) {
  while (!checks_.empty() && std::get<SteadyTime>(*checks_.begin()) <= now) {
    Domain& domain = *std::get<Domain*>(*checks_.begin());
    if (domain.empty() || !MayStart(domain, domain.next(), now)) {
      // Too early for it, or for its address; or too late for one of them.
      if (!domain.empty() && now >= domain.deadline()) DeferLate(domain, now);
      Reschedule(domain, now);
      continue;
    }
    auto& queue = domain.urgent.empty() ? domain.ordinary : domain.urgent;
    const Waiting next = queue.front();
    queue.pop_front();
    --waiting_;
    ++domain.running;
    domain.asked = true;
    domain.last_move = now;
    if (next.address != nullptr) {
      --next.address->waiting;
      ++next.address->running;
      next.address->asked = true;
    }
    running_.emplace(next.id, Running{.domain = &domain, .address = next.address, .started = now});
    Reschedule(domain, now);
    return next.id;
  }
  return std::nullopt;
}

SteadyTime Politeness::NextLook() const {
  return checks_.empty() ? SteadyTime::max() : std::get<SteadyTime>(*checks_.begin());
}

bool Politeness::Ended(TurnId id, const Ending& ending, SteadyTime now) {
  const auto found = running_.find(id);
  if (found == running_.end()) return false;
  const Running running = found->second;
  running_.erase(found);
  Domain& domain = *running.domain;
  --domain.running;
  domain.last_move = ending.broken_off ? now + DelayOf(domain) : now;
  domain.took = now - running.started;
  if (ending.status == 429 || ending.status == 503) {
    const RestOptions& rests = options_.back_off;
    if (ending.retry_after) {
      domain.rest.RestUntil(rests, now + RestAsAsked(rests, *ending.retry_after), now);
    } else {
      domain.rest.BackOff(rests, domain.name, now);
    }
    DeferLate(domain, now);
  }
  std::vector<Domain*> woken;
  if (running.address != nullptr) {
    --running.address->running;
    running.address->last_end = ending.broken_off ? now + options_.address_delay : now;
    // All of them look again, in the order they came; the first to be ready takes the address.
    woken.swap(running.address->waiters);
    for (Domain* const waiter : woken) waiter->waits_for = nullptr;
  }
  Reschedule(domain, now);
  for (Domain* const waiter : woken) {
    if (waiter != &domain) Reschedule(*waiter, now);
  }
  return true;
}

// The requests of a domain start one delay after the other at best. How long they take is not
// known, so a request may still come to its deadline later.
SteadyTime Politeness::StartOf(const Domain& domain, size_t position, SteadyTime now) const {
  const Duration delay = DelayOf(domain);
  SteadyTime first = std::max(now, ReadyAt(domain));
  if (domain.running >= options_.per_domain) first = std::max(first, now + delay);
  return first + delay * static_cast<int64_t>(position);
}

// Those that cannot start before their deadlines go at once: the earlier they are handed back, the
// less they hold the feed's commit.
void Politeness::DeferLate(Domain& domain, SteadyTime now) {
  size_t position = 0;
  for (auto* const queue : {&domain.urgent, &domain.ordinary}) {
    auto kept = queue->begin();
    for (const Waiting& waiting : *queue) {
      const SteadyTime start = StartOf(domain, position, now);
      // At its deadline the first of all may still start.
      const bool late =
          now >= waiting.deadline && (position > 0 || !MayStart(domain, waiting, now));
      if (late || start > waiting.deadline) {
        Defer(domain, waiting, start, now);
      } else {
        *kept++ = waiting;
        ++position;
      }
    }
    queue->erase(kept, queue->end());
  }
}

void Politeness::Defer(const Domain& domain, const Waiting& waiting, SteadyTime not_before,
                       SteadyTime now) {
  --waiting_;
  if (waiting.address != nullptr) --waiting.address->waiting;
  deferred_.push_back(
      {.id = waiting.id,
       .not_before = not_before,
       .reason = now < domain.rest.until ? DeferReason::kBackOff : DeferReason::kPoliteness});
}

void Politeness::Reschedule(Domain& domain, SteadyTime now) {
  if (domain.check) {
    checks_.erase({domain.check->first, domain.check->second, &domain});
    domain.check.reset();
  }
  if (domain.empty()) return WaitFor(domain, nullptr);
  SteadyTime at = ReadyAt(domain);
  Address* const address = domain.next().address;
  const bool busy = address != nullptr && address->running > 0;
  WaitFor(domain, busy ? address : nullptr);
  if (busy || domain.running >= options_.per_domain) {
    at = SteadyTime::max();  // the end of the one that runs makes it look again
  } else if (address != nullptr && address->asked) {
    at = std::max(at, address->last_end + options_.address_delay);
  }
  at = std::max(now, std::min(at, domain.deadline()));
  domain.check = {at, next_check_++};
  checks_.emplace(at, domain.check->second, &domain);
}

// Among the waiters of `address` and of no other; nullptr: of none.
void Politeness::WaitFor(Domain& domain, Address* address) {
  if (domain.waits_for == address) return;
  if (domain.waits_for != nullptr) std::erase(domain.waits_for->waiters, &domain);
  domain.waits_for = address;
  if (address != nullptr) address->waiters.push_back(&domain);
}

std::optional<Politeness::Deferred> Politeness::TakeDeferred() {
  if (deferred_.empty()) return std::nullopt;
  const Deferred deferred = deferred_.front();
  deferred_.pop_front();
  return deferred;
}

std::vector<Politeness::DomainReport> Politeness::Report(Worst worst, size_t most,
                                                         SteadyTime now) const {
  const auto badness = [worst, now](const Domain& domain) {
    return worst == Worst::kSlowest ? domain.took : domain.rest.until - now;
  };
  const auto counts = [worst, now](const Domain& domain) {
    return worst == Worst::kSlowest ? domain.took > Duration{} : domain.rest.until > now;
  };
  std::vector<std::pair<Duration, const decltype(domains_)::value_type*>> all;
  for (const auto& entry : domains_) {
    if (counts(*entry.second)) all.emplace_back(badness(*entry.second), &entry);
  }
  const size_t count = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(count), all.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<DomainReport> reports;
  for (const auto& [value, entry] : std::span(all).first(count)) {
    const Domain& domain = *entry->second;
    reports.push_back(
        {.domain = domain.name,
         .waiting = domain.size(),
         .running = domain.running,
         .delay = DelayOf(domain),
         .took = domain.took,
         .blocked_for = domain.rest.until > now ? domain.rest.until - now : Duration{}});
  }
  return reports;
}

// Drops what would behave the same if it were made anew; a crawl-delay is said again with the next
// request of its domain.
void Politeness::Forget(SteadyTime now) {
  for (auto domain = domains_.begin(); domain != domains_.end();) {
    const Domain& d = *domain->second;
    const bool needed = !d.empty() || d.running > 0 || d.waits_for != nullptr || now < ReadyAt(d) ||
                        !d.rest.IsForgiven(options_.back_off, now);
    needed ? (void)++domain : domains_.erase(domain++);
  }
  for (auto address = addresses_.begin(); address != addresses_.end();) {
    const Address& a = *address->second;
    const bool needed = a.running > 0 || a.waiting > 0 || !a.waiters.empty() ||
                        now < a.last_end + options_.address_delay;
    needed ? (void)++address : addresses_.erase(address++);
  }
  // So that the work is a constant for each Add.
  forget_at_ = std::max<size_t>(1024, 2 * (domains_.size() + addresses_.size()));
}

}  // namespace orbweaver
