#include "spider/publish/outcome_encoder.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "common/model/split.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr uint32_t kNotModified = 304;
// The bytes of a PageFetched that are reserved for the rest beside its body: request, headers,
// texts.
constexpr size_t kPageFrameBytes = 3 * kMaxFrameBytes;

// A header's value where a message wants text: none is better than half a validator.
std::string_view Text(std::string_view value, size_t max_bytes) {
  return value.size() <= max_bytes && IsValidUtf8(value) ? value : std::string_view();
}

// Bounds a duration: nobody waits for years.
milliseconds Bounded(Duration duration) {
  return std::clamp(std::chrono::round<milliseconds>(duration), milliseconds(0),
                    milliseconds(kMaxTimeMs));
}

std::string_view IfOther(std::string_view url, std::string_view request_url) {
  return url == request_url ? std::string_view() : ClampUtf8(url, kMaxUrlBytes);
}

}  // namespace

std::string_view OriginOf(std::string_view url) {
  const size_t authority = url.find("://");
  if (authority == std::string_view::npos) return {};
  const size_t path = url.find('/', authority + 3);
  return path == std::string_view::npos ? std::string_view() : url.substr(0, path);
}

std::string_view HostAndPort(std::string_view origin) {
  const size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

template <typename Event>
bool OutcomeEncoder::Append(std::string_view domain, Slot slot, Event event, LogEntries* out) {
  const auto bytes =
      Encode({.domain = domain, .event = std::move(event), .time = clock_.Wall()}, &buffer_);
  if (!bytes.ok()) return false;
  out->Append(slot, domain, *bytes);
  return true;
}

void OutcomeEncoder::Page(const Journey& journey, const FetchResult& result, const ParsedPage& page,
                          LogEntries* out) {
  PageFetched fetched = Describe(journey, result);
  DescribeContent(page, &fetched);
  if (options_.log_body && result.body.size() + kPageFrameBytes <= options_.max_message_bytes) {
    fetched.body = result.body;
  }
  const Request& request = journey.request();
  if (!Append(request.domain, SlotOf(request.domain), fetched, out)) {
    return Failed(journey, FailureCause::kUnspecified, "the page exceeds a bound of the spider log",
                  &result, out);
  }
  Links(request, page, out);
}

void OutcomeEncoder::RedirectAway(const Journey& journey, const FetchResult& result,
                                  const ResolvedUrl& target, LogEntries* out) {
  const bool inside = target.domain == journey.request().domain;
  const Link link{.url = target.url, .kind = LinkKind::kRedirect};
  const DomainLinks links{.domain = target.domain, .slot = target.slot, .links = {&link, 1}};
  const ParsedPage page{
      .links_inside = inside ? 1u : 0u, .links_outside = inside ? 0u : 1u, .domains = {&links, 1}};
  Page(journey, result, page, out);
}

void OutcomeEncoder::Failed(const Journey& journey, FailureCause cause, std::string_view message,
                            const FetchResult* result, LogEntries* out) {
  const Request& request = journey.request();
  FetchFailed failed{.request = request,
                     .cause = cause,
                     .final_url = IfOther(journey.url(), request.url),
                     .message = ClampUtf8(message, kMaxMessageTextBytes),
                     .failed_at = clock_.Wall()};
  if (!IsValidUtf8(failed.message)) failed.message = {};
  if (result != nullptr) {
    failed.status = result->status;
    failed.total = Bounded(result->times.total);
    if (result->retry_after) failed.retry_after = Bounded(*result->retry_after);
  }
  CHECK(Append(request.domain, SlotOf(request.domain), failed, out));
  out->SetFailure(cause);

  // Of the host that could not be found.
  HostFacts facts{.host = HostAndPort(OriginOf(journey.url())), .observed_at = clock_.Wall()};
  if (cause == FailureCause::kDns) facts.dns = DnsOutcome::kNoSuchName;
  if (cause == FailureCause::kDnsTemporary) facts.dns = DnsOutcome::kFailed;
  if (facts.dns != DnsOutcome::kUnspecified) Facts(request.domain, facts, out);
}

void OutcomeEncoder::HandedBack(const Request& request, WallTime not_before, DeferReason reason,
                                LogEntries* out) {
  CHECK(Append(request.domain, SlotOf(request.domain),
               Deferred{.request = request, .not_before = not_before, .reason = reason}, out));
}

void OutcomeEncoder::Facts(std::string_view domain, const HostFacts& facts, LogEntries* out) {
  // A host too long for the message is one that nobody asks about.
  (void)Append(domain, SlotOf(domain), facts, out);
}

PageFetched OutcomeEncoder::Describe(const Journey& journey, const FetchResult& result) {
  const Request& request = journey.request();
  // A redirect is a page of its own where it is not followed.
  const std::string_view url = IsRedirect(result.status) ? journey.answered_url() : journey.url();
  const std::span<const Redirect> redirects = journey.redirects();
  headers_.clear();
  size_t header_bytes = 0;
  for (HttpHeader header : result.headers) {
    const bool wanted = std::find(options_.log_headers.begin(), options_.log_headers.end(),
                                  header.name) != options_.log_headers.end();
    if (!wanted || headers_.size() == kMaxHeaders) continue;
    header.value = header.value.substr(0, kMaxHeaderValueBytes);
    header_bytes += header.name.size() + header.value.size();
    if (header_bytes > kMaxFrameBytes) break;
    headers_.push_back(header);
  }
  address_ = result.address.Text();
  const bool not_modified = result.status == kNotModified;
  PageFetched fetched{
      .request = request,
      .final_url = IfOther(url, request.url),
      .redirects = redirects.first(std::min(redirects.size(), kMaxRedirects)),
      .status = result.status,
      .headers = headers_,
      .fetched_at = result.started_at,
      .dns = Bounded(result.times.dns),
      .connect = Bounded(result.times.connect),
      .tls = Bounded(result.times.tls),
      .first_byte = Bounded(result.times.first_byte),
      .total = Bounded(result.times.total),
      .received_bytes = result.received_bytes,
      .body_bytes = result.body.size(),
      .etag = Text(result.Header("etag"), kMaxEtagBytes),
      .last_modified = Text(result.Header("last-modified"), kMaxLastModifiedBytes),
      .body_truncated = result.body_truncated,
      .not_modified = not_modified,
      .remote_address = address_,
      .tls_error = Text(ClampUtf8(result.tls_error, kMaxTlsErrorBytes), kMaxTlsErrorBytes)};
  if (!result.body.empty()) fetched.content_hash = FingerprintOf(result.body);
  if (not_modified && fetched.etag.empty()) fetched.etag = request.etag;
  if (not_modified && fetched.last_modified.empty()) fetched.last_modified = request.last_modified;
  return fetched;
}

void OutcomeEncoder::Links(const Request& request, const ParsedPage& page, LogEntries* out) {
  const SourcePage source{.url = request.url,
                          .fingerprint = request.fingerprint,
                          .depth = request.depth,
                          .score = request.score,
                          .link_count = page.links_inside + page.links_outside,
                          .meta = request.meta};
  for (const DomainLinks& domain : page.domains) {
    std::span<const Link> rest = domain.links;
    for (size_t n; !rest.empty(); rest = rest.subspan(n)) {
      n = FittingPrefix(rest, options_.max_message_bytes);
      // The parser brings everything to the messages' bounds.
      CHECK(Append(domain.domain, domain.slot, LinksFound{.source = source, .links = rest.first(n)},
                   out));
    }
  }
}

}  // namespace orbweaver
