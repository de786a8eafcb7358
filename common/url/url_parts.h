// A parsed http(s) URL as views into whoever parsed it.
#pragma once

#include <string_view>

namespace orbweaver {

// User name, password and fragment are left out: no canonical URL has them.
struct UrlParts {
  std::string_view scheme;  // "http" or "https"
  std::string_view host;    // as the URL standard serialises it; IPv6 in brackets
  std::string_view port;    // digits; empty for the scheme's default
  // The path is `directory` and `path`, one after the other: a relative link resolved against a
  // page needs no copy. One of them begins with a slash.
  std::string_view directory;
  std::string_view path;
  std::string_view query;  // without the question mark; empty when there is none

  friend bool operator==(const UrlParts&, const UrlParts&) = default;
};

}  // namespace orbweaver
