#include "common/url/canonical.h"

#include "common/url/path.h"
#include "common/url/percent.h"
#include "common/url/query.h"
#include "common/url/simple_url.h"

namespace orbweaver {
namespace {

// A link may be longer than what becomes of it (its fragment goes), but nobody writes one this much
// longer, and parsing it would cost.
constexpr size_t kLinkBytesPerUrlByte = 16;

constexpr size_t kMaxHostBytes = 253;  // RFC 1035, section 2.3.4, as text
constexpr size_t kMaxLabelBytes = 63;

// Whether the DNS could have `host`. The URL standard takes more, which no resolver would answer,
// and which would make row keys of any length.
bool IsHostOfDns(std::string_view host) {
  if (host.starts_with('[')) return true;
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() > kMaxHostBytes) return false;
  while (true) {
    const size_t length = host.find('.');
    const std::string_view label = host.substr(0, length);
    if (label.empty() || label.size() > kMaxLabelBytes) return false;
    if (length == std::string_view::npos) return true;
    host.remove_prefix(length + 1);
  }
}

}  // namespace

UrlCanonicalizer::UrlCanonicalizer(const UrlOptions& options)
    : options_(options),
      tracking_(options_.tracking_parameters),
      sessions_(options_.session_parameters) {
  url_.reserve(options_.max_bytes);
}

UrlError UrlCanonicalizer::SetBase(std::string_view url) {
  if (!IsTooLongToParse(url)) return parser_.SetBase(url);
  parser_.ClearBase();
  return UrlError::kTooLong;
}

UrlError UrlCanonicalizer::Canonicalize(std::string_view link) {
  Clear();
  UrlError error = UrlError::kNone;
  UrlParts parts;
  if (IsTooLongToParse(link)) {
    error = UrlError::kTooLong;
  } else if (!SplitSimpleUrl(link, parser_.base(), &parts)) {
    error = parser_.Parse(link, &parts);
  }
  if (error == UrlError::kNone) error = Build(parts);
  if (error != UrlError::kNone) Clear();
  return error;
}

void UrlCanonicalizer::Clear() {
  url_.clear();
  host_start_ = host_size_ = origin_size_ = 0;
}

bool UrlCanonicalizer::IsCanonical(std::string_view url, size_t origin_size) const {
  if (url.size() > options_.max_bytes) return false;
  const std::string_view rest = url.substr(origin_size);
  if (IsPlainPath(rest)) return CheckSegments(options_, rest) == UrlError::kNone;
  UrlParts parts;
  if (!rest.starts_with('/') || !SplitSimplePath(rest, &parts)) return false;
  // Neither a fragment nor a question mark without a query.
  const size_t query_size = parts.query.empty() ? 0 : parts.query.size() + 1;
  if (parts.path.size() + query_size != rest.size()) return false;
  if (!IsPercentCanonical(rest)) return false;
  if (query_size != 0 &&
      (options_.drop_tracking || options_.drop_sessions || options_.sort_query)) {
    return false;
  }
  if (options_.drop_sessions && parts.path.find(';') != std::string_view::npos) return false;
  if (options_.collapse_slashes && parts.path.find("//") != std::string_view::npos) return false;
  return CheckSegments(options_, parts.path) == UrlError::kNone;
}

bool UrlCanonicalizer::IsTooLongToParse(std::string_view link) const {
  return link.size() > options_.max_bytes * kLinkBytesPerUrlByte;
}

UrlError UrlCanonicalizer::Build(const UrlParts& parts) {
  if (!IsHostOfDns(parts.host)) return UrlError::kHost;
  url_.append(parts.scheme).append("://");
  host_start_ = url_.size();
  host_size_ = parts.host.size();
  url_.append(parts.host);
  if (!parts.port.empty()) url_.append(":").append(parts.port);
  origin_size_ = url_.size();
  if (const UrlError error = AppendPath(parts); error != UrlError::kNone) return error;
  AppendQuery(parts.query);
  return url_.size() > options_.max_bytes ? UrlError::kTooLong : UrlError::kNone;
}

UrlError UrlCanonicalizer::AppendPath(const UrlParts& parts) {
  const size_t start = url_.size();
  AppendPercentCanonical(parts.directory, &url_);
  AppendPercentCanonical(parts.path, &url_);
  if (options_.drop_sessions) DropPathParameters(sessions_, start, &url_);
  if (options_.collapse_slashes) CollapseSlashes(start, &url_);
  return CheckSegments(options_, std::string_view(url_).substr(start));
}

void UrlCanonicalizer::AppendQuery(std::string_view query) {
  if (query.empty()) return;
  const size_t mark = url_.size();
  url_.push_back('?');
  const size_t start = url_.size();
  AppendPercentCanonical(query, &url_);
  if (options_.drop_tracking) DropQueryParameters(tracking_, start, &url_);
  if (options_.drop_sessions) DropQueryParameters(sessions_, start, &url_);
  if (options_.sort_query) SortQueryParameters(start, options_.max_bytes, &url_);
  if (url_.size() == start) url_.resize(mark);
}

}  // namespace orbweaver
