#include "spider/fetch/host_resolver.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/base/status.h"
#include "common/url/domain.h"

namespace orbweaver {

absl::StatusOr<std::unique_ptr<HostResolver>> HostResolver::Create(const NetworkOptions& options,
                                                                   const AddressPolicy& policy,
                                                                   const Clock& clock,
                                                                   HostsFile hosts, Ask ask) {
  std::unique_ptr<HostResolver> resolver(
      new HostResolver(options, policy, clock, std::move(hosts), std::move(ask)));
  for (const auto& [host, target] : options.hosts) {
    RETURN_IF_ERROR(resolver->AddFixed(host, target));
  }
  return resolver;
}

absl::Status HostResolver::AddFixed(const std::string& host, std::string_view target) {
  Fixed fixed;
  std::optional<IpAddress> address = IpAddress::Parse(target);
  if (!address) {
    const size_t colon = target.rfind(':');
    const std::string_view port =
        colon == std::string_view::npos ? std::string_view() : target.substr(colon + 1);
    address = IpAddress::Parse(target.substr(0, colon));
    const char* const end = port.data() + port.size();
    if (!address || port.empty() || std::from_chars(port.data(), end, fixed.port).ptr != end ||
        fixed.port == 0) {
      return FatalError(
          "network.hosts.{}: '{}' is no address. Write 192.0.2.1, [2001:db8::1]:8080 or the like.",
          host, target);
    }
  }
  fixed.address = *address;
  fixed_[host] = fixed;
  return absl::OkStatus();
}

const HostResolver::Fixed* HostResolver::FindFixed(std::string_view host) const {
  if (fixed_.empty()) return nullptr;
  if (const auto found = fixed_.find(host); found != fixed_.end()) return &found->second;
  // The wildcard with the most labels.
  for (size_t dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.', dot + 1)) {
    const std::string wildcard = "*" + std::string(host.substr(dot));
    if (const auto found = fixed_.find(wildcard); found != fixed_.end()) return &found->second;
  }
  const auto found = fixed_.find("*");
  return found == fixed_.end() ? nullptr : &found->second;
}

void HostResolver::Find(std::string_view host, Done done) {
  if (const Fixed* const fixed = FindFixed(host)) {
    HostAddresses found = Judge(host, {fixed->address}, policy_.NamesHost(host));
    found.port = fixed->port;
    return done(found, {});
  }
  if (IsIpAddress(host)) {
    const std::optional<IpAddress> address = IpAddress::Parse(host);
    return done(
        address ? Judge(host, {*address}, policy_.NamesHost(host))
                : HostAddresses{.failure = FailureCause::kDns, .message = "no name and no address"},
        {});
  }
  const SteadyTime now = clock_.Now();
  if (const auto found = by_name_.find(host); found != by_name_.end()) {
    const Names::iterator name = found->second;
    if (now < name->expires) {
      ++known_;
      names_.splice(names_.begin(), names_, name);
      return done(name->found, {});
    }
  }
  if (const auto known = Wanted(hosts_.Find(host)); !known.empty()) {
    return done(Judge(host, known, policy_.NamesHost(host)), {});
  }
  const auto [pending, is_new] = pending_.try_emplace(std::string(host));
  pending->second.waiters.push_back({.done = std::move(done), .since = now});
  if (!is_new) return;
  pending->second.since = now;
  ++asked_;
  ask_(std::string(host));
}

HostAddresses HostResolver::Judge(std::string_view name, const std::vector<IpAddress>& addresses,
                                  bool also_private) const {
  HostAddresses found;
  for (const IpAddress& address : addresses) {
    if (also_private || policy_.Allows(address)) found.addresses.push_back(address);
  }
  if (found.addresses.empty()) {
    found.failure = FailureCause::kPrivateAddress;
    found.message =
        "resolve " + std::string(name) + ": " + addresses.front().Text() + " is no public address";
  }
  return found;
}

std::vector<IpAddress> HostResolver::Wanted(std::vector<IpAddress> addresses) const {
  using Versions = NetworkOptions::IpVersions;
  std::erase_if(addresses, [this](const IpAddress& address) {
    return options_.ip_versions == (address.is_v4() ? Versions::kV6 : Versions::kV4);
  });
  return addresses;
}

bool HostResolver::MayBePrivate(std::string_view name, const std::vector<IpAddress>& addresses) {
  if (!policy_.NamesHost(name)) return false;
  const bool is_private = !std::ranges::all_of(
      addresses, [this](const IpAddress& address) { return policy_.Allows(address); });
  return named_.try_emplace(std::string(name), is_private).first->second;
}

HostAddresses HostResolver::Judge(std::string_view name, const DnsAnswer& answer) {
  switch (answer.outcome) {
    case DnsAnswer::Outcome::kFound:
      return Judge(name, answer.addresses, MayBePrivate(name, answer.addresses));
    case DnsAnswer::Outcome::kMissing:
      return {.failure = FailureCause::kDns,
              .message = "resolve " + std::string(name) + ": there is no such name"};
    case DnsAnswer::Outcome::kFailed:
      return {.failure = FailureCause::kDnsTemporary,
              .message = "resolve " + std::string(name) + ": the name server has no answer now"};
    case DnsAnswer::Outcome::kUnanswered:
      break;
  }
  return {.failure = FailureCause::kDnsTemporary,
          .message = "resolve " + std::string(name) + ": no name server answers",
          .suspect = OwnSide::kNameServers};
}

void HostResolver::Remember(std::string_view name, HostAddresses found, Duration age) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    names_.splice(names_.begin(), names_, known->second);
  } else {
    names_.push_front({.name = std::string(name), .found = {}, .expires = {}});
    by_name_[names_.front().name] = names_.begin();
  }
  names_.front().found = std::move(found);
  names_.front().expires = clock_.Now() + age;
  while (by_name_.size() > options_.dns_cache_names) {
    by_name_.erase(names_.back().name);
    names_.pop_back();
  }
}

