// The web of a virtual crawl: a recording, or in tests another one.
#pragma once

#include <memory>
#include <span>

#include "common/base/clock.h"
#include "lab/crawl/crawl_trace.h"
#include "lab/crawl/recorded_web.h"
#include "spider/crawl/lanes.h"

namespace orbweaver::lab {

// Lanes whose results come when the clock, which the crawl moves, has reached their time.
class VirtualLanes : public Lanes {
 public:
  // When the next result comes; SteadyTime::max(): nothing is under way.
  virtual SteadyTime NextDone() const = 0;
};

// Place: one a crawl, which it must outlive.
class CrawlSource {
 public:
  virtual ~CrawlSource() = default;

  // The crawl's clock begins then.
  virtual WallTime begin() const = 0;
  // In the order of time.
  virtual std::span<const RecordedWeb::SeedEntry> seeds() const = 0;
  // The lanes of one more spider, all with the same clock and trace. They add each fetch to
  // trace->fetches when it begins. Both must outlive them.
  virtual std::unique_ptr<VirtualLanes> NewLanes(ManualClock& clock, CrawlTrace* trace) = 0;
};

}  // namespace orbweaver::lab
