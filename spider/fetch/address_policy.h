// Where the spider's connections may go: a page must not lead it into the network it runs in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "spider/fetch/fetch_options.h"
#include "spider/fetch/ip_address.h"

namespace orbweaver {

// Whether the address belongs to a host of the public Internet, by IANA's registries of
// special-purpose addresses. Of those that carry an IPv4 address, NAT64's (RFC 6052) are as public
// as that; IPv4-mapped and 6to4 ones are not public.
bool IsPublicAddress(const IpAddress& address);

struct FetchUrl;

// Place: the fetcher asks it about every address before it connects, however it was found.
// Immutable.
class AddressPolicy {
 public:
  // Fatal for a network or a port that is none.
  static absl::StatusOr<AddressPolicy> Create(const NetworkOptions& options);

  bool Allows(const IpAddress& address) const;
  bool AllowsPort(uint16_t port) const;

  // Hosts of network.allow_hosts may be asked at any address and on their port.
  bool Names(const FetchUrl& url) const { return !named_.empty() && IsNamed(url); }
  // One of them has this host, whatever its port.
  bool NamesHost(std::string_view host) const;

 private:
  struct Network {
    IpAddress first;
    unsigned bits;
  };

  bool IsNamed(const FetchUrl& url) const;

  bool allow_private_ = false;
  std::vector<Network> networks_;
  std::vector<uint16_t> ports_;
  std::vector<std::string> named_;  // as authorities of canonical URLs
};

}  // namespace orbweaver
