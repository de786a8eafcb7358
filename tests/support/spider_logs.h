// The logs around a spider on any bus: requests into its feed, outcomes out of its log.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/url/domain.h"
#include "common/url/resolver.h"

namespace orbweaver {

// A db worker of the simplest kind: appends requests to the feed. Not thread-safe.
class FeedWriter {
 public:
  // Its topics must be there. Everything must outlive this.
  FeedWriter(Bus& bus, int partitions, const PublicSuffixes& suffixes, Duration timeout);

  // Takes a partition over: its later requests have a new epoch.
  absl::Status TakeOver(PartitionId partition);

  // `request`, with domain and fingerprint from its URL.
  absl::Status Add(Request request);
  // The same by a writer that does not know yet that it was replaced.
  absl::Status AddAsOf(Offset epoch, Request request);
  absl::Status AddBytes(PartitionId partition, std::string_view value);
  absl::Status Flush();

  PartitionId PartitionOfUrl(std::string_view url);
  Offset epoch(PartitionId partition) { return epochs_[partition]; }

 private:
  absl::Status Send(PartitionId partition, std::string_view key, std::string_view value);

  const int partitions_;
  const Duration timeout_;
  UrlResolver resolver_;
  EncodeBuffer buffer_;
  std::unique_ptr<Producer> producer_;
  std::map<PartitionId, Offset> epochs_;
  Offset last_acked_{-1};
  absl::Status failure_;
};

struct SpiderLogContents {
  struct Outcomes {
    int pages = 0;
    int failures = 0;
    int handed_back = 0;
    // Of the last of its kind.
    FailureCause cause = FailureCause::kUnspecified;
    std::string message;
    uint32_t status = 0;
    std::string final_url;
    DeferReason reason = DeferReason::kUnspecified;
    int64_t not_before_ms = 0;

    int all() const { return pages + failures + handed_back; }
    int answered() const { return pages + failures; }
  };
  std::map<std::string, Outcomes> by_url;  // of the request
  std::map<std::string, int> links;        // target's URL → how often
  std::map<std::string, int> facts;        // host → how often
  std::map<std::string, int64_t> crawl_delay_ms;
  uint64_t entries = 0;
};

// All that the spider log holds now. An entry that cannot be decoded, or stands in another
// partition than its key's, is an error.
absl::Status ReadSpiderLog(Bus& bus, int partitions, Duration timeout, SpiderLogContents* contents);

}  // namespace orbweaver
