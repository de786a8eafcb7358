// A recording whose answers take no time: a mistake on purpose.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lab/crawl/crawl_source.h"
#include "lab/crawl/recorded_answers.h"
#include "lab/crawl/recorded_web.h"

namespace orbweaver::lab {

class HastySource : public CrawlSource {
 public:
  // `web` must outlive this.
  HastySource(const RecordedWeb& web, uint64_t seed) : web_(web), seed_(seed) {}

  WallTime begin() const override { return web_.begin(); }
  std::span<const RecordedWeb::SeedEntry> seeds() const override { return web_.seeds(); }
  std::unique_ptr<VirtualLanes> NewLanes(ManualClock& clock, CrawlTrace* trace) override;

 private:
  const RecordedWeb& web_;
  const uint64_t seed_;
  std::unique_ptr<RecordedAnswers> answers_;
};

}  // namespace orbweaver::lab
