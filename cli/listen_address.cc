#include "cli/listen_address.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "fmt/format.h"

#include "common/base/text.h"

namespace orbweaver {
namespace {

constexpr int kMaxPort = 65535;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<ListenAddress> ParseListenAddress(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  int port = 0;
  const bool is_port = std::ranges::all_of(digits, IsDigit) &&
                       absl::SimpleAtoi(ToAbsl(digits), &port) && port <= kMaxPort;
  if (!is_port) return std::nullopt;
  std::string_view ip = text.substr(0, colon);
  const bool has_brackets = ip.starts_with('[') && ip.ends_with(']');
  if (has_brackets) ip = ip.substr(1, ip.size() - 2);
  // Without brackets nobody knows where the port begins.
  if (ip.empty() || (!has_brackets && ip.find(':') != ip.npos)) return std::nullopt;
  return ListenAddress{.ip = std::string(ip), .port = port};
}

std::string AddressText(std::string_view ip, int port) {
  const bool is_ipv6 = ip.find(':') != ip.npos;
  return is_ipv6 ? fmt::format("[{}]:{}", ip, port) : fmt::format("{}:{}", ip, port);
}

}  // namespace orbweaver
