// Patterns of URLs as people write them.
//
//   example.com            this host and all below it; also example.com:8080, 10.0.0.1, localhost
//   *.example.com          the hosts below it
//   :8080                  any host at this port
//   //intranet             as a host without the two slashes, where a name alone could be anything
//   example.com/blog/*     hosts, and a path on them
//   /blog/*                a path on any host
//   https://example.com/*  a whole URL: exactly this host; `*://` stands for http and https
//   *.pdf  */blog/*        a whole URL too: what begins with `*` and names no host
//   re:EXPRESSION          RE2's syntax; matches anywhere in the URL unless it says ^ or $
//
// `*` stands for any characters, none too; nothing else is special but in `re:`. A pattern that
// ends with a slash means all below it. One without a question mark says nothing of the query.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/url/domain.h"

namespace orbweaver {

struct UrlPattern {
  std::string expression;  // RE2's syntax, to be searched for in canonical URLs
  std::string meaning;     // for people: "URLs that match *.pdf"
};

inline constexpr size_t kMaxPatternBytes = 1024;

// A pure function of `text`, which may be any bytes, and the top-level domains that there are: they
// tell `*.png` from `*.example.com`. Fatal when it is no pattern, or could be two: the message is
// the cause and how to write it, without the pattern.
absl::StatusOr<UrlPattern> ParseUrlPattern(std::string_view text, const PublicSuffixes& suffixes);

}  // namespace orbweaver
