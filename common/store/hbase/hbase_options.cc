#include "common/store/hbase/hbase_options.h"

#include <charconv>

#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

absl::StatusOr<HostPort> ParseHost(std::string_view text) {
  HostPort host;
  std::string_view port;
  // An IPv6 address stands in brackets, as in URLs, since it is full of colons itself.
  const size_t host_end = text.starts_with('[') ? text.find(']') : text.find(':');
  if (text.starts_with('[')) {
    if (host_end == std::string_view::npos) {
      return FatalError("Thrift host '{}': ']' is missing", text);
    }
    host.host = text.substr(1, host_end - 1);
    port = text.substr(host_end + 1);
  } else {
    host.host = text.substr(0, host_end);
    if (host_end != std::string_view::npos) port = text.substr(host_end);
  }
  if (host.host.empty()) return FatalError("Thrift host '{}': no host. Write HOST:PORT.", text);
  if (port.empty()) return host;
  const char* const end = port.data() + port.size();
  const auto parsed = std::from_chars(port.data() + 1, end, host.port);
  if (port[0] != ':' || parsed.ec != std::errc() || parsed.ptr != end || host.port == 0) {
    return FatalError("Thrift host '{}': the port is not a number from 1 to 65535", text);
  }
  return host;
}

}  // namespace

std::string HostPort::ToString() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

absl::StatusOr<std::vector<HostPort>> ParseHosts(std::string_view text) {
  std::vector<HostPort> hosts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    ASSIGN_OR_RETURN(hosts.emplace_back(), ParseHost(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return hosts;
}

}  // namespace orbweaver
