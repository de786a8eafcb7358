#include "spider/fetch/request_head.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/config/mask.h"
#include "spider/fetch/body_decoder.h"

namespace orbweaver {
namespace {

bool IsOneLine(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '\t' || (c >= ' ' || c < 0); }) &&
         text.find('\x7f') == std::string_view::npos;
}

void AppendField(std::string_view name, std::string_view value, std::string* out) {
  if (value.empty() || !IsOneLine(name) || !IsOneLine(value)) return;
  out->append(name).append(": ").append(value).append("\r\n");
}

// RFC 9110, section 5.6.2.
bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

struct IgnoreCase {
  bool operator()(const std::string& a, const std::string& b) const {
    return absl::AsciiStrToLower(a) < absl::AsciiStrToLower(b);
  }
};
using Headers = std::map<std::string, std::string, IgnoreCase>;

// Those that would change the request's meaning, or have an option of their own.
constexpr std::string_view kOurs[] = {"host",          "connection",       "content-length",
                                      "user-agent",    "accept-encoding",  "transfer-encoding",
                                      "if-none-match", "if-modified-since"};

absl::Status CheckHostHeader(const std::string& key, std::string_view host, std::string_view name,
                             const std::string& value) {
  const auto fail = [&](std::string_view why) {
    return FatalError("spider.fetch.host_headers '{}': {}", key, why);
  };
  const bool is_host = !host.empty() && host.find_first_of(" \t*@?#\\,") == std::string_view::npos;
  if (!is_host || host.find("//") != std::string_view::npos) {
    return fail("expected HOST/NAME, as example.org/Authorization or localhost:8000/X-Token");
  }
  if (!IsToken(name)) return fail("no name of a header");
  if (std::ranges::find(kOurs, absl::AsciiStrToLower(ToAbsl(name))) != std::end(kOurs)) {
    return fail("this header is set by the crawler itself");
  }
  if (value.empty() || !IsOneLine(value)) return fail("the value is empty or more than a line");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RequestHead> RequestHead::Create(const FetchOptions& options,
                                                const std::string& proxy_authorization) {
  RequestHead head;
  if (!options.from.empty() &&
      (options.from.find('@') == std::string::npos || !IsOneLine(options.from))) {
    return FatalError("spider.fetch.from '{}': no mail address", options.from);
  }
  if (!options.cookies_file.empty()) {
    auto cookies = CookieFile::Read(options.cookies_file);
    if (!cookies.ok())
      return FatalError("spider.fetch.cookies_file {}", MessageOf(cookies.status()));
    head.cookies_ = *std::move(cookies);
  }
  AppendField("Proxy-Authorization", proxy_authorization, &head.proxy_authorization_);
  RETURN_IF_ERROR(head.AddOrigins(options));
  return head;
}

absl::Status RequestHead::AddOrigins(const FetchOptions& options) {
  const auto fields_of = [&options](const Headers& headers) {
    Fields fields;
    AppendField("User-Agent", options.user_agent, &fields.open);
    for (const auto& [name, value] : headers) {
      const bool is_open = config::MatchesAny(name, HarmlessHeaders());
      AppendField(name, value, is_open ? &fields.open : &fields.secret);
      if (absl::EqualsIgnoreCase(name, "Cookie")) fields.has_cookie = true;
    }
    AppendField("Accept-Encoding", kAcceptEncoding, &fields.open);
    if (options.max_idle == 0) AppendField("Connection", "close", &fields.open);
    return fields;
  };
  Headers everywhere(options.headers.begin(), options.headers.end());
  if (!options.from.empty()) everywhere["From"] = options.from;
  fields_ = fields_of(everywhere);
  std::map<std::string, Headers> by_host;
  for (const auto& [key, value] : options.host_headers) {
    const size_t slash = key.find('/');
    const std::string_view host = std::string_view(key).substr(0, slash);
    const std::string_view name =
        slash == std::string::npos ? std::string_view() : std::string_view(key).substr(slash + 1);
    RETURN_IF_ERROR(CheckHostHeader(key, host, name, value));
    Headers& headers =
        by_host.try_emplace(absl::AsciiStrToLower(ToAbsl(host)), everywhere).first->second;
    headers.erase(std::string(name));
    headers.emplace(name, value);
  }
  for (const auto& [host, headers] : by_host) {
    for (const auto& [scheme, port] :
         {std::pair("http://", ":80"), std::pair("https://", ":443")}) {
      // A canonical URL does not name its scheme's own port.
      by_origin_[scheme + std::string(absl::StripSuffix(host, port))] = fields_of(headers);
    }
  }
  return absl::OkStatus();
}

size_t RequestHead::Write(const FetchUrl& url, const FetchRequest& request, bool to_proxy,
                          WallTime now, std::string* head) const {
  const Fields* fields = &fields_;
  if (!by_origin_.empty()) {
    const auto found = by_origin_.find(ToAbsl(url.origin));
    if (found != by_origin_.end()) fields = &found->second;
  }
  head->assign(request.head_only ? "HEAD " : "GET ");
  if (to_proxy) head->append(url.origin);
  head->append(url.target).append(" HTTP/1.1\r\nHost: ").append(url.authority).append("\r\n");
  head->append(fields->open);
  AppendField("If-None-Match", request.etag, head);
  AppendField("If-Modified-Since", request.last_modified, head);
  const size_t secret_at = head->size();
  head->append(fields->secret);
  if (!cookies_.empty() && !fields->has_cookie) AppendField("Cookie", cookies_.For(url, now), head);
  if (to_proxy) head->append(proxy_authorization_);
  head->append("\r\n");
  return secret_at;
}

void MaskSecrets(size_t secret_at, std::string* head) {
  constexpr std::string_view kEnd = "\r\n";
  for (size_t at = secret_at; at < head->size();) {
    size_t end = head->find(kEnd, at);
    if (end == std::string::npos || end == at) return;
    const size_t value = head->find(": ", at) + 2;
    head->replace(value, end - value, config::kMask);
    at = head->find(kEnd, at) + kEnd.size();
  }
}

std::string ConnectHead(const FetchUrl& url, const std::string& proxy_authorization) {
  const std::string authority = std::string(url.host) + ":" + std::to_string(url.port);
  std::string head = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
  AppendField("Proxy-Authorization", proxy_authorization, &head);
  return head + "\r\n";
}

}  // namespace orbweaver
