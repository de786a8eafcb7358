#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "spider/fetch/cookie_file.h"
#include "spider/fetch/fetch_options.h"
#include "spider/fetch/fetch_result.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {

// The head of each request. Immutable. Fields that may be secret (headers whose values a shown
// configuration masks, cookies, a proxy's password) stand behind all others.
class RequestHead {
 public:
  // Fatal: an option makes no sense, or the file of cookies cannot be read.
  // `proxy_authorization` is for requests that a proxy is sent itself; empty: none.
  static absl::StatusOr<RequestHead> Create(const FetchOptions& options,
                                            const std::string& proxy_authorization = {});

  // Replaces *head. `to_proxy`: the target is the whole URL. A validator that would end its line is
  // left out: it was some server's, and came by way of the logs. Returns where what may be secret
  // begins.
  size_t Write(const FetchUrl& url, const FetchRequest& request, bool to_proxy, WallTime now,
               std::string* head) const;

 private:
  struct Fields {
    std::string open;
    std::string secret;
    bool has_cookie = false;
  };

  RequestHead() = default;
  absl::Status AddOrigins(const FetchOptions& options);

  Fields fields_;                                       // those of every request
  absl::flat_hash_map<std::string, Fields> by_origin_;  // all of those of some hosts
  CookieFile cookies_;
  std::string proxy_authorization_;  // a line, or empty
};

// `head` as it may be kept: the values of the fields from `secret_at` on are masked.
void MaskSecrets(size_t secret_at, std::string* head);

// The request to a proxy for a connection to the URL's host.
std::string ConnectHead(const FetchUrl& url, const std::string& proxy_authorization);

}  // namespace orbweaver
