#include "spider/crawl/lane.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/own_request.h"
#include "spider/fetch/failure_cause.h"
#include "spider/fetch/fetch_url.h"
#include "spider/robots/robots_rules.h"

namespace orbweaver {
namespace {

// Servers have several types for those, and it is no other than a file of any content.
bool IsCompressedSitemap(std::string_view url) {
  const std::string_view path = url.substr(0, url.find('?'));
  return path.ends_with(".xml.gz") || path.ends_with(".txt.gz");
}

// Whether it was us who ended the answer, or the wait for one.
bool BrokenOff(const FetchResult& result) {
  using enum FailureCause;
  if (!result.failure) return result.body_truncated && !result.ended_early;
  return IsAmong(*result.failure, {kTimeoutTls, kTimeoutFirstByte, kTimeoutTotal, kTooSlow,
                                   kTlsCertificate, kProtocol, kEncoding, kTooLarge, kContentType});
}

Reached ReachedBy(const FetchResult& result, bool asked_names) {
  using enum FailureCause;
  if (!result.failure || result.status != 0 ||
      IsAmong(*result.failure, {kRefused, kReset, kTimeoutTls, kTimeoutFirstByte, kTls,
                                kTlsCertificate, kProtocol})) {
    return Reached::kAnother;
  }
  if (IsAmong(*result.failure, {kPrivateAddress, kPort, kBadUrl})) return Reached::kNothing;
  const bool is_name = IsAmong(*result.failure, {kDns, kDnsTemporary});
  return is_name && !asked_names ? Reached::kNothing : Reached::kTheWeb;
}

constexpr Duration kReportInterval = std::chrono::milliseconds(500);

}  // namespace

Lane::Lane(LaneParts parts)
    : fetcher_(std::move(parts.fetcher)),
      archive_(std::move(parts.archive)),
      clock_(parts.clock),
      metrics_(parts.metrics),
      resolver_(parts.urls, parts.suffixes),
      parser_(parts.parse, &resolver_),
      encoder_(parts.publish, parts.clock) {}

Lane::~Lane() {
  // Its connections end with it.
  FetchStats last = fetcher_->stats();
  last.open_connections = last.idle_connections = 0;
  metrics_.Report(last, &reported_);
}

void Lane::Start(LaneTask task) {
  const FetchId id(task.id.value());
  const LaneTask& kept = tasks_.emplace(id, std::move(task)).first->second;
  const Journey& journey = *kept.journey;
  if (!kept.fetch) return fetcher_->Resolve(id, SplitFetchUrl(journey.url())->host);
  FetchRequest request{.url = journey.url(), .address = kept.fetch->address};
  if (kept.fetch->is_robots) {
    // A byte more shows that there is more.
    request.max_body_bytes = kMaxRobotsBytes + 1;
    request.any_type = true;
    return fetcher_->Fetch(id, request);
  }
  const Request& asked = journey.request();
  // An asset may have any type.
  request.any_type =
      IsCompressedSitemap(request.url) || OwnRequestOf(asked.meta).kind != OwnRequest::Kind::kNone;
  // Validators are of the request's own URL.
  if (journey.redirects().empty()) {
    request.etag = asked.etag;
    request.last_modified = asked.last_modified;
  }
  fetcher_->Fetch(id, request);
}

absl::Status Lane::Run(SteadyTime until, std::vector<LaneResult>* done) {
  done_ = done;
  fetcher_->Run(until, *this);
  done_ = nullptr;
  if (const SteadyTime now = clock_.Now(); now >= next_report_) {
    next_report_ = now + kReportInterval;
    metrics_.Report(fetcher_->stats(), &reported_);
  }
  return failure_;
}

void Lane::OnResolved(const Resolution& resolution) {
  const auto task = tasks_.extract(resolution.id);
  CHECK(!task.empty());
  const bool asked_names = resolution.took > Duration::zero() && !resolution.suspect;
  LaneResult& done = done_->emplace_back();
  done.id = task.mapped().id;
  done.reached = asked_names ? Reached::kTheWeb : Reached::kNothing;
  done.asked_names = asked_names;
  done.suspect = resolution.suspect;
  if (!resolution.failure) {
    done.what = resolution.address;
    return;
  }
  auto why = std::make_unique<FetchResult>();
  why->failure = resolution.failure;
  why->message = resolution.message;
  done.what = std::move(why);
}

void Lane::OnFetched(FetchResult& result) {
  const auto task = tasks_.extract(result.id);
  CHECK(!task.empty());
  const auto& [id, journey, fetch] = task.mapped();
  FetchOver over{.ending = {.status = static_cast<int>(result.status),
                            .retry_after = result.retry_after,
                            .broken_off = BrokenOff(result)},
                 .took = result.times.total};
  LaneResult done{.id = id};
  done.asked_names = result.times.dns > Duration::zero() && result.suspect != OwnSide::kNameServers;
  if (!result.stale || fetch->again) {
    done.reached = ReachedBy(result, done.asked_names);
    done.suspect = result.suspect;
    // Also one whose content was refused.
    if (result.status != 0) failure_.Update(archive_->KeepExchange(journey->url(), result));
    const bool redirected = !result.failure && IsRedirect(result.status);
    if (!failure_.ok()) return;
    if (fetch->is_robots || redirected || result.suspect) {
      over.end = std::make_unique<FetchResult>(std::move(result));
    } else {
      failure_ = FinishPage(*journey, result, &over.end.emplace<LogEntries>());
    }
  }
  done.what = std::move(over);
  done_->push_back(std::move(done));
}

absl::Status Lane::FinishPage(const Journey& journey, const FetchResult& result,
                              LogEntries* outcome) {
  if (const auto cause = result.failure ? result.failure : FailureOfStatus(result.status)) {
    encoder_.Failed(journey, *cause, result.message, &result, outcome);
    return absl::OkStatus();
  }
  std::vector<std::string_view> x_robots_tags;
  for (const HttpHeader& header : result.headers) {
    if (header.name == "x-robots-tag") x_robots_tags.push_back(header.value);
  }
  ParsedPage page;
  parser_.Parse({.url = journey.url(),
                 .body = result.body,
                 .content_type = result.Header("content-type"),
                 .content_language = result.Header("content-language"),
                 .x_robots_tags = x_robots_tags},
                &page);
  // Of what pages embed from elsewhere only style sheets lead on.
  if (OwnRequestOf(journey.request().meta).IsForeignAsset() &&
      page.kind != DocumentKind::kStyleSheet) {
    page.domains = {};
    page.links_inside = page.links_outside = 0;
  }
  RETURN_IF_ERROR(archive_->KeepPage(journey, result, page));
  encoder_.Page(journey, result, page, outcome);
  return absl::OkStatus();
}

}  // namespace orbweaver
