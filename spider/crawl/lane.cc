#include "spider/crawl/lane.h"

#include <utility>

#include "common/base/check.h"
#include "common/model/own_request.h"
#include "spider/fetch/failure_cause.h"
#include "spider/robots/robots_rules.h"

namespace orbweaver {
namespace {

// Of an origin, as it stands in a URL: without scheme and port.
std::string_view HostOf(std::string_view url) {
  std::string_view host = HostAndPort(OriginOf(url));
  // A colon within brackets is of an IPv6 address.
  const size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  return host;
}

// Servers have several types for those, and it is no other than a file of any content.
bool IsCompressedSitemap(std::string_view url) {
  const std::string_view path = url.substr(0, url.find('?'));
  return path.ends_with(".xml.gz") || path.ends_with(".txt.gz");
}

// Whether it was us who ended the answer, or the wait for one.
bool BrokenOff(const FetchResult& result) {
  if (!result.failure) return result.body_truncated && !result.ended_early;
  switch (*result.failure) {
    case FailureCause::kTimeoutTls:
    case FailureCause::kTimeoutFirstByte:
    case FailureCause::kTimeoutTotal:
    case FailureCause::kTooSlow:
    case FailureCause::kTlsCertificate:
    case FailureCause::kProtocol:
    case FailureCause::kEncoding:
    case FailureCause::kTooLarge:
    case FailureCause::kContentType:
      return true;
    default:
      return false;
  }
}

constexpr Duration kReportInterval = std::chrono::milliseconds(500);

FetchId FetchIdOf(TurnId id) { return FetchId(id.value()); }
TurnId TurnIdOf(FetchId id) { return TurnId(id.value()); }

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
  const FetchId id = FetchIdOf(task.id);
  const LaneTask& kept = tasks_.emplace(id, Running{.task = std::move(task), .began = clock_.Now()})
                             .first->second.task;
  if (kept.kind == LaneTask::Kind::kResolve) return fetcher_->Resolve(id, HostOf(kept.url));
  FetchRequest request{.url = kept.url, .address = kept.address};
  if (kept.kind == LaneTask::Kind::kRobots) {
    // A byte more shows that there is more.
    request.max_body_bytes = kMaxRobotsBytes + 1;
    request.any_type = true;
    return fetcher_->Fetch(id, request);
  }
  const Request& asked = kept.journey->request();
  // An asset may have any type.
  request.any_type =
      IsCompressedSitemap(kept.url) || OwnRequestOf(asked.meta).kind != OwnRequest::Kind::kNone;
  // Validators are of the request's own URL.
  if (kept.journey->redirects().empty()) {
    request.etag = asked.etag;
    request.last_modified = asked.last_modified;
  }
  fetcher_->Fetch(id, request);
}

void Lane::Run(SteadyTime until, std::vector<LaneResult>* done) {
  done_ = done;
  fetcher_->Run(until, *this);
  done_ = nullptr;
  const SteadyTime now = clock_.Now();
  if (now < next_report_) return;
  next_report_ = now + kReportInterval;
  metrics_.Report(fetcher_->stats(), &reported_);
}

void Lane::OnResolved(const Resolution& resolution) {
  auto task = tasks_.extract(resolution.id);
  CHECK(!task.empty());
  done_->push_back({.id = TurnIdOf(resolution.id),
                    .kind = LaneTask::Kind::kResolve,
                    .suspect = resolution.suspect,
                    .began = task.mapped().began,
                    .asked_names = resolution.took > Duration::zero() && !resolution.suspect,
                    .failure = resolution.failure,
                    .address = resolution.address,
                    .message = std::string(resolution.message)});
}

void Lane::OnFetched(FetchResult& result) {
  auto node = tasks_.extract(result.id);
  CHECK(!node.empty());
  const LaneTask& task = node.mapped().task;
  LaneResult& done = done_->emplace_back();
  done.id = task.id;
  done.kind = task.kind;
  done.took = result.times.total;
  done.suspect = result.suspect;
  done.began = node.mapped().began;
  done.asked_names = result.times.dns > Duration::zero() && result.suspect != OwnSide::kNameServers;
  done.ending.broken_off = BrokenOff(result);
  done.ask_again = result.stale && !task.again;
  if (done.ask_again) return;
  done.failure = result.failure;
  done.ending.status = static_cast<int>(result.status);
  if (result.retry_after) done.ending.retry_after = *result.retry_after;
  // Also one whose content was refused.
  if (result.status != 0) done.fatal = archive_->KeepExchange(task.url, result);
  if (!done.fatal.ok()) return;
  const bool redirected = !result.failure && IsRedirect(result.status);
  if (task.kind == LaneTask::Kind::kRobots || redirected || result.suspect) {
    done.answer = std::make_unique<FetchResult>(std::move(result));
  } else {
    FinishPage(task, result, &done);
  }
}

void Lane::FinishPage(const LaneTask& task, FetchResult& result, LaneResult* done) {
  const Journey& journey = *task.journey;
  std::optional<FailureCause> cause = result.failure;
  if (!cause) cause = FailureOfStatus(result.status);
  if (cause) {
    return encoder_.Failed(journey, *cause, result.message, &result, &done->entries);
  }
  std::vector<std::string_view> x_robots_tags;
  for (const HttpHeader& header : result.headers) {
    if (header.name == "x-robots-tag") x_robots_tags.push_back(header.value);
  }
  ParsedPage page;
  parser_.Parse({.url = task.url,
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
  done->fatal = archive_->KeepPage(journey, result, page);
  if (done->fatal.ok()) encoder_.Page(journey, result, page, &done->entries);
}

}  // namespace orbweaver
