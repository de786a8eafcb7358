// The display of a running crawl: the live view of a terminal, and a line now and then elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/clock.h"

namespace orbweaver {

// One look at a crawl.
struct CrawlSnapshot {
  std::string_view state;  // "crawling", "draining"
  Duration elapsed{};
  uint64_t pages = 0;
  uint64_t failed = 0;
  uint64_t bytes = 0;
  // Of the last seconds.
  double pages_per_s = 0;
  double bytes_per_s = 0;
  // Of the queue: requests that may leave as their domains' turn comes, and those of later.
  uint64_t queued = 0;
  uint64_t delayed = 0;
  // When the first of both may leave; WallTime::max() when there is none.
  WallTime next_due = WallTime::max();
  // Nothing goes on, until then.
  bool is_idle = false;
  // Why nothing at all can be fetched; empty: it can.
  std::string no_way_out;
  // Hosts that could not be reached when they were asked last, and why.
  std::vector<std::pair<std::string, std::string>> unreachable;
  uint64_t put_by = 0;  // not tried, for our own options
  uint64_t fetching = 0;
  uint64_t ready_domains = 0;
  uint64_t paced_domains = 0;  // between two requests
  uint64_t blocked_domains = 0;
  size_t paused_partitions = 0;
  uint64_t dead_letters = 0;  // events of this run that could not be processed
  std::vector<std::pair<std::string_view, uint64_t>> errors;  // by cause, most first
  std::vector<std::pair<std::string, Duration>> slowest;  // domains, and their last answer's time
  WallTime at;                                            // of this look
  std::string console;                                    // where it is asked; empty: nowhere
  // The nearest of the limits that are set: how much of it is used up, from 0 to 1.
  std::optional<double> done;
};

// Lines of at most `width` columns, at most `height` of them.
std::vector<std::string> DrawView(const CrawlSnapshot& crawl, size_t width, size_t height);

// The same in a line, for logs.
std::string DrawLine(const CrawlSnapshot& crawl);

// How long it is until the first request that is left may leave: "in 42 s", "in 2 h 5 min or
// later"; empty when it may now, or when none is left.
std::string DueIn(const CrawlSnapshot& crawl);

// Draws over what it drew before, without clearing the screen in between: nothing flickers. Not
// thread-safe.
class LiveView {
 public:
  explicit LiveView(int terminal) : terminal_(terminal) {}

  void Draw(const CrawlSnapshot& crawl);
  // Leaves what is drawn and goes on below it.
  void Leave();

 private:
  const int terminal_;
  size_t lines_ = 0;
};

}  // namespace orbweaver
