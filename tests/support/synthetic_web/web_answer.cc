// Web::Get: what comes back for a request.
#include "common/base/check.h"
#include "tests/support/synthetic_web/gzip.h"
#include "tests/support/synthetic_web/http_date.h"
#include "tests/support/synthetic_web/robots_text.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::synthetic {
namespace {

using Kind = Place::Kind;

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr int64_t kFirstModified_s = 1'704'067'200;  // 2024-01-01

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

}  // namespace

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

void Web::GetPage(const Ask& ask, Answer* answer) const {
  const uint64_t variant = VariantOf(ask.place);
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
  const uint64_t variant = VariantOf(ask.place);
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
    const uint64_t variant = VariantOf(place) % 3;
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

}  // namespace orbweaver::synthetic
