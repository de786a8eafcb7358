// Where the spider's connections may go: a page must not lead it into the network it runs in.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "spider/fetch/fetch_options.h"
#include "spider/fetch/ip_address.h"

namespace orbweaver {

// Whether the address belongs to a host of the public Internet, by IANA's registries of
// special-purpose addresses. Of those that carry an IPv4 address, NAT64's (RFC 6052) are as public
// as that; IPv4-mapped and 6to4 ones are not public.
bool IsPublicAddress(const IpAddress& address);

// Place: the fetcher asks it about every address before it connects, however it was found.
// Immutable.
class AddressPolicy {
 public:
  // Fatal for a network or a port that is none.
  static absl::StatusOr<AddressPolicy> Create(const NetworkOptions& options);

  bool Allows(const IpAddress& address) const;
  bool AllowsPort(uint16_t port) const;

 private:
  struct Network {
    IpAddress first;
    unsigned bits;
  };

  bool allow_private_ = false;
  std::vector<Network> networks_;
  std::vector<uint16_t> ports_;
};

}  // namespace orbweaver
