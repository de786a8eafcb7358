// A spider on the real web: its parts put together.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/url/domain.h"
#include "spider/crawl/crawl_metrics.h"
#include "spider/crawl/spider_core.h"
#include "spider/crawl/spider_options.h"

namespace orbweaver {

// Sets the options that follow from others: NameCrawler's, and those of what the scope asks for.
// Fatal as NameCrawler, or for options of robots.txt that make no sense. Idempotent.
absl::Status CompleteSpiderOptions(SpiderOptions* options);

// The part of complete options that concerns requests.
RequestFlowOptions FlowOptionsOf(const SpiderOptions& options, const CrawlScope& scope);

// The process's objects that its spider uses; all of them must outlive it.
struct SpiderSurroundings {
  Bus& bus;
  const PublicSuffixes& suffixes;
  CrawlMetrics& metrics;
  int partitions = 0;  // of feed and spider log
  GroupMembership membership;
  std::string worker_id;
  std::string software;  // "orbweaver-spider/0.1", in the archive's files
};

// Finishes what a spider that died has left in the archive. Fatal when an option makes no sense or
// the archive cannot be written.
absl::StatusOr<std::unique_ptr<SpiderCore>> MakeHttpSpider(SpiderOptions options,
                                                           SpiderSurroundings surroundings);

// How many partitions feed and spider log have. Fatal, with what to do, when there is none or they
// differ; retry when the bus is away.
absl::StatusOr<int> SpiderPartitions(Bus& bus, Duration timeout);

}  // namespace orbweaver
