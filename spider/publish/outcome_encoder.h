// Encodes the outcomes of requests as entries of the spider log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_log.h"
#include "common/url/resolver.h"
#include "spider/feed/journey.h"
#include "spider/fetch/fetch_result.h"
#include "spider/parse/page.h"
#include "spider/publish/log_entries.h"
#include "spider/publish/publish_options.h"

namespace orbweaver {

// Place: spider, the last step before the producer; one in each lane, and one in the core for what
// never reached a lane. Every method appends to *out: first the one outcome that the request gets,
// then what else was learnt. Texts from outside are brought to the messages' bounds here; what
// still cannot be encoded becomes a FetchFailed that says so. Keeps its buffers. Not thread-safe.
class OutcomeEncoder {
 public:
  // `clock` must outlive this: each entry has the time of the call that makes it.
  OutcomeEncoder(const PublishOptions& options, const Clock& clock)
      : options_(options), clock_(clock) {}

  // An answer of 2xx or 304, and what its body has.
  void Page(const Journey& journey, const FetchResult& result, const ParsedPage& page,
            LogEntries* out);

  // The last redirect, to `target`, is not followed: a page without content, and a link.
  void RedirectAway(const Journey& journey, const FetchResult& result, const ResolvedUrl& target,
                    LogEntries* out);

  // With what a failed look-up says of the host. `message` is for people; without `result` nothing
  // was fetched.
  void Failed(const Journey& journey, FailureCause cause, std::string_view message,
              const FetchResult* result, LogEntries* out);

  void HandedBack(const Request& request, WallTime not_before, DeferReason reason, LogEntries* out);

  // Encodes the facts about a host of `domain`.
  void Facts(std::string_view domain, const HostFacts& facts, LogEntries* out);

 private:
  PageFetched Describe(const Journey& journey, const FetchResult& result);
  void Links(const Request& request, const ParsedPage& page, LogEntries* out);
  // False when it cannot be encoded, and nothing was appended.
  template <typename Event>
  bool Append(std::string_view domain, Slot slot, Event event, LogEntries* out);

  const PublishOptions options_;
  const Clock& clock_;
  EncodeBuffer buffer_;
  // Of the last Describe.
  std::vector<HttpHeader> headers_;
  std::string address_;
};

// The scheme and authority of a canonical URL, "https://example.com:8443"; empty when it is none.
std::string_view OriginOf(std::string_view url);
// An origin without its scheme: what HostFacts name a host by.
std::string_view HostAndPort(std::string_view origin);

}  // namespace orbweaver