void HostResolver::OnAnswer(std::string_view name, const DnsAnswer& answer) {
  Duration age = options_.dns_failed_age;
  if (answer.outcome == DnsAnswer::Outcome::kFound) {
    age = std::clamp<Duration>(answer.age, options_.dns_min_age,
                               std::max(options_.dns_min_age, options_.dns_max_age));
  } else if (answer.outcome == DnsAnswer::Outcome::kMissing) {
    age = options_.dns_missing_age;
  } else if (answer.outcome == DnsAnswer::Outcome::kUnanswered) {
    // Nothing was learnt of the name, and a name server that is back is to be noticed.
    age = Duration::zero();
  }
  const HostAddresses found = Judge(name, answer);
  if (found.failure) ++failed_;
  Remember(name, found, age);
  const auto pending = pending_.find(std::string(name));
  if (pending == pending_.end()) return;
  const std::vector<Waiter> waiters = std::move(pending->second.waiters);
  pending_.erase(pending);
  const SteadyTime now = clock_.Now();
  for (const Waiter& waiter : waiters) waiter.done(found, now - waiter.since);
}

void HostResolver::Tick() {
  const SteadyTime now = clock_.Now();
  std::vector<std::string> late;
  for (const auto& [name, pending] : pending_) {
    if (now - pending.since >= options_.dns_timeout) late.push_back(name);
  }
  for (const std::string& name : late) OnAnswer(name, {.outcome = DnsAnswer::Outcome::kUnanswered});
}

uint16_t HostResolver::PortOf(std::string_view host) const {
  const Fixed* const fixed = FindFixed(host);
  return fixed == nullptr ? 0 : fixed->port;
}

void HostResolver::Demote(std::string_view host, const IpAddress& address) {
  const auto known = by_name_.find(host);
  if (known == by_name_.end()) return;
  auto& addresses = known->second->found.addresses;
  const auto found = std::ranges::find(addresses, address);
  if (found != addresses.end()) std::rotate(found, found + 1, addresses.end());
}

}  // namespace orbweaver
