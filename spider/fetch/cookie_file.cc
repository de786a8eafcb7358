#include "spider/fetch/cookie_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/config/value_text.h"
#include "common/url/domain.h"

namespace orbweaver {
namespace {

constexpr size_t kFields = 7;
constexpr std::string_view kHttpOnly = "#HttpOnly_";
// Later than that is never: the clock's own end is not far behind.
constexpr int64_t kMaxSeconds = int64_t{1} << 33;

bool ParseFlag(std::string_view text, bool* flag) {
  *flag = absl::EqualsIgnoreCase(ToAbsl(text), "TRUE");
  return *flag || absl::EqualsIgnoreCase(ToAbsl(text), "FALSE");
}

// Nothing that would end the header or the cookie.
bool IsPlain(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f' || c == ';'; });
}

// RFC 6265, section 5.1.4.
bool PathMatches(std::string_view target, std::string_view cookie) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with(cookie)) return false;
  return path.size() == cookie.size() || cookie.ends_with('/') || path[cookie.size()] == '/';
}

}  // namespace

bool CookieFile::AddLine(std::string_view line) {
  std::array<std::string_view, kFields> fields;
  for (size_t i = 0; i < kFields; ++i) {
    const size_t tab = i + 1 < kFields ? line.find('\t') : line.size();
    // An empty value may lack its tab.
    if (tab == std::string_view::npos && i + 2 < kFields) return false;
    fields[i] = line.substr(0, tab);
    line.remove_prefix(tab == std::string_view::npos ? line.size()
                                                     : std::min(tab + 1, line.size()));
  }
  auto [domain, subdomains, path, secure, expires, name, value] = fields;
  Cookie cookie;
  int64_t seconds = 0;
  // Some write fractions of seconds.
  expires = expires.substr(0, expires.find('.'));
  if (domain.starts_with('.')) domain.remove_prefix(1);
  if (domain.empty() || !path.starts_with('/') || !ParseFlag(subdomains, &cookie.subdomains) ||
      !ParseFlag(secure, &cookie.secure) || !config::ParseNumber(expires, &seconds) ||
      !IsPlain(domain) || !IsPlain(path) || !IsPlain(name) || !IsPlain(value)) {
    return false;
  }
  cookie.path = path;
  cookie.pair = name.empty() ? std::string(value) : std::string(name) + "=" + std::string(value);
  cookie.expires = seconds <= 0 || seconds > kMaxSeconds ? WallTime::max()
                                                         : WallTime(std::chrono::seconds(seconds));
  cookie.place = size_++;
  by_domain_[absl::AsciiStrToLower(ToAbsl(domain))].push_back(std::move(cookie));
  return true;
}

absl::StatusOr<CookieFile> CookieFile::Parse(std::string_view text) {
  CookieFile file;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(kHttpOnly)) {
      line.remove_prefix(kHttpOnly.size());
    } else if (line.starts_with('#')) {
      continue;
    }
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (!file.AddLine(line)) {
      return FatalError(
          "line {} is no cookie. Expected Netscape's format, as `curl --cookie-jar` and browsers' "
          "extensions write it: seven fields with tabs between",
          number);
    }
  }
  return file;
}

absl::StatusOr<CookieFile> CookieFile::Read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream && !stream.eof()) return FatalError("'{}': {}", path, std::strerror(errno));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kMaxBytes) return FatalError("'{}': larger than 4 MiB", path);
  absl::StatusOr<CookieFile> file = Parse(text);
  if (!file.ok()) return FatalError("'{}': {}", path, MessageOf(file.status()));
  return file;
}

void CookieFile::Collect(std::string_view domain, bool is_host, const FetchUrl& url, WallTime now,
                         std::vector<const Cookie*>* out) const {
  const auto found = by_domain_.find(ToAbsl(domain));
  if (found == by_domain_.end()) return;
  for (const Cookie& cookie : found->second) {
    if ((is_host || cookie.subdomains) && (url.https || !cookie.secure) && now < cookie.expires &&
        PathMatches(url.target, cookie.path)) {
      out->push_back(&cookie);
    }
  }
}

std::string CookieFile::For(const FetchUrl& url, WallTime now) const {
  if (by_domain_.empty()) return {};
  std::vector<const Cookie*> cookies;
  Collect(url.host, /*is_host=*/true, url, now, &cookies);
  if (!IsIpAddress(url.host)) {
    for (size_t dot = url.host.find('.'); dot != std::string_view::npos;
         dot = url.host.find('.', dot + 1)) {
      Collect(url.host.substr(dot + 1), /*is_host=*/false, url, now, &cookies);
    }
  }
  std::ranges::sort(cookies, [](const Cookie* a, const Cookie* b) {
    return a->path.size() != b->path.size() ? a->path.size() > b->path.size() : a->place < b->place;
  });
  std::string sent;
  for (const Cookie* const cookie : cookies) {
    if (sent.size() + cookie->pair.size() + 2 > kMaxSentBytes) continue;
    sent += (sent.empty() ? "" : "; ") + cookie->pair;
  }
  return sent;
}

size_t CookieFile::Expired(WallTime now) const {
  size_t expired = 0;
  for (const auto& [domain, cookies] : by_domain_) {
    expired += static_cast<size_t>(std::ranges::count_if(
        cookies, [now](const Cookie& cookie) { return cookie.expires <= now; }));
  }
  return expired;
}

}  // namespace orbweaver
