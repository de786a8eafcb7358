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
};

struct AdminResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

}  // namespace orbweaver
