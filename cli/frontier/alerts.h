// The alerts of deploy/prometheus/alerts.yml, told from what the console sees by itself.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frontier/vitals.h"
#include "cli/frontier/worker_book.h"

#include "common/base/clock.h"

namespace orbweaver {

class AlertView;

// One rule, the twin of that in alerts.yml of the same name; a test holds that they agree.
struct AlertRule {
  std::string_view name;
  bool is_critical;                // `page` there, and not `ticket`
  std::chrono::seconds holds_for;  // how long it must have been so; `for` there
  std::chrono::seconds window;     // over which counters are looked at; 0: over none
  std::array<double, 2> thresholds;
  bool of_clusters;  // says nothing of a crawl in this process
  // A sentence without a full stop; empty: it is not so.
  std::string (*judge)(const AlertView& view, const AlertRule& rule);
  std::string_view advice;
};
std::span<const AlertRule> AlertRules();

struct Alert {
  const AlertRule* rule = nullptr;
  WallTime since;
  std::string says;
};

// Place: beside the console's sampler, which looks every few seconds. Times come from the steady
// clock, so that one that is set changes nothing. Not thread-safe.
class AlertBoard {
 public:
  explicit AlertBoard(bool is_cluster) : is_cluster_(is_cluster) {}

  void Update(const WorkerBook& book, SteadyTime now, WallTime wall);

  // As of the last look; critical ones first.
  const std::vector<Alert>& firing() const { return firing_; }

 private:
  friend class AlertView;

  struct Mark {
    SteadyTime at;
    std::array<double, kVitals> grown{};
  };

  const bool is_cluster_;
  std::deque<Mark> marks_;  // half a minute apart, of the longest window
  std::map<std::string_view, SteadyTime> since_;
  std::vector<Alert> firing_;
};

}  // namespace orbweaver
