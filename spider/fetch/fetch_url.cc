#include "spider/fetch/fetch_url.h"

#include <algorithm>
#include <charconv>

namespace orbweaver {

std::optional<FetchUrl> SplitFetchUrl(std::string_view url) {
  const bool printable =
      std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
  if (!printable) return std::nullopt;
  FetchUrl parts;
  size_t start = 0;
  if (url.starts_with("http://")) {
    start = 7;
  } else if (url.starts_with("https://")) {
    start = 8;
    parts.https = true;
  } else {
    return std::nullopt;
  }
  const size_t path = url.find('/', start);
  if (path == std::string_view::npos) return std::nullopt;
  parts.origin = url.substr(0, path);
  parts.authority = url.substr(start, path - start);
  parts.target = url.substr(path);
  parts.port = parts.https ? 443 : 80;

  const size_t bracket = parts.authority.rfind(']');
  const size_t colon = parts.authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  parts.host = parts.authority.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view digits = parts.authority.substr(colon + 1);
    const char* const end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, parts.port);
    if (at != end || error != std::errc()) return std::nullopt;
  }
  if (parts.host.empty() || parts.authority.find_first_of("@?\\") != std::string_view::npos) {
    return std::nullopt;
  }
  return parts;
}

}  // namespace orbweaver
