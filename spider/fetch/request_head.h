#pragma once

#include <string>
#include <string_view>

#include "spider/fetch/fetch_options.h"
#include "spider/fetch/fetch_result.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {

// What goes out for each fetch. Immutable.
class RequestHead {
 public:
  explicit RequestHead(const FetchOptions& options);

  // Replaces *head. `to_proxy`: the target is the whole URL. A validator that would end its line is
  // left out: it was some server's, and came by way of the logs.
  void Write(const FetchUrl& url, const FetchRequest& request, bool to_proxy,
             std::string* head) const;

 private:
  std::string fields_;  // those of every request
};

// What asks a proxy for a connection to the URL's host.
std::string ConnectHead(const FetchUrl& url);

}  // namespace orbweaver
