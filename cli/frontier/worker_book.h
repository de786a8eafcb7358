// The workers of a crawl, from what they report of themselves every few seconds.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/frontier/vitals.h"

#include "common/base/clock.h"

namespace orbweaver {

struct WorkerReport {
  std::string id;
  std::string role;
  std::string version;
  std::string admin_address;  // empty: it has none
  WallTime started_at;
  WallTime reported_at;
  Vitals vitals;
};

// Place: StatsFollower and the crawl in this process note reports; the list of workers, the curves
// and the alerts are drawn from it. Bounded in memory. Not thread-safe.
class WorkerBook {
 public:
  static constexpr size_t kMostWorkers = 10'000;
  // A worker whose last report is older counts as gone. Above any usual worker.stats_interval.
  static constexpr std::chrono::milliseconds kSilence = std::chrono::minutes(2);
  // Gone workers are remembered for so long.
  static constexpr std::chrono::milliseconds kMemory = std::chrono::hours(1);

  // Reports of a worker, which role and id name, come in their order. One that is dated later than
  // `now` counts as of now. Of more than kMostWorkers the one that has been silent for longest is
  // forgotten.
  void Note(WorkerReport report, WallTime now);

  // The last reports of those that have not gone, by role and id.
  std::vector<const WorkerReport*> Live(WallTime now) const;
  // Of those that have gone, no longer ago than kMemory.
  std::vector<const WorkerReport*> Gone(WallTime now) const;

  // A counter's growth a second between the reports of about the last `window`, at least the last
  // two; nothing: it is not known yet. `worker` is one of Live.
  std::optional<double> Rate(const WorkerReport& worker, Vital vital, Duration window) const;

  // A value's mean over the reports of about the last `window`, at least the last one; nothing: it
  // is not told. `worker` is one of Live.
  std::optional<double> Mean(const WorkerReport& worker, Vital vital, Duration window) const;

  // Over the workers that have not gone; nothing: none of them tells it.
  std::optional<double> Sum(Vital vital, WallTime now) const;
  std::optional<double> SumOfRates(Vital vital, Duration window, WallTime now) const;

  // How much a counter of all workers together has grown since this book began. A worker's value in
  // its first report is no growth, and a worker that was started anew counts from 0.
  double Grown(Vital vital) const { return grown_[static_cast<size_t>(vital)]; }

 private:
  // A minute of reports at the usual interval, and no more.
  static constexpr size_t kMostReports = 13;

  struct Entry {
    std::deque<WorkerReport> reports;  // of one process, times ascending; at least one
    WallTime heard_at;
  };
  using Key = std::pair<std::string, std::string>;  // role, id

  void Grow(const WorkerReport& before, const WorkerReport& now);
  // For one more, by forgetting.
  void MakeRoom(WallTime now);

  std::map<Key, Entry> workers_;
  std::array<double, kVitals> grown_{};
};

}  // namespace orbweaver
