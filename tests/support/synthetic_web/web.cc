#include "tests/support/synthetic_web/web.h"

#include "common/base/status.h"
#include "tests/support/synthetic_web/gzip.h"

namespace orbweaver::synthetic {

using Kind = Place::Kind;

std::string_view NameOf(Outcome outcome) {
  constexpr std::string_view kNames[] = {"page",
                                         "redirected",
                                         "redirect-forbidden",
                                         "redirect-away",
                                         "gone",
                                         "server-error",
                                         "redirect-loop",
                                         "timeout",
                                         "too-slow",
                                         "encoding",
                                         "too-large",
                                         "robots",
                                         "robots-unreachable",
                                         "private-address",
                                         "no-such-host",
                                         "certificate"};
  static_assert(std::size(kNames) == static_cast<size_t>(Outcome::kCount));
  return kNames[static_cast<size_t>(outcome)];
}

absl::StatusOr<std::unique_ptr<const Web>> Web::Create(const WebOptions& options) {
  RETURN_IF_ERROR(Validate(options));
  return std::unique_ptr<const Web>(new Web(options));
}

Web::Web(const WebOptions& options)
    : options_(options),
      hosts_(options_),
      paths_(options_, hosts_),
      graph_(options_, hosts_, paths_),
      text_(options_, hosts_, paths_, graph_),
      bomb_(options.troubles.faults.Has(Fault::kGzipBomb) ? GzipBomb(options.bomb_bytes) : "") {}

// Whether the host has something there. All else is gone, or a soft 404.
bool Web::Exists(const Place& place) const {
  const HostTraits& traits = hosts_.TraitsOf(place.host);
  switch (place.kind) {
    case Kind::kPage:
      return paths_.HasPage(place.number);
    case Kind::kSitemap:
      return traits.sitemaps != SitemapKind::kNone && place.number <= graph_.SitemapsOf(place.host);
    case Kind::kDay:
      return traits.fault == Fault::kCalendar &&
             (options_.calendar_days == 0 || place.number < options_.calendar_days);
    case Kind::kHop:
    case Kind::kMoved: {
      if (!paths_.HasPage(place.number)) return false;
      if (graph_.CaseOf(place.host, place.number) != PageCase::kFaulty) return false;
      const bool moves = traits.fault == Fault::kRedirect;
      return place.kind == Kind::kMoved ? moves : moves || traits.fault == Fault::kRedirectLoop;
    }
    case Kind::kRobots:
    case Kind::kRobotsHop:
    case Kind::kRobotsRules:
      return true;
    case Kind::kUnknown:
    case Kind::kNoHost:
    case Kind::kPrivateAddress:
      return false;
  }
  return false;
}

// The next host that can be asked; the host itself when it is the only one.
uint32_t Web::RobotsElsewhere(uint32_t host) const {
  for (uint32_t step = 1; step < hosts_.count(); ++step) {
    const uint32_t other = (host + step) % hosts_.count();
    const Fault fault = hosts_.TraitsOf(other).fault;
    if (fault == Fault::kNone && !hosts_.TraitsOf(other).https) return other;
  }
  return host;
}

Place Web::RedirectTarget(const Place& place) const {
  const uint64_t variant = VariantOf(place);
  Place to{.host = place.host, .number = place.number, .kind = Kind::kMoved};
  switch (hosts_.TraitsOf(place.host).fault) {
    case Fault::kRedirect:
      if (place.kind == Kind::kPage && (variant & 1) != 0) to.kind = Kind::kHop;
      return to;
    case Fault::kRedirectLoop:
      to.kind = place.kind == Kind::kPage ? Kind::kHop : Kind::kPage;
      return to;
    case Fault::kRedirectPrivate:
      to.kind = Kind::kPrivateAddress;
      return to;
    default: {
      to.kind = Kind::kPage;
      to.host = (place.host + kAwayStep) % hosts_.count();
      to.number = static_cast<uint32_t>(variant % options_.pages_per_host);
      return to;
    }
  }
}

uint64_t Web::RevisionOf(const Place& place, uint32_t version) const {
  // Half of the pages never change, a quarter with each version, a quarter with every fourth.
  switch (Mix(BitsOf(place), 11) & 3) {
    case 0:
      return version;
    case 1:
      return version / 4;
    default:
      return 0;
  }
}

bool Web::IsAllowed(const Place& place) const {
  if (place.kind == Kind::kNoHost || place.kind == Kind::kPrivateAddress) return false;
  if (IsRobotsText(place.kind)) return true;
  switch (EffectOf(hosts_.TraitsOf(place.host).robots)) {
    case RobotsEffect::kAllowAll:
      return true;
    case RobotsEffect::kRules:
      return !paths_.RulesForbid(place);
    default:
      return false;
  }
}

uint32_t Web::FailuresBefore(const Place& place) const {
  if (place.kind == Kind::kRobots) {
    return hosts_.TraitsOf(place.host).robots == RobotsKind::kFailsFirst
               ? options_.transient_failures
               : 0;
  }
  if (place.kind != Kind::kPage || !Exists(place)) return 0;
  return IsTransient(hosts_.TraitsOf(place.host).fault) &&
                 graph_.CaseOf(place.host, place.number) == PageCase::kFaulty
             ? options_.transient_failures
             : 0;
}

Outcome Web::OutcomeOf(const Place& place) const {
  if (place.kind == Kind::kNoHost) return Outcome::kNoSuchHost;
  if (place.kind == Kind::kPrivateAddress) return Outcome::kPrivateAddress;
  const HostTraits& traits = hosts_.TraitsOf(place.host);
  switch (traits.fault) {
    case Fault::kNoSuchHost:
      return Outcome::kNoSuchHost;
    case Fault::kCertificateExpired:
    case Fault::kCertificateName:
    case Fault::kCertificateSelfSigned:
      return Outcome::kCertificate;
    default:
      break;
  }
  if (IsRobotsText(place.kind)) return Outcome::kPage;
  if (EffectOf(traits.robots) == RobotsEffect::kUnreachable) return Outcome::kRobotsUnreachable;
  if (!IsAllowed(place)) return Outcome::kRobots;
  if (!Exists(place)) return traits.fault == Fault::kSoft404 ? Outcome::kPage : Outcome::kGone;
  if (place.kind == Kind::kPage || place.kind == Kind::kHop) return OutcomeOfPage(place);
  return Outcome::kPage;
}

Outcome Web::OutcomeOfPage(const Place& place) const {
  switch (graph_.CaseOf(place.host, place.number)) {
    case PageCase::kOrdinary:
      return Outcome::kPage;
    case PageCase::kGone:
      return Outcome::kGone;
    case PageCase::kFailing:
      return Outcome::kServerError;
    case PageCase::kFaulty:
      break;
  }
  switch (hosts_.TraitsOf(place.host).fault) {
    case Fault::kHang:
      return Outcome::kTimeout;
    case Fault::kEndlessDrip:
      return Outcome::kTooSlow;
    case Fault::kBrokenGzip:
      return Outcome::kEncoding;
    case Fault::kGzipBomb:
      return Outcome::kTooLarge;
    case Fault::kRedirectLoop:
      return Outcome::kRedirectLoop;
    case Fault::kRedirect:
      return IsAllowed({.host = place.host, .number = place.number, .kind = Kind::kMoved})
                 ? Outcome::kRedirected
                 : Outcome::kRedirectForbidden;
    case Fault::kRedirectAway:
    case Fault::kRedirectPrivate:
      return Outcome::kRedirectAway;
    default:
      return Outcome::kPage;
  }
}

void Web::AppendLearnt(const Place& place, std::vector<Place>* out) const {
  const Place home{.host = place.host, .number = 0, .kind = Kind::kPage};
  switch (OutcomeOf(place)) {
    case Outcome::kPage:
      break;
    case Outcome::kRedirected:
    case Outcome::kRedirectForbidden:
    case Outcome::kRedirectAway:
    case Outcome::kRedirectLoop:
      out->push_back(RedirectTarget(place));
      return;
    default:
      return;
  }
  if (IsRobotsText(place.kind)) return;
  if (!Exists(place)) return out->push_back(home);  // a soft 404
  if (place.kind == Kind::kSitemap) {
    return graph_.AppendSitemap(place.host, place.number, out);
  }
  if (place.kind == Kind::kDay) {
    for (const uint64_t day : {uint64_t{place.number} + 1, uint64_t{place.number} + 7}) {
      if (options_.calendar_days != 0 && day >= options_.calendar_days) continue;
      out->push_back(
          {.host = place.host, .number = static_cast<uint32_t>(day), .kind = Kind::kDay});
    }
    if (place.number > 0) {
      out->push_back({.host = place.host, .number = place.number - 1, .kind = Kind::kDay});
    }
    return out->push_back(home);
  }
  const Fault fault = hosts_.TraitsOf(place.host).fault;
  uint32_t page = place.number;
  if (graph_.CaseOf(place.host, page) == PageCase::kFaulty) {
    if (fault == Fault::kSoft404) return out->push_back(home);
    if (fault == Fault::kDuplicates) page = graph_.OriginalOf(place.host, page);
  }
  if (fault == Fault::kCalendar && place.number == 0) {
    out->push_back({.host = place.host, .number = 0, .kind = Kind::kDay});
  }
  const uint64_t bits = paths_.BitsOf(place.host, page);
  for (uint32_t i = 0; i < options_.links_per_page; ++i) {
    out->push_back(graph_.LinkOf(place.host, page, bits, i).to);
  }
}

std::vector<std::string> Web::Seeds(size_t count) const {
  std::vector<std::string> seeds;
  for (uint32_t host = 0; host < hosts_.count() && seeds.size() < count; ++host) {
    const Place home{.host = host, .number = 0, .kind = Kind::kPage};
    if (OutcomeOf(home) == Outcome::kPage) seeds.push_back(paths_.UrlOf(home));
  }
  return seeds;
}

std::string Web::HostsFile() const {
  std::string lines;
  for (uint32_t host = 0; host < hosts_.count(); ++host) {
    if (hosts_.TraitsOf(host).fault == Fault::kNoSuchHost) continue;
    hosts_.AppendAddress(host, &lines);
    lines.push_back(' ');
    hosts_.AppendName(host, &lines);
    lines.push_back('\n');
  }
  return lines;
}

}  // namespace orbweaver::synthetic
