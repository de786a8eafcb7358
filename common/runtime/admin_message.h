// A request to the admin server and its answer, without the HTTP library.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace orbweaver {

// Views live for the call.
struct AdminRequest {
  std::string_view method;
  std::string_view target;  // path and query: OriginForm of what was sent
  std::string_view authorization;
  std::string_view accept_encoding;
  std::string_view if_none_match;
  std::string_view body;
  // Further headers, empty where the client sent none: who asks, and from which page a browser does
  // so. AskAdmin sends none of them.
  std::string_view host;
  std::string_view cookie;
  std::string_view csrf;        // X-CSRF
  std::string_view origin;      // Origin
  std::string_view fetch_site;  // Sec-Fetch-Site
  // The client, as the server sees it: its IP address, and both ends of its connection as IP:PORT.
  std::string_view peer;
  std::string_view peer_end;
  std::string_view own_end;

  std::string_view path() const { return target.substr(0, target.find('?')); }
  // Without the question mark; empty where there is none.
  std::string_view query() const {
    return target.substr(std::min(target.size(), path().size() + 1));
  }
  bool is_read() const { return method == "GET" || method == "HEAD"; }
  // Parameters may stand in the query, in the body, or in both.
  std::string form() const;
};

struct AdminResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// A request's target without the scheme and authority that clients of proxies send before it (RFC
// 9112, section 3.2.2).
std::string_view OriginForm(std::string_view target);

// Of the error's kind: 404 for NotFound, 400 for poison, 503 for retry, else 500.
int HttpStatusOf(const absl::Status& error);

}  // namespace orbweaver
