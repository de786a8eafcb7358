// A request to the admin server and its answer, without the HTTP library.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver {

// Views live for the call.
struct AdminRequest {
  std::string_view method;
  std::string_view target;  // as sent: path and query
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
};

struct AdminResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

}  // namespace orbweaver
