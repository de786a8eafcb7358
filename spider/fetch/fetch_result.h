// Requests to the fetcher and their results.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/strong_int.h"
#include "common/model/spider_log.h"
#include "spider/fetch/ip_address.h"
#include "spider/fetch/own_side.h"

namespace orbweaver {

// The caller's number; unique among the fetches that run, and among the names being resolved.
using FetchId = StrongInt<struct FetchIdTag, uint64_t>;

// One GET or HEAD. A redirect is an answer like others: where it leads is a request of its own,
// with its own turn, robots.txt and address (spider/feed/journey.h decides which are followed).
struct FetchRequest {
  std::string_view url;  // canonical
  // The one address to ask, as Resolve gave it. Empty: the fetcher resolves the name itself and
  // tries the addresses one after the other; or a proxy asks.
  IpAddress address;
  // Validators of the last fetch; empty: none. The answer may then be 304.
  std::string_view etag;
  std::string_view last_modified;
  // In place of the configured bound when it is not 0; what is beyond is then always cut off.
  size_t max_body_bytes = 0;
  // Takes content of every type: robots.txt.
  bool any_type = false;
  // HEAD: the answer is its head, whatever it announces of a body.
  bool head_only = false;
};

// Zero where it was not needed (a connection was there) or not reached.
struct FetchTimes {
  Duration dns{};
  Duration connect{};
  Duration tls{};
  Duration first_byte{};  // from the request being sent
  Duration total{};
};

struct FetchResult {
  FetchId id;

  // Set: there is no answer to use; of kContentType, kEncoding, kTooLarge and the like status and
  // headers are there all the same. nullopt: an answer came, whatever its status; the causes
  // kHttp* are the caller's to set.
  std::optional<FailureCause> failure;
  std::string message;  // of a failure, for people; UTF-8
  // Of a failure: the part of our own side that may be at fault and not the host. Whether it is can
  // be told only by what other fetches get.
  std::optional<OwnSide> suspect;

  uint32_t status = 0;  // 0: none came
  // All of them in their order, names in lower case: views into header_text.
  std::vector<HttpHeader> headers;
  std::string header_text;
  // Of a 2xx, its content encoding undone, up to the bound.
  std::string body;
  bool body_truncated = false;
  bool ended_early = false;     // of body_truncated: not by the bound, its encoding lacks its end
  uint64_t received_bytes = 0;  // of the body, as it came
  std::optional<std::chrono::milliseconds> retry_after;

  // As sent and as received, from the first line through the empty line: for archives.
  std::string request_head;
  std::string response_head;

  WallTime started_at;
  FetchTimes times;
  IpAddress address;        // that answered or was tried last; empty: none, or a proxy asked
  bool kept_alive = false;  // over a connection that was there already
  // The connection was there already, and nothing of an answer came: the server had probably ended
  // it, and this is no failure of the page. To be asked again, which is a request of its own.
  bool stale = false;
  // Why the certificate would have been refused; empty: it is good, or there is no TLS.
  std::string tls_error;
  // Until when the server's own certificate is valid; also of one that is refused. nullopt: no TLS,
  // or its end makes no sense.
  std::optional<WallTime> certificate_end;

  // The first header of that name, which is in lower case; empty when there is none.
  std::string_view Header(std::string_view name) const {
    for (const HttpHeader& header : headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }
};

// The address of a host's name.
struct Resolution {
  FetchId id;
  // Set: kDns (no such name), kDnsTemporary (no answer now) or kPrivateAddress.
  std::optional<FailureCause> failure;
  std::string_view message;        // of a failure, for people
  std::optional<OwnSide> suspect;  // as in FetchResult
  // The one to ask; empty when there is a proxy, which resolves.
  IpAddress address;
  Duration took{};  // zero when it was known
};

}  // namespace orbweaver
