// The head of an HTTP/1.1 request, as a server and a proxy receive it (RFC 9112).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orbweaver::synthetic {

struct HttpRequest {
  bool head = false;     // HEAD; else GET or CONNECT
  bool connect = false;  // CONNECT: `host` and `port` are those of the tunnel
  bool https = false;    // by an absolute target
  bool proxied = false;  // the target is absolute
  std::string host;      // lower case, without the port; of the target, else of the Host header
  uint32_t port = 0;     // 0: none was named
  std::string target;    // path and query
  bool keep_alive = true;
  std::string if_none_match;
  std::string if_modified_since;
};

enum class ParseResult : uint8_t {
  kRequest,
  kIncomplete,
  kMalformed,    // to be answered 400
  kUnsupported,  // 501: another method, or a body
};

// Reads the request that `bytes` begin with. On kRequest *size is what it takes of them; else
// *request is not to be used. Reuses the memory of *request.
ParseResult ParseHttpRequest(std::string_view bytes, HttpRequest* request, size_t* size);

}  // namespace orbweaver::synthetic
