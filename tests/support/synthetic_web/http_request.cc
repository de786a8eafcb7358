#include "tests/support/synthetic_web/http_request.h"

#include <algorithm>
#include <charconv>

namespace orbweaver::synthetic {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsLower(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return Lower(a) == b; });
}

// `host` or `host:port`.
bool ReadAuthority(std::string_view text, HttpRequest* request) {
  const size_t colon = text.rfind(':');
  request->port = 0;
  if (colon != std::string_view::npos && !text.ends_with(']')) {
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(port.data(), port.data() + port.size(), request->port);
    if (error != std::errc() || end != port.data() + port.size() || request->port > 65535) {
      return false;
    }
    text = text.substr(0, colon);
  }
  request->host.assign(text);
  std::transform(text.begin(), text.end(), request->host.begin(), Lower);
  return !text.empty() && text.size() <= 255;
}

// Section 3.2: origin-form, absolute-form to a proxy, authority-form for CONNECT.
bool ReadTarget(std::string_view target, HttpRequest* request) {
  if (request->connect) return ReadAuthority(target, request);
  if (target.starts_with('/')) {
    request->target.assign(target);
    return true;
  }
  request->https = EqualsLower(target.substr(0, 8), "https://");
  if (!request->https && !EqualsLower(target.substr(0, 7), "http://")) return false;
  request->proxied = true;
  target.remove_prefix(request->https ? 8 : 7);
  const size_t slash = std::min(target.find_first_of("/?"), target.size());
  request->target.assign(target.substr(slash));
  if (!request->target.starts_with('/')) request->target.insert(0, 1, '/');
  return ReadAuthority(target.substr(0, slash), request);
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

ParseResult ParseHttpRequest(std::string_view bytes, HttpRequest* request, size_t* size) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return ParseResult::kIncomplete;
  *size = end + 4;
  std::string_view head = bytes.substr(0, end + 2);

  const std::string_view line = head.substr(0, head.find("\r\n"));
  head.remove_prefix(line.size() + 2);
  const size_t method_end = line.find(' ');
  const size_t target_end = line.rfind(' ');
  if (method_end == std::string_view::npos || target_end <= method_end) {
    return ParseResult::kMalformed;
  }
  const std::string_view method = line.substr(0, method_end);
  const std::string_view version = line.substr(target_end + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return ParseResult::kMalformed;
  request->connect = method == "CONNECT";
  request->head = method == "HEAD";
  request->https = request->proxied = false;
  request->keep_alive = version == "HTTP/1.1";
  request->host.clear();
  request->target.clear();
  request->if_none_match.clear();
  request->if_modified_since.clear();
  if (!ReadTarget(line.substr(method_end + 1, target_end - method_end - 1), request)) {
    return ParseResult::kMalformed;
  }

  bool supported = request->connect || request->head || method == "GET";
  int hosts = 0;
  while (!head.empty()) {
    const std::string_view field = head.substr(0, head.find("\r\n"));
    head.remove_prefix(field.size() + 2);
    const size_t colon = field.find(':');
    if (colon == std::string_view::npos || colon == 0) return ParseResult::kMalformed;
    const std::string_view name = field.substr(0, colon);
    const std::string_view value = Trimmed(field.substr(colon + 1));
    if (EqualsLower(name, "host")) {
      ++hosts;
      // Section 3.2.2: an absolute target counts, the header does not.
      if (request->host.empty() && !ReadAuthority(value, request)) return ParseResult::kMalformed;
    } else if (EqualsLower(name, "connection")) {
      if (EqualsLower(value, "close")) request->keep_alive = false;
      if (EqualsLower(value, "keep-alive")) request->keep_alive = true;
    } else if (EqualsLower(name, "if-none-match")) {
      request->if_none_match.assign(value);
    } else if (EqualsLower(name, "if-modified-since")) {
      request->if_modified_since.assign(value);
    } else if (EqualsLower(name, "transfer-encoding") ||
               (EqualsLower(name, "content-length") && value != "0")) {
      supported = false;
    }
  }
  if (hosts > 1 || request->host.empty()) return ParseResult::kMalformed;
  return supported ? ParseResult::kRequest : ParseResult::kUnsupported;
}

}  // namespace orbweaver::synthetic
