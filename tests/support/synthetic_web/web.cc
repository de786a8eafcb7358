#include "tests/support/synthetic_web/web.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "tests/support/synthetic_web/gzip.h"
#include "tests/support/synthetic_web/http_date.h"
#include "tests/support/synthetic_web/robots_text.h"

namespace orbweaver::synthetic {
namespace {

using Kind = Place::Kind;

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr int64_t kFirstModified_s = 1'704'067'200;  // 2024-01-01

// Bits of a page that its path and its case do not come from.
constexpr int kVariantShift = 42;

void Clear(Answer* answer) {
  answer->delivery = Delivery::kWhole;
  answer->first_byte_after = {};
  answer->status = 200;
  answer->content_type = kHtml;
  answer->content_encoding = {};
  answer->location.clear();
  answer->etag.clear();
  answer->last_modified_s = 0;
  answer->retry_after.reset();
  answer->retry_after_as_date = false;
  answer->body.clear();
}

void Compress(Answer* answer) {
  std::string packed;
  Gzip(answer->body, &packed);
  answer->body.swap(packed);
  answer->content_encoding = "gzip";
}

bool IsRobotsText(Kind kind) {
  return kind == Kind::kRobots || kind == Kind::kRobotsHop || kind == Kind::kRobotsRules;
}

}  // namespace

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

void Web::Get(const Ask& ask, Answer* answer) const {
  Clear(answer);
  const Place& place = ask.place;
  if (place.kind == Kind::kNoHost || place.kind == Kind::kPrivateAddress ||
      hosts_.TraitsOf(place.host).fault == Fault::kNoSuchHost) {
    Refuse(502, answer);
    answer->delivery = Delivery::kNoSuchHost;
  } else if (IsRobotsText(place.kind)) {
    GetRobots(ask, answer);
  } else if (!Exists(place)) {
    Refuse(hosts_.TraitsOf(place.host).fault == Fault::kSoft404 ? 200 : 404, answer);
  } else if (place.kind == Kind::kSitemap) {
    GetSitemap(place, answer);
  } else if (place.kind == Kind::kDay) {
    text_.AppendDay(place.host, place.number, &answer->body);
  } else if (place.kind == Kind::kHop) {
    Redirect(302, RedirectTarget(place), answer);
  } else if (place.kind == Kind::kMoved) {
    GetContent(ask, answer);
  } else {
    GetPage(ask, answer);
  }
  // A short body has set it already.
  if (answer->delivery != Delivery::kCutShort) answer->content_length = answer->body.size();
}

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

void Web::GetPage(const Ask& ask, Answer* answer) const {
  const uint64_t variant = BitsOf(ask.place) >> kVariantShift;
  switch (graph_.CaseOf(ask.place.host, ask.place.number)) {
    case PageCase::kOrdinary:
      return GetContent(ask, answer);
    case PageCase::kGone: {
      constexpr int kStatus[] = {404, 404, 410, 403};
      return Refuse(kStatus[variant & 3], answer);
    }
    case PageCase::kFailing:
      return Refuse(500, answer);
    case PageCase::kFaulty:
      return GetFaultyPage(ask, hosts_.TraitsOf(ask.place.host).fault, answer);
  }
}

void Web::GetFaultyPage(const Ask& ask, Fault fault, Answer* answer) const {
  const uint64_t variant = BitsOf(ask.place) >> kVariantShift;
  if (IsTransient(fault) && ask.attempt >= options_.transient_failures) {
    return GetContent(ask, answer);
  }
  switch (fault) {
    case Fault::kSlowFirstByte:
      GetContent(ask, answer);
      answer->first_byte_after = options_.slow_first_byte;
      return;
    case Fault::kDrip:
      GetContent(ask, answer);
      answer->delivery = Delivery::kDrip;
      return;
    case Fault::kReset:
      GetContent(ask, answer);
      answer->delivery = (variant & 1) != 0 ? Delivery::kReset : Delivery::kResetInBody;
      return;
    case Fault::kShortBody:
      GetContent(ask, answer);
      answer->delivery = Delivery::kCutShort;
      answer->content_length = answer->body.size() + 1 + (variant & 0xfff);
      return;
    case Fault::kTooManyRequests:
    case Fault::kUnavailable:
      answer->retry_after = options_.retry_after;
      answer->retry_after_as_date = (variant & 1) != 0;
      return Refuse(fault == Fault::kUnavailable ? 503 : 429, answer);
    case Fault::kTooManyRequestsBare:
      return Refuse(429, answer);
    case Fault::kUnavailableBare:
      return Refuse(503, answer);
    case Fault::kHang:
      answer->delivery = Delivery::kHang;
      return;
    case Fault::kEndlessDrip:
      GetContent(ask, answer);
      answer->delivery = Delivery::kEndlessDrip;
      return;
    case Fault::kBrokenGzip:
      GetContent(ask, answer);
      Compress(answer);
      BreakGzip(&answer->body);
      return;
    case Fault::kGzipBomb:
      answer->content_encoding = "gzip";
      answer->body = bomb_;
      return;
    case Fault::kRedirectLoop:
    case Fault::kRedirect:
    case Fault::kRedirectAway:
    case Fault::kRedirectPrivate: {
      constexpr int kStatus[] = {301, 302, 303, 307, 308};
      return Redirect(kStatus[variant % 5], RedirectTarget(ask.place), answer);
    }
    case Fault::kSoft404:
      return Refuse(200, answer);
    default:  // the content is odd, or the host is
      return GetContent(ask, answer);
  }
}

void Web::GetContent(const Ask& ask, Answer* answer) const {
  const Place& place = ask.place;
  const Fault fault = hosts_.TraitsOf(place.host).fault;
  const uint64_t revision = RevisionOf(place, ask.version);
  const uint64_t tag = Mix(BitsOf(place), revision);
  answer->etag = "\"0123456789abcdef\"";
  for (int i = 0; i < 16; ++i) answer->etag[i + 1] = "0123456789abcdef"[tag >> (4 * i) & 15];
  answer->last_modified_s = kFirstModified_s + static_cast<int64_t>(BitsOf(place) % 20'000'000) +
                            static_cast<int64_t>(revision) * 3600;
  // RFC 9110, section 13.2.2: the date counts only when there is no tag.
  const bool unchanged = ask.if_none_match.empty()
                             ? ParseHttpDate(ask.if_modified_since) >= answer->last_modified_s
                             : ask.if_none_match.find(answer->etag) != std::string_view::npos;
  if (unchanged) {
    answer->status = 304;
    return;
  }
  PageText::Page page{.host = place.host, .number = place.number, .revision = revision};
  if (fault == Fault::kDuplicates) page.number = graph_.OriginalOf(place.host, place.number);
  if (fault == Fault::kWrongCharset) {
    // The header is wrong, unknown, or says something else than the page.
    const uint64_t variant = (BitsOf(place) >> kVariantShift) % 3;
    if (variant == 1) answer->content_type = "text/html; charset=x-nothing";
    if (variant == 2) answer->content_type = "text/html; charset=iso-8859-1";
    if (variant == 1) page.charset = "iso-8859-1";
    page.latin1 = variant != 2;
  }
  page.links_calendar = fault == Fault::kCalendar && place.number == 0;
  text_.AppendPage(page, &answer->body);
  if (fault == Fault::kGzip) Compress(answer);
}

void Web::GetRobots(const Ask& ask, Answer* answer) const {
  const uint32_t host = ask.place.host;
  const RobotsKind kind = hosts_.TraitsOf(host).robots;
  answer->content_type = "text/plain";
  if (ask.place.kind == Kind::kRobotsRules) {
    // Sitemaps of a host are named only where its own robots.txt leads.
    return GetRobotsRules(host, RobotsKind::kRules, kind == RobotsKind::kRedirect, answer);
  }
  const Place hop{.host = host, .number = 1, .kind = Kind::kRobotsHop};
  if (ask.place.kind == Kind::kRobotsHop) {
    if (ask.place.number > 2) return Refuse(404, answer);
    if (kind == RobotsKind::kRedirect) {
      return Redirect(302, {.host = host, .number = 0, .kind = Kind::kRobotsRules}, answer);
    }
    return Redirect(302, {.host = host, .number = 3 - ask.place.number, .kind = Kind::kRobotsHop},
                    answer);
  }
  switch (kind) {
    case RobotsKind::kMissing:
      return Refuse(404, answer);
    case RobotsKind::kForbidden:
      return Refuse(403, answer);
    case RobotsKind::kServerError:
      return Refuse(500, answer);
    case RobotsKind::kTimeout:
      answer->delivery = Delivery::kHang;
      return;
    case RobotsKind::kFailsFirst:
      if (ask.attempt < options_.transient_failures) return Refuse(503, answer);
      return GetRobotsRules(host, RobotsKind::kRules, true, answer);
    case RobotsKind::kRedirect:
    case RobotsKind::kRedirectLoop:
      return Redirect(301, hop, answer);
    case RobotsKind::kRedirectAway:
      return Redirect(301, {.host = RobotsElsewhere(host), .number = 0, .kind = Kind::kRobotsRules},
                      answer);
    default:
      return GetRobotsRules(host, kind, true, answer);
  }
}

void Web::GetRobotsRules(uint32_t host, RobotsKind kind, bool sitemaps, Answer* answer) const {
  std::string sitemap;
  if (sitemaps && hosts_.TraitsOf(host).sitemaps != SitemapKind::kNone) {
    sitemap = paths_.UrlOf({.host = host, .number = 0, .kind = Kind::kSitemap});
  }
  AppendRobots({.kind = kind,
                .agent = options_.agent,
                .sitemap = sitemap,
                .crawl_delay = options_.crawl_delay,
                .seed = Mix(options_.seed, host)},
               &answer->body);
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

void Web::GetSitemap(const Place& place, Answer* answer) const {
  std::vector<Place> places;
  graph_.AppendSitemap(place.host, place.number, &places);
  const bool index = place.number == 0 && graph_.SitemapsOf(place.host) > 0;
  AppendSitemapXml(paths_, places, index, &answer->body);
  answer->content_type = "application/xml";
  if (place.number > 0 && hosts_.TraitsOf(place.host).sitemaps == SitemapKind::kGzipIndex) {
    // A packed file, not a packed transfer.
    Compress(answer);
    answer->content_encoding = {};
    answer->content_type = "application/gzip";
  }
}

void Web::Refuse(int status, Answer* answer) const {
  answer->status = status;
  answer->content_type = kHtml;
  PageText::AppendNothingHere(&answer->body);
}

void Web::Redirect(int status, const Place& to, Answer* answer) const {
  Refuse(status, answer);
  paths_.AppendUrl(to, &answer->location);
}

Place Web::RedirectTarget(const Place& place) const {
  const uint64_t variant = BitsOf(place) >> kVariantShift;
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
