// Why a link is no URL to crawl: a closed set of rules, each with the name that users, counters and
// logs see.
#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver {

enum class [[nodiscard]] UrlError : uint8_t {
  kNone,
  kParse,             // the URL standard calls it a failure
  kRelative,          // a relative link, and no base to resolve it against
  kScheme,            // neither http nor https
  kHost,              // no name of the DNS: an empty label, one over 63 bytes, or over 253 in all
  kTooLong,           // UrlOptions::max_bytes
  kTooManySegments,   // UrlOptions::max_segments
  kRepeatedSegments,  // UrlOptions::max_segment_repeats
};

constexpr std::string_view UrlErrorName(UrlError error) {
  switch (error) {
    case UrlError::kNone:
      return "none";
    case UrlError::kParse:
      return "parse";
    case UrlError::kRelative:
      return "relative";
    case UrlError::kScheme:
      return "scheme";
    case UrlError::kHost:
      return "host";
    case UrlError::kTooLong:
      return "too-long";
    case UrlError::kTooManySegments:
      return "too-many-segments";
    case UrlError::kRepeatedSegments:
      return "repeated-segments";
  }
  return "unknown";
}

}  // namespace orbweaver
