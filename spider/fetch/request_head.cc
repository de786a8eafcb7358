#include "spider/fetch/request_head.h"

#include <algorithm>

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

}  // namespace

RequestHead::RequestHead(const FetchOptions& options) {
  AppendField("User-Agent", options.user_agent, &fields_);
  for (const auto& [name, value] : options.headers) AppendField(name, value, &fields_);
  AppendField("Accept-Encoding", kAcceptEncoding, &fields_);
  if (options.max_idle == 0) AppendField("Connection", "close", &fields_);
}

void RequestHead::Write(const FetchUrl& url, const FetchRequest& request, bool to_proxy,
                        std::string* head) const {
  head->assign(request.head_only ? "HEAD " : "GET ");
  if (to_proxy) head->append(url.origin);
  head->append(url.target).append(" HTTP/1.1\r\nHost: ").append(url.authority).append("\r\n");
  head->append(fields_);
  AppendField("If-None-Match", request.etag, head);
  AppendField("If-Modified-Since", request.last_modified, head);
  head->append("\r\n");
}

std::string ConnectHead(const FetchUrl& url) {
  const std::string authority = std::string(url.host) + ":" + std::to_string(url.port);
  return "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
}

}  // namespace orbweaver
