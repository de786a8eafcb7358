// Requests as a spider has read them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_feed.h"
#include "common/url/domain.h"
#include "spider/feed/journey.h"

namespace orbweaver {

// `request` can be encoded; `redirects` lead to other URLs of its domain, one after the other.
inline std::shared_ptr<Journey> JourneyOf(const Request& request,
                                          const std::vector<std::string>& redirects = {}) {
  static const auto suffixes = PublicSuffixes::Load({}).value();
  EncodeBuffer buffer;
  auto journey = std::make_shared<Journey>();
  CHECK_OK(journey->Read(Encode({.entry = request}, &buffer).value()));
  UrlResolver resolver(UrlOptions(), *suffixes);
  for (const std::string& url : redirects) {
    CHECK(journey->Follow(301, url, resolver, 100) == Journey::Next::kFollow);
  }
  return journey;
}

}  // namespace orbweaver
