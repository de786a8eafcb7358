// The hosts of the synthetic web: their names, registered domains, addresses, and what is wrong
// with each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/synthetic_web/troubles.h"
#include "tests/support/synthetic_web/web_options.h"

namespace orbweaver::synthetic {

// How many hosts further a page of a host with kRedirectAway redirects to.
inline constexpr uint32_t kAwayStep = 8;

enum class SitemapKind : uint8_t { kNone, kPlain, kIndex, kGzipIndex };

struct HostTraits {
  Fault fault = Fault::kNone;
  RobotsKind robots = RobotsKind::kMissing;
  SitemapKind sitemaps = SitemapKind::kNone;
  bool https = false;
};

// The effect of robots.txt on a host's URLs in the end, as far as they depend on it.
enum class RobotsEffect : uint8_t { kAllowAll, kRules, kDisallowAll, kUnreachable };
RobotsEffect EffectOf(RobotsKind kind);

// Immutable, so thread-safe.
//
// Hosts are numbered. Five registered domains have eight hosts: `h8.site5.test`; every 32nd host is
// an IP address, and every 32nd has a label that is not ASCII. Faults are dealt out in turn, in an
// order drawn by the seed, so that as few hosts as possible are enough to have each of them.
class Hosts {
 public:
  explicit Hosts(const WebOptions& options);

  uint32_t count() const { return static_cast<uint32_t>(traits_.size()); }
  const HostTraits& TraitsOf(uint32_t host) const { return traits_[host]; }

  // As in canonical URLs: lower case, Punycode.
  void AppendName(uint32_t host, std::string* out) const;
  // As people write it: `bücher.h42.site26.test`. The same as the name for most.
  void AppendWrittenName(uint32_t host, std::string* out) const;
  // The registered domain, as the public suffix list has it: `.test` is a public suffix by the
  // list's last rule.
  void AppendDomain(uint32_t host, std::string* out) const;
  // Within 127.0.0.0/8. A third of the addresses serve two hosts or more.
  void AppendAddress(uint32_t host, std::string* out) const;

  // `name` in lower case. nullopt when this web has no such host; one that has the fault
  // kNoSuchHost is found.
  std::optional<uint32_t> Find(std::string_view name) const;

 private:
  bool IsAddress(uint32_t host) const;
  bool IsInternational(uint32_t host) const;
  HostTraits Draw(uint32_t host) const;

  const WebOptions options_;
  // Dealt out by the host's number: what has a share of the hosts, and kNone for the others.
  std::vector<Fault> fault_deck_;
  std::vector<RobotsKind> robots_deck_;
  std::vector<HostTraits> traits_;
};

}  // namespace orbweaver::synthetic
