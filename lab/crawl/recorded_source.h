// A recording as the web of a virtual crawl.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lab/crawl/crawl_source.h"
#include "lab/crawl/recorded_answers.h"
#include "lab/crawl/recorded_web.h"

namespace orbweaver::lab {

// Place: made by whoever makes a VirtualCrawl, one for each.
class RecordedSource : public CrawlSource {
 public:
  // `web` must outlive this. `seed`: of latencies that were not recorded.
  explicit RecordedSource(const RecordedWeb& web, uint64_t seed = 1) : web_(web), seed_(seed) {}

  WallTime begin() const override { return web_.begin(); }
  std::span<const RecordedWeb::SeedEntry> seeds() const override { return web_.seeds(); }
  std::unique_ptr<VirtualLanes> NewLanes(ManualClock& clock, CrawlTrace* trace) override;

 private:
  const RecordedWeb& web_;
  const uint64_t seed_;
  std::unique_ptr<RecordedAnswers> answers_;  // of all spiders
};

}  // namespace orbweaver::lab
