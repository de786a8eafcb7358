// Lines that a crawl prints at once, where no live view shows the same, and the time that it waits
// for a way out.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/crawl/crawl_view.h"

#include "common/base/clock.h"
#include "spider/crawl/way_out.h"

namespace orbweaver {

// The option or the thing to look at where a part of our own side fails.
std::string_view RemedyFor(OwnSide side);

// Place: `orbweaver crawl`, looks a few times a second. Not thread-safe.
class CrawlNotices {
 public:
  // Lines for what is new since the look before: a host that cannot be reached, a way out that is
  // not there or is again, a wait for what is due later.
  std::vector<std::string> NewsOf(const CrawlSnapshot& look,
                                  const std::optional<WayOut::Closed>& no_way_out);

 private:
  std::set<std::string, std::less<>> told_;  // origins; those that no line is left for too
  bool told_no_way_out_ = false;
  WallTime told_due_;
};

// Whether a crawl gives up waiting for a way out. One that has fetched something waits as long as
// for anything else; one that has not was likely started with a wrong option, and somebody waits.
bool GivesUpWaiting(Duration without_way_out, uint64_t pages, Duration max_wait);

}  // namespace orbweaver
