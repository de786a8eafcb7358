// A canonical URL as the parts that a connection and a request need.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orbweaver {

// Views into the URL.
struct FetchUrl {
  bool https = false;
  std::string_view origin;     // "https://example.com:8443"
  std::string_view authority;  // "example.com:8443": the Host header
  std::string_view host;       // IPv6 with its brackets
  uint16_t port = 0;           // 0 only when the URL says so, which no policy allows
  std::string_view target;     // path and query
};

// nullopt when `url` is not of the form that canonical ones have, or holds a byte that would end
// the request line: the feed is bytes from outside.
std::optional<FetchUrl> SplitFetchUrl(std::string_view url);

}  // namespace orbweaver
