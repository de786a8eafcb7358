// From a host to the addresses at which it may be asked: fixed answers, what this machine or an
// earlier answer says, and who waits for what is not known.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/model/spider_log.h"
#include "spider/fetch/address_policy.h"
#include "spider/fetch/dns_answer.h"
#include "spider/fetch/fetch_options.h"
#include "spider/fetch/hosts_file.h"
#include "spider/fetch/own_side.h"

namespace orbweaver {

struct HostAddresses {
  // Set: kDns, kDnsTemporary or kPrivateAddress, and there are no addresses.
  std::optional<FailureCause> failure;
  std::string message;             // of a failure, for people
  std::optional<OwnSide> suspect;  // of a failure, as in FetchResult
  std::vector<IpAddress> addresses;
  uint16_t port = 0;  // to use in place of the URL's; 0: the URL's
};

// Place: in HttpFetcher, between it and DnsClient. No I/O, and the clock is injected. Of the names
// known at most dns_cache_names are kept, those asked for last; those that are waited for are
// bounded by the caller. Not thread-safe.
class HostResolver {
 public:
  // Asks the name servers; must lead to OnAnswer, from outside of Find, unless time-out or
  // destruction come first.
  using Ask = std::function<void(const std::string& name)>;
  // `took` is zero when it was known. The addresses are valid until it returns.
  using Done = std::function<void(const HostAddresses& found, Duration took)>;

  // Fatal for fixed answers that are no addresses. `policy` and `clock` must outlive this. Of hosts
  // that the policy names addresses are told that are not public: whether the port is the named one
  // is for the caller to see.
  static absl::StatusOr<std::unique_ptr<HostResolver>> Create(const NetworkOptions& options,
                                                              const AddressPolicy& policy,
                                                              const Clock& clock, HostsFile hosts,
                                                              Ask ask);

  // `host` as it stands in a canonical URL; an IPv6 address has its brackets. Calls `done` now when
  // it is known, else later, once, within dns_timeout of Tick. Those that ask for a name that is
  // being asked for already wait for the same answer.
  void Find(std::string_view host, Done done);

  // The port of a fixed answer; 0: the URL's.
  uint16_t PortOf(std::string_view host) const;

  // Of a name that nobody waits for: it is kept all the same.
  void OnAnswer(std::string_view name, const DnsAnswer& answer);

  // Gives up what has taken longer than dns_timeout.
  void Tick();

  // The address did not answer: others of the host come before it.
  void Demote(std::string_view host, const IpAddress& address);

  uint64_t asked() const { return asked_; }
  uint64_t known() const { return known_; }
  uint64_t failed() const { return failed_; }
  size_t names() const { return by_name_.size(); }
  size_t waited_for() const { return pending_.size(); }

 private:
  struct Fixed {
    IpAddress address;
    uint16_t port = 0;
  };
  struct Name {
    std::string name;
    HostAddresses found;
    SteadyTime expires;
  };
  struct Waiter {
    Done done;
    SteadyTime since;
  };
  struct Pending {
    SteadyTime since;
    std::vector<Waiter> waiters;
  };
  using Names = std::list<Name>;

  HostResolver(const NetworkOptions& options, const AddressPolicy& policy, const Clock& clock,
               HostsFile hosts, Ask ask)
      : options_(options),
        policy_(policy),
        clock_(clock),
        hosts_(std::move(hosts)),
        ask_(std::move(ask)) {}

  absl::Status AddFixed(const std::string& host, std::string_view target);
  const Fixed* FindFixed(std::string_view host) const;
  // The addresses of an answer that may be used.
  HostAddresses Judge(std::string_view name, const DnsAnswer& answer);
  HostAddresses Judge(std::string_view name, const std::vector<IpAddress>& addresses,
                      bool also_private) const;
  // Those that network.ip_versions wants.
  std::vector<IpAddress> Wanted(std::vector<IpAddress> addresses) const;
  // A name server's word on a named host: one that was public at first stays so, since its name
  // servers are others', who could lead us into our own network by it.
  bool MayBePrivate(std::string_view name, const std::vector<IpAddress>& addresses);
  void Remember(std::string_view name, HostAddresses found, Duration age);

  const NetworkOptions options_;
  const AddressPolicy& policy_;
  const Clock& clock_;
  const HostsFile hosts_;
  const Ask ask_;
  std::map<std::string, Fixed, std::less<>> fixed_;

  absl::flat_hash_map<std::string, bool> named_;  // whether they were private at first
  Names names_;                                   // the last one asked for first
  absl::flat_hash_map<std::string_view, Names::iterator> by_name_;
  absl::flat_hash_map<std::string, Pending> pending_;
  uint64_t asked_ = 0;
  uint64_t known_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace orbweaver
