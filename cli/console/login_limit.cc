#include "cli/console/login_limit.h"

#include <algorithm>
#include <arpa/inet.h>
#include <iterator>

namespace orbweaver {

std::string LoginLimit::NetworkOf(std::string_view address) {
  constexpr size_t kNetworkBytes = 8;
  std::string text(address.substr(0, address.find('%')));
  in6_addr bytes;
  if (inet_pton(AF_INET6, text.c_str(), &bytes) != 1) return text;
  // An IPv4 address in the form of IPv6 is itself.
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) return text;
  return std::string(reinterpret_cast<const char*>(bytes.s6_addr), kNetworkBytes);
}

LoginLimit::Window* LoginLimit::Find(const std::string& network) {
  const auto found = std::ranges::find(by_address_, network, &Window::network);
  return found == by_address_.end() ? nullptr : &*found;
}

bool LoginLimit::Allows(std::string_view address, SteadyTime now) {
  const auto is_full = [now](const Window& window, int most) {
    return window.failures >= most && now - window.began < kWindow;
  };
  const Window* const window = Find(NetworkOf(address));
  return !is_full(all_, kMost) && (window == nullptr || !is_full(*window, kMostByAddress));
}

void LoginLimit::Count(Window* window, SteadyTime now) {
  if (window->failures == 0 || now - window->began >= kWindow) {
    window->began = now;
    window->failures = 0;
  }
  ++window->failures;
}

void LoginLimit::Failed(std::string_view address, SteadyTime now) {
  Count(&all_, now);
  const std::string network = NetworkOf(address);
  const auto found = std::ranges::find(by_address_, network, &Window::network);
  if (found != by_address_.end()) {
    by_address_.splice(by_address_.end(), by_address_, found);
  } else {
    if (by_address_.size() >= kMostAddresses) by_address_.pop_front();
    by_address_.push_back({.network = network, .began = now});
  }
  Count(&by_address_.back(), now);
}

}  // namespace orbweaver
