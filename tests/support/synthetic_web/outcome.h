// The outcome of each URL of the synthetic web for a polite crawler.
#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver::synthetic {

enum class Outcome : uint8_t {
  kPage,               // 200, perhaps after failures that pass
  kRedirected,         // redirects on the same host end at a page
  kRedirectForbidden,  // ... end where robots.txt forbids to look
  kRedirectAway,       // a redirect to another registered domain: its target is a link
  kGone,               // 404, 410, 403
  kServerError,        // 500, for ever
  kRedirectLoop,
  kTimeout,   // no answer, for ever
  kTooSlow,   // bytes that never end
  kEncoding,  // broken gzip
  kTooLarge,  // a gzip bomb
  // No request may reach the server.
  kRobots,             // forbidden by robots.txt
  kRobotsUnreachable,  // forbidden since robots.txt cannot be had
  kPrivateAddress,
  // No request can.
  kNoSuchHost,
  kCertificate,
  kCount,
};

constexpr bool ReachesServer(Outcome outcome) { return outcome < Outcome::kRobots; }

std::string_view NameOf(Outcome outcome);

}  // namespace orbweaver::synthetic
