// The synthetic web as the web of a virtual crawl: with the lanes that ship, which parse its HTML.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/crawl/crawl_source.h"
#include "spider/crawl/fetch_metrics.h"
#include "tests/support/simulated_fetcher.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::lab {

// A fetch of a page as the server knows it.
struct ServedPage {
  std::string url;
  Duration began{};  // since the crawl did
  uint32_t status = 0;
  size_t body_hash = 0;
};

// Each host has a latency of its own. Place: one a crawl.
class SyntheticSource : public CrawlSource {
 public:
  // The arguments must outlive this.
  SyntheticSource(const synthetic::Web& web, const PublicSuffixes& suffixes, size_t seeds);
  ~SyntheticSource() override;

  WallTime begin() const override;
  std::span<const RecordedWeb::SeedEntry> seeds() const override { return seeds_; }
  std::unique_ptr<VirtualLanes> NewLanes(ManualClock& clock, CrawlTrace* trace) override;

  // In the order in which they began, all of the crawl.
  const std::vector<ServedPage>& served() const { return served_; }

 private:
  class Lanes;

  SimulatedAnswer Serve(std::string_view url, SteadyTime began, const Clock& clock,
                        CrawlTrace* trace);

  const synthetic::Web& web_;
  const PublicSuffixes& suffixes_;
  std::vector<RecordedWeb::SeedEntry> seeds_;
  std::vector<ServedPage> served_;
  synthetic::Answer answer_;
  MetricRegistry registry_;
  FetchMetrics metrics_{registry_};
};

}  // namespace orbweaver::lab
