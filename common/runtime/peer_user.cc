#include "common/runtime/peer_user.h"

#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/numbers.h"
#include "fmt/format.h"

#include "common/base/text.h"

namespace orbweaver {
namespace {

// An end as the kernel writes it: the address in words of the processor's order, the port.
std::optional<std::string> KernelText(std::string_view end) {
  const size_t colon = end.rfind(':');
  if (colon == end.npos) return std::nullopt;
  int port = 0;
  if (!absl::SimpleAtoi(ToAbsl(end.substr(colon + 1)), &port)) return std::nullopt;
  std::string ip(end.substr(0, colon));
  const bool is_ipv6 = ip.starts_with('[') && ip.ends_with(']');
  if (is_ipv6) ip = ip.substr(1, ip.size() - 2);
  std::array<uint32_t, 4> words{};
  if (inet_pton(is_ipv6 ? AF_INET6 : AF_INET, ip.c_str(), words.data()) != 1) return std::nullopt;
  std::string text;
  for (size_t i = 0; i < (is_ipv6 ? 4u : 1u); ++i) text += fmt::format("{:08X}", words[i]);
  return text + fmt::format(":{:04X}", port);
}

}  // namespace

std::optional<uint32_t> UserOfPeer(std::string_view peer_end, std::string_view own_end) {
  const auto peer = KernelText(peer_end);
  const auto own = KernelText(own_end);
  if (!peer.has_value() || !own.has_value()) return std::nullopt;
  std::ifstream table(peer_end.starts_with('[') ? "/proc/net/tcp6" : "/proc/net/tcp");
  std::string line;
  while (std::getline(table, line)) {
    // sl local_address rem_address st queues tr retrnsmt uid …
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retransmits;
    uint32_t user = 0;
    if (fields >> number >> local >> remote && local == *peer && remote == *own &&
        fields >> state >> queues >> timer >> retransmits >> user) {
      return user;
    }
  }
  return std::nullopt;
}

}  // namespace orbweaver
