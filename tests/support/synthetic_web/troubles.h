// The faults of hosts of the synthetic web: a closed set, each with a name for command lines and
// reports.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace orbweaver::synthetic {

// A host has at most one. Those marked (pages) concern some of its pages, the others all of it.
enum class Fault : uint8_t {
  kNone,
  // The content comes, but late.
  kSlowFirstByte,
  kDrip,  // (pages) in ten pieces
  // (pages) The first requests of each URL fail, the others succeed;
  // WebOptions::transient_failures.
  kReset,
  kShortBody,            // fewer bytes than Content-Length says
  kTooManyRequests,      // 429 with Retry-After
  kTooManyRequestsBare,  // 429 without
  kUnavailable,          // 503 with Retry-After
  kUnavailableBare,
  // (pages) They never succeed.
  kHang,         // a request is read and never answered
  kEndlessDrip,  // a byte now and then
  kBrokenGzip,
  kGzipBomb,
  kRedirectLoop,
  // The whole host is out of reach.
  kNoSuchHost,
  kCertificateExpired,
  kCertificateName,
  kCertificateSelfSigned,
  // (pages) The content is elsewhere.
  kRedirect,         // on the same host; for some pages where robots.txt forbids to look
  kRedirectAway,     // a page of another registered domain
  kRedirectPrivate,  // a link-local address, which no crawler may ask; not in "all"
  // The content comes and is not what it seems.
  kGzip,
  kWrongCharset,
  kDuplicates,  // (pages) the bytes of another page
  kSoft404,     // (pages) 200 and a text that nothing is there
  kCalendar,    // a page for each day, each with links to other days
  kCount,
};

// The kinds of answers to a request for robots.txt (RFC 9309, section 2.3.1).
enum class RobotsKind : uint8_t {
  kMissing,        // 404: everything is allowed
  kForbidden,      // 403: likewise
  kEmpty,          // no rule
  kGarbage,        // bytes that are no rules
  kRules,          // rules for `*`
  kOwnGroup,       // rules for our agent; `*` may do nothing
  kByteOrderMark,  // rules behind a byte order mark, with CR LF
  kHuge,           // rules at the start and after 400 KB, then junk up to 1 MB
  kCrawlDelay,     // rules and a crawl-delay
  kDisallowAll,
  kRedirect,      // to rules on the same host, in two steps
  kRedirectAway,  // to rules on another host, which hold for the host that was asked
  kRedirectLoop,  // unavailable: everything is allowed
  kFailsFirst,    // 503 for the first requests, then rules
  kServerError,   // 500 for ever: everything is forbidden
  kTimeout,       // never answered: everything is forbidden
  kCount,
};

template <typename Kind>
class KindSet {
 public:
  constexpr KindSet() = default;
  constexpr KindSet(std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) Add(kind);
  }
  constexpr void Add(Kind kind) { bits_ |= Bit(kind); }
  constexpr void Remove(Kind kind) { bits_ &= ~Bit(kind); }
  constexpr bool Has(Kind kind) const { return (bits_ & Bit(kind)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr uint64_t Bit(Kind kind) { return uint64_t{1} << static_cast<unsigned>(kind); }
  uint64_t bits_ = 0;
};

struct Troubles {
  KindSet<Fault> faults;
  KindSet<RobotsKind> robots;
};

std::string_view NameOf(Fault fault);
std::string_view NameOf(RobotsKind kind);

// Everything but kRedirectPrivate, which a crawler that may ask private addresses would follow.
Troubles AllTroubles();

// "none", "all", or names with commas between them; a robots kind is written `robots-NAME`, and
// `-NAME` takes one out again: "all,-hang". Fatal for an unknown name.
absl::StatusOr<Troubles> ParseTroubles(std::string_view text);

// The names that ParseTroubles knows, for a help text.
std::string TroubleNames();

}  // namespace orbweaver::synthetic
