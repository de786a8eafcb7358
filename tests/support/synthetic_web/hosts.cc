#include "tests/support/synthetic_web/hosts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "common/base/random.h"
#include "tests/support/synthetic_web/place.h"

namespace orbweaver::synthetic {
namespace {

constexpr std::string_view kAsciiLabel = "xn--bcher-kva.";
constexpr std::string_view kWrittenLabel =
    "b\xC3\xBC"
    "cher.";

// 127.128.0.0 and on are hosts that have no name; 127.0.1.0 and on are those of names.
constexpr uint32_t kLiteralBase = 128u << 16;
constexpr uint32_t kNamedBase = 256;

void AppendNumber(uint32_t number, std::string* out) {
  char digits[10];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out->append(digits, end);
}

void AppendLoopback(uint32_t low_bits, std::string* out) {
  out->append("127.");
  AppendNumber(low_bits >> 16, out);
  out->push_back('.');
  AppendNumber(low_bits >> 8 & 255, out);
  out->push_back('.');
  AppendNumber(low_bits & 255, out);
}

// Takes a number without leading zeros from the front.
std::optional<uint32_t> TakeNumber(std::string_view* text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return std::nullopt;
  const size_t size = static_cast<size_t>(end - text->data());
  if (size > 1 && text->front() == '0') return std::nullopt;
  text->remove_prefix(size);
  return number;
}

bool Take(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// Each eight hosts have five registered domains: three of one host, one of two, one of three.
uint32_t SiteOf(uint32_t host) {
  constexpr uint32_t kSite[8] = {0, 1, 2, 3, 3, 4, 4, 4};
  return host / 8 * 5 + kSite[host % 8];
}

// The members of `set`, and kinds of number 0 until the members have `share` of the deck.
template <typename Kind>
std::vector<Kind> Deck(const KindSet<Kind>& set, double share, uint64_t seed) {
  std::vector<Kind> deck;
  for (uint8_t i = 1; i < static_cast<uint8_t>(Kind::kCount); ++i) {
    if (set.Has(static_cast<Kind>(i))) deck.push_back(static_cast<Kind>(i));
  }
  if (deck.empty() || share <= 0) return {Kind{}};
  deck.resize(static_cast<size_t>(std::ceil(static_cast<double>(deck.size()) / share)));
  Random random(seed);
  for (size_t i = deck.size(); i > 1; --i) std::swap(deck[i - 1], deck[random.Below(i)]);
  return deck;
}

bool CanNameSitemaps(RobotsKind kind) {
  switch (kind) {
    case RobotsKind::kEmpty:
    case RobotsKind::kRules:
    case RobotsKind::kOwnGroup:
    case RobotsKind::kByteOrderMark:
    case RobotsKind::kHuge:
    case RobotsKind::kCrawlDelay:
    case RobotsKind::kRedirect:
    case RobotsKind::kFailsFirst:
      return true;
    default:
      return false;
  }
}

bool IsCertificateFault(Fault fault) {
  return fault == Fault::kCertificateExpired || fault == Fault::kCertificateName ||
         fault == Fault::kCertificateSelfSigned;
}

}  // namespace

RobotsEffect EffectOf(RobotsKind kind) {
  switch (kind) {
    case RobotsKind::kMissing:
    case RobotsKind::kForbidden:
    case RobotsKind::kEmpty:
    case RobotsKind::kGarbage:
    case RobotsKind::kRedirectLoop:
      return RobotsEffect::kAllowAll;
    case RobotsKind::kDisallowAll:
      return RobotsEffect::kDisallowAll;
    case RobotsKind::kServerError:
    case RobotsKind::kTimeout:
      return RobotsEffect::kUnreachable;
    default:
      return RobotsEffect::kRules;
  }
}

Hosts::Hosts(const WebOptions& options)
    : options_(options),
      fault_deck_(Deck(options.troubles.faults, options.faulty_hosts, Mix(options.seed, 1))),
      robots_deck_(Deck(options.troubles.robots, options.robots_hosts, Mix(options.seed, 2))) {
  // Sizes without a common divisor, so that every fault meets every robots.txt.
  while (std::gcd(fault_deck_.size(), robots_deck_.size()) != 1) robots_deck_.emplace_back();
  traits_.reserve(options.hosts);
  for (uint32_t host = 0; host < options.hosts; ++host) traits_.push_back(Draw(host));
}

HostTraits Hosts::Draw(uint32_t host) const {
  const uint64_t bits = Mix(Mix(options_.seed, 3), host);
  HostTraits traits{.fault = fault_deck_[host % fault_deck_.size()],
                    .robots = robots_deck_[host % robots_deck_.size()],
                    .https = Falls(bits, options_.https_hosts)};
  if (IsCertificateFault(traits.fault)) traits.https = true;
  if (traits.fault == Fault::kRedirectAway) {
    std::string domain, other;
    AppendDomain(host, &domain);
    AppendDomain((host + kAwayStep) % options_.hosts, &other);
    if (domain == other) traits.fault = Fault::kNone;  // a small web: nowhere to go
  }
  if (IsAddress(host)) {
    // An address needs no DNS, and certificates are made for names.
    traits.https = false;
    if (IsCertificateFault(traits.fault) || traits.fault == Fault::kNoSuchHost) {
      traits.fault = Fault::kNone;
    }
  }
  if (CanNameSitemaps(traits.robots) && Falls(bits >> 16, options_.sitemap_hosts)) {
    traits.sitemaps = static_cast<SitemapKind>(1 + (bits >> 32) % 3);
  }
  return traits;
}

// Among the first three of eight, which have no sisters.
bool Hosts::IsAddress(uint32_t host) const { return host % 32 == 9; }
bool Hosts::IsInternational(uint32_t host) const { return host % 32 == 10; }

void Hosts::AppendName(uint32_t host, std::string* out) const {
  if (IsAddress(host)) return AppendAddress(host, out);
  if (IsInternational(host)) out->append(kAsciiLabel);
  out->push_back('h');
  AppendNumber(host, out);
  out->push_back('.');
  AppendDomain(host, out);
}

void Hosts::AppendWrittenName(uint32_t host, std::string* out) const {
  if (!IsInternational(host)) return AppendName(host, out);
  out->append(kWrittenLabel).push_back('h');
  AppendNumber(host, out);
  out->push_back('.');
  AppendDomain(host, out);
}

void Hosts::AppendDomain(uint32_t host, std::string* out) const {
  if (IsAddress(host)) return AppendAddress(host, out);
  out->append("site");
  AppendNumber(SiteOf(host), out);
  out->append(".test");
}

void Hosts::AppendAddress(uint32_t host, std::string* out) const {
  if (IsAddress(host)) return AppendLoopback(kLiteralBase + host, out);
  const uint32_t addresses = std::max(1u, options_.hosts * 2 / 3);
  AppendLoopback(kNamedBase + static_cast<uint32_t>(Mix(Mix(options_.seed, 4), host) % addresses),
                 out);
}

std::optional<uint32_t> Hosts::Find(std::string_view name) const {
  std::optional<uint32_t> host;
  std::string_view rest = name;
  if (Take("127.", &rest)) {
    const auto a = TakeNumber(&rest);
    const auto b = Take(".", &rest) ? TakeNumber(&rest) : std::nullopt;
    const auto c = Take(".", &rest) ? TakeNumber(&rest) : std::nullopt;
    if (!a || !b || !c || *a > 255 || *b > 255 || *c > 255) return std::nullopt;
    const uint32_t low_bits = *a << 16 | *b << 8 | *c;
    if (low_bits >= kLiteralBase) host = low_bits - kLiteralBase;
  } else {
    Take(kAsciiLabel, &rest);
    if (Take("h", &rest)) host = TakeNumber(&rest);
  }
  if (!host || *host >= count()) return std::nullopt;
  // The skipped parts count: a host has one name.
  std::string exact;
  AppendName(*host, &exact);
  return exact == name ? host : std::nullopt;
}

}  // namespace orbweaver::synthetic
