// Which user of this machine is at the other end of a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orbweaver {

// The user id of the process that holds the other end of a TCP connection over loopback, as Linux
// says it in /proc/net/tcp. Both ends as IP:PORT, IPv6 in brackets. Nothing when the client is on
// another machine, has gone, or nobody says.
std::optional<uint32_t> UserOfPeer(std::string_view peer_end, std::string_view own_end);

}  // namespace orbweaver
