// Parts of absolute http and https URLs, for strategies that name URLs of their own.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace orbweaver::sdk {

// "https://example.com:8443" of "https://example.com:8443/a?b"; empty when it is no such URL.
inline std::string_view OriginOf(std::string_view url) {
  const size_t scheme = url.rfind("https://", 0) == 0 ? 8 : url.rfind("http://", 0) == 0 ? 7 : 0;
  const size_t end = std::min(url.find_first_of("/?#", scheme), url.size());
  return scheme == 0 || end == scheme ? std::string_view() : url.substr(0, end);
}

// The home page of the URL's host; empty when it is no http or https URL.
inline std::string HomeOf(std::string_view url) {
  const std::string_view origin = OriginOf(url);
  return origin.empty() ? std::string() : std::string(origin) + "/";
}

// "example.com" of the above, in lower case, without port; empty when it is no plain host name or
// address.
inline std::string HostOf(std::string_view url) {
  std::string_view host = OriginOf(url);
  if (host.empty()) return {};
  host.remove_prefix(host.find("//") + 2);
  const size_t port = host.rfind(':');
  if (port != std::string_view::npos && host.find(']', port) == std::string_view::npos) {
    host = host.substr(0, port);
  }
  std::string lower(host);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (static_cast<unsigned char>(c) <= ' ' || c == '@' || c == '%' || c == '\\') return {};
  }
  return lower;
}

// Whether a strategy may request `url` in an event of registered domain `domain`.
inline bool IsOfDomain(std::string_view url, std::string_view domain) {
  const std::string host = HostOf(url);
  if (host == domain) return !host.empty();
  return host.size() > domain.size() && host[host.size() - domain.size() - 1] == '.' &&
         std::string_view(host).substr(host.size() - domain.size()) == domain;
}

}  // namespace orbweaver::sdk
