// Where a server listens, as people write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orbweaver {

struct ListenAddress {
  std::string ip;
  int port = 0;
};

// IP:PORT, IPv6 in brackets; nothing when it is not that. Whether the IP is one is left to whoever
// binds it.
std::optional<ListenAddress> ParseListenAddress(std::string_view text);

// The other way round.
std::string AddressText(std::string_view ip, int port);

}  // namespace orbweaver
