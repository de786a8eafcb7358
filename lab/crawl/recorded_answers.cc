#include "lab/crawl/recorded_answers.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "spider/fetch/failure_cause.h"
#include "spider/publish/outcome_encoder.h"

namespace orbweaver::lab {
namespace {

using std::chrono::milliseconds;

constexpr uint32_t kNotModifiedStatus = 304;
constexpr Duration kTypicalLatency = milliseconds(100);  // where none was recorded
constexpr int kDraws = 8;

bool WasBrokenOff(FailureCause cause) {
  using enum FailureCause;
  return IsAmong(cause, {kTimeoutTls, kTimeoutFirstByte, kTimeoutTotal, kTooSlow, kTlsCertificate,
                         kProtocol, kEncoding, kTooLarge, kContentType});
}

bool HasStill(const Request& request, const PageFetched& page) {
  if (!request.etag.empty()) return request.etag == page.etag;
  return !request.last_modified.empty() && request.last_modified == page.last_modified;
}

// Those that were followed: the last one of a page that is a redirect itself was not.
std::span<const Redirect> Followed(const PageFetched& page) {
  const bool led_away = IsRedirect(page.status) && !page.redirects.empty();
  return page.redirects.first(page.redirects.size() - (led_away ? 1 : 0));
}

// The redirect that the next fetch of the journey was answered with; null: it got the page.
const Redirect* NextRedirect(const Journey& journey, const PageFetched& page) {
  const auto followed = Followed(page);
  const auto so_far = journey.redirects();
  if (so_far.size() >= followed.size()) return nullptr;
  for (size_t i = 0; i < so_far.size(); ++i) {
    if (so_far[i].url != followed[i].url) return nullptr;
  }
  return &followed[so_far.size()];
}

Answer RedirectAnswer(const Redirect& redirect) {
  auto answer = std::make_unique<FetchResult>();
  answer->status = redirect.status;
  answer->header_text = redirect.url;
  answer->headers = {{.name = "location", .value = answer->header_text, .unknown = {}}};
  return answer;
}

}  // namespace

absl::StatusOr<CrawlAnswer> RecordedAnswers::Fetch(const Journey& journey) {
  const Request& request = journey.request();
  const bool is_first = journey.redirects().empty();
  Choice choice = Choose(request);
  CrawlAnswer answer;
  if (choice.outcome == FetchOutcome::kUnknown) return FetchUnknown(journey, choice);
  RETURN_IF_ERROR(web_.ReadVisit(choice.url, choice.visit, &answer_));
  answer.took = milliseconds(web_.VisitsOf(choice.url)[choice.visit].took_ms);
  if (std::holds_alternative<FetchFailed>(answer_.outcome.event)) {
    if (is_first) Trace(request, choice, answer.took);
    RETURN_IF_ERROR(EncodeFailure(request, &answer));
    return answer;
  }
  auto& page = std::get<PageFetched>(answer_.outcome.event);
  if (const Redirect* const redirect = NextRedirect(journey, page)) {
    if (is_first) Trace(request, choice, answer.took);
    answer.ending.status = static_cast<int>(redirect->status);
    answer.took = Latency(request.domain, redirect->url);
    answer.end = RedirectAnswer(*redirect);
    return answer;
  }
  if (choice.outcome == FetchOutcome::kPage && HasStill(request, page)) {
    choice.outcome = FetchOutcome::kNotModified;
    page.status = kNotModifiedStatus;
    page.not_modified = true;
    page.body_bytes = page.received_bytes = page.text_bytes = 0;
    page.links_inside = page.links_outside = 0;
    page.content_hash = {};
    answer_.links.clear();
  }
  if (is_first) Trace(request, choice, answer.took);
  answer.ending = {.status = static_cast<int>(page.status), .broken_off = page.body_truncated};
  RETURN_IF_ERROR(EncodePage(journey, choice, answer.took, &answer.end.emplace<LogEntries>()));
  return answer;
}

absl::StatusOr<CrawlAnswer> RecordedAnswers::FetchUnknown(const Journey& journey,
                                                          const Choice& choice) {
  const Request& request = journey.request();
  const uint32_t like = LikelyLike(request);
  RETURN_IF_ERROR(web_.ReadVisit(like, 0, &answer_));
  CrawlAnswer answer{.took = milliseconds(web_.VisitsOf(like).front().took_ms)};
  Trace(request, choice, answer.took);
  auto* const page = std::get_if<PageFetched>(&answer_.outcome.event);
  if (page == nullptr) {
    RETURN_IF_ERROR(EncodeFailure(request, &answer));
    return answer;
  }
  page->redirects = {};
  page->final_url = {};
  page->etag = page->last_modified = {};
  page->content_hash = FingerprintOf(request.url);  // as no other page
  answer.ending = {.status = static_cast<int>(page->status), .broken_off = page->body_truncated};
  RETURN_IF_ERROR(EncodePage(journey, choice, answer.took, &answer.end.emplace<LogEntries>()));
  return answer;
}

uint32_t RecordedAnswers::LikelyLike(const Request& request) const {
  RecordedWeb::UrlRange among = web_.UrlsOf(request.domain);
  if (among.first == among.end) among = {.first = 0, .end = web_.urls()};
  uint64_t draw = MixBits(FingerprintOf(request.url).low ^ MixBits(seed_));
  uint32_t like = among.first;
  for (int i = 0; i < kDraws; ++i, draw = MixBits(draw + 1)) {
    like = among.first + static_cast<uint32_t>(draw % (among.end - among.first));
    if (web_.VisitsOf(like).front().depth == request.depth) break;
  }
  return like;
}

absl::Status RecordedAnswers::EncodeFailure(const Request& request, CrawlAnswer* answer) {
  auto& failed = std::get<FetchFailed>(answer_.outcome.event);
  answer->ending = {.status = static_cast<int>(failed.status),
                    .retry_after = failed.retry_after,
                    .broken_off = WasBrokenOff(failed.cause)};
  failed.request = request;
  failed.failed_at = clock_.Wall() + std::chrono::round<milliseconds>(answer->took);
  LogEntries& entries = answer->end.emplace<LogEntries>();
  RETURN_IF_ERROR(Append(request.domain, {.event = failed}, answer->took, &entries));
  entries.SetFailure(failed.cause);
  return absl::OkStatus();
}

CrawlAnswer RecordedAnswers::FetchRobots(const Journey& journey) const {
  const std::string_view host = HostAndPort(OriginOf(journey.url()));
  RecordedRobots robots = web_.hosts().RobotsOf(host, clock_.Wall());
  CrawlAnswer answer{.took = Latency(journey.request().domain, journey.url())};
  answer.ending.status = robots.failure ? 0 : static_cast<int>(robots.status);
  auto result = std::make_unique<FetchResult>();
  result->failure = robots.failure;
  if (robots.failure) result->message = "as it was recorded";
  result->status = robots.failure ? 0 : robots.status;
  result->body = std::move(robots.body);
  answer.end = std::move(result);
  return answer;
}

RecordedAnswers::Choice RecordedAnswers::Choose(const Request& request) {
  const auto known = web_.Find(request.url);
  if (!known) return {.url = NumberOfUnknown(request)};
  Choice choice{.url = *known, .visit = VisitNow(*known)};
  const auto visits = web_.VisitsOf(*known);
  choice.outcome = visits[choice.visit].outcome;
  const bool is_conditional = !request.etag.empty() || !request.last_modified.empty();
  if (choice.outcome != FetchOutcome::kNotModified || is_conditional) return choice;
  // The page was the one of the visit before.
  while (choice.visit > 0 && visits[choice.visit].outcome == FetchOutcome::kNotModified) {
    choice.outcome = visits[--choice.visit].outcome;
  }
  if (choice.outcome == FetchOutcome::kPage) return choice;
  return {.url = choice.url};
}

uint32_t RecordedAnswers::VisitNow(uint32_t url) {
  const auto visits = web_.VisitsOf(url);
  if (visits.size() == 1) return 0;
  const auto later = std::ranges::upper_bound(visits, clock_.Wall(), {}, &RecordedVisit::at);
  auto visit = static_cast<uint32_t>(std::max<int64_t>(later - visits.begin() - 1, 0));
  const auto [given, is_first] = given_.try_emplace(url, visit);
  if (!is_first) {
    const bool failed = visits[given->second].outcome == FetchOutcome::kFailed;
    const auto next = given->second + (failed ? 1 : 0);
    visit = std::min(std::max(visit, next), static_cast<uint32_t>(visits.size()) - 1);
    given->second = visit;
  }
  return visit;
}

uint32_t RecordedAnswers::NumberOfUnknown(const Request& request) {
  const auto next = static_cast<uint32_t>(trace_.unknown.size());
  const auto [number, is_new] = unknown_.emplace(FingerprintOf(request.url), next);
  if (is_new) {
    trace_.unknown.push_back(
        {.url = std::string(request.url), .domain = std::string(request.domain)});
  }
  return web_.urls() + number->second;
}

Duration RecordedAnswers::Latency(std::string_view domain, std::string_view url) const {
  RecordedWeb::UrlRange among = web_.UrlsOf(domain);
  if (among.first == among.end) among = {.first = 0, .end = web_.urls()};
  uint64_t draw = MixBits(FingerprintOf(url).low ^ seed_);
  for (int i = 0; i < kDraws; ++i, draw = MixBits(draw + 1)) {
    const uint32_t drawn = among.first + static_cast<uint32_t>(draw % (among.end - among.first));
    const RecordedVisit& visit = web_.VisitsOf(drawn).front();
    if (visit.outcome == FetchOutcome::kPage) return milliseconds(visit.took_ms);
  }
  return kTypicalLatency;
}

void RecordedAnswers::Trace(const Request& request, const Choice& choice, Duration took) {
  trace_.fetches.push_back(
      {.at = clock_.Now() - began_,
       .url = choice.url,
       .visit = choice.visit,
       .took_ms = static_cast<uint32_t>(std::chrono::round<milliseconds>(took).count()),
       .depth = request.depth,
       .score = request.score,
       .outcome = choice.outcome});
}

absl::Status RecordedAnswers::EncodePage(const Journey& journey, const Choice& choice,
                                         Duration took, LogEntries* out) {
  const Request& request = journey.request();
  auto& page = std::get<PageFetched>(answer_.outcome.event);
  page.request = request;
  page.fetched_at = clock_.Wall();
  if (choice.outcome == FetchOutcome::kNotModified) {
    if (page.etag.empty()) page.etag = request.etag;
    if (page.last_modified.empty()) page.last_modified = request.last_modified;
  }
  RETURN_IF_ERROR(Append(request.domain, {.event = page}, took, out));
  for (SpiderLogEntry& entry : answer_.links) {
    auto& found = std::get<LinksFound>(entry.event);
    found.source = {.url = request.url,
                    .fingerprint = request.fingerprint,
                    .depth = request.depth,
                    .score = request.score,
                    .link_count = found.source.link_count,
                    .meta = request.meta,
                    .unknown = found.source.unknown};
    RETURN_IF_ERROR(Append(entry.domain, {.event = found}, took, out));
  }
  return absl::OkStatus();
}

absl::Status RecordedAnswers::Append(std::string_view domain, SpiderLogEntry entry, Duration took,
                                     LogEntries* out) {
  entry.domain = domain;
  entry.time = clock_.Wall() + std::chrono::round<milliseconds>(took);
  ASSIGN_OR_RETURN(const std::string_view bytes, Encode(entry, &buffer_));
  out->Append(SlotOf(domain), domain, bytes);
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
