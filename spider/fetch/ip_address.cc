#include "spider/fetch/ip_address.h"

#include <algorithm>
#include <arpa/inet.h>

#include "common/base/check.h"

namespace orbweaver {

IpAddress::IpAddress(std::span<const uint8_t> bytes) : size_(static_cast<uint8_t>(bytes.size())) {
  CHECK(bytes.size() == 4 || bytes.size() == 16);
  std::ranges::copy(bytes, bytes_.begin());
}

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    if (text.find(':') == std::string_view::npos) return std::nullopt;
  }
  const std::string terminated(text);
  std::array<uint8_t, 16> bytes;
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) {
    return IpAddress(std::span(bytes).first(4));
  }
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return IpAddress(bytes);
  return std::nullopt;
}

std::string IpAddress::Text() const {
  if (empty()) return {};
  char text[INET6_ADDRSTRLEN];
  inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), text, sizeof text);
  return text;
}

}  // namespace orbweaver
