#include "common/runtime/host_check.h"

#include <algorithm>
#include <arpa/inet.h>

#include "absl/strings/ascii.h"

namespace orbweaver {
namespace {

// Without port, brackets and a trailing dot, in lower case.
std::string NameOf(std::string_view host) {
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else if (host.find(':') == host.rfind(':')) {
    host = host.substr(0, host.find(':'));  // two colons: a bare IPv6 address
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string name(host);
  absl::AsciiStrToLower(&name);
  return name;
}

bool IsAddress(const std::string& name) {
  in6_addr address;
  return inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

}  // namespace

HostCheck::HostCheck(const std::vector<std::string>& names) {
  for (const std::string& name : names) names_.push_back(NameOf(name));
}

bool HostCheck::Allows(std::string_view host) const {
  const std::string name = NameOf(host);
  // A NUL would end the address before its time.
  if (name.empty() || name.find('\0') != std::string::npos) return false;
  if (name == "localhost" || name.ends_with(".localhost") || IsAddress(name)) return true;
  return std::any_of(names_.begin(), names_.end(), [&name](const std::string& allowed) {
    if (!allowed.starts_with('*')) return name == allowed;
    return name.size() >= allowed.size() && name.ends_with(allowed.substr(1));
  });
}

}  // namespace orbweaver
