#include "cli/frontier/worker_book.h"

#include <algorithm>

namespace orbweaver {

void WorkerBook::Note(WorkerReport report, WallTime now) {
  const Key key(report.role, report.id);
  if (!workers_.contains(key)) MakeRoom(now);
  Entry& entry = workers_[key];
  entry.heard_at = std::min(report.reported_at, now);
  if (!entry.reports.empty()) {
    const WorkerReport& last = entry.reports.back();
    Grow(last, report);
    // Another process, or a clock that was set back: rates begin anew.
    const bool goes_on =
        report.started_at == last.started_at && report.reported_at > last.reported_at;
    if (!goes_on) entry.reports.clear();
  }
  entry.reports.push_back(std::move(report));
  if (entry.reports.size() > kMostReports) entry.reports.pop_front();
}

void WorkerBook::Grow(const WorkerReport& before, const WorkerReport& now) {
  for (size_t i = 0; i < kVitals; ++i) {
    const auto vital = static_cast<Vital>(i);
    const std::optional<double> value = now.vitals[vital];
    if (!IsCounter(vital) || !value.has_value()) continue;
    const double earlier = before.vitals[vital].value_or(0);
    const bool is_anew = now.started_at != before.started_at || *value < earlier;
    grown_[i] += is_anew ? *value : *value - earlier;
  }
}

void WorkerBook::MakeRoom(WallTime now) {
  std::erase_if(workers_,
                [now](const auto& worker) { return worker.second.heard_at < now - kMemory; });
  if (workers_.size() < kMostWorkers) return;
  const auto silent = std::ranges::min_element(
      workers_, {}, [](const auto& worker) { return worker.second.heard_at; });
  workers_.erase(silent);
}

std::vector<const WorkerReport*> WorkerBook::Live(WallTime now) const {
  std::vector<const WorkerReport*> live;
  for (const auto& [key, entry] : workers_) {
    if (entry.heard_at >= now - kSilence) live.push_back(&entry.reports.back());
  }
  return live;
}

std::vector<const WorkerReport*> WorkerBook::Gone(WallTime now) const {
  std::vector<const WorkerReport*> gone;
  for (const auto& [key, entry] : workers_) {
    if (entry.heard_at < now - kSilence && entry.heard_at >= now - kMemory)
      gone.push_back(&entry.reports.back());
  }
  return gone;
}

std::optional<double> WorkerBook::Rate(const WorkerReport& worker, Vital vital,
                                       Duration window) const {
  const auto found = workers_.find({worker.role, worker.id});
  if (found == workers_.end()) return std::nullopt;
  const std::deque<WorkerReport>& reports = found->second.reports;
  if (reports.size() < 2) return std::nullopt;
  const WorkerReport& last = reports.back();
  size_t first = reports.size() - 2;
  while (first > 0 && last.reported_at - reports[first - 1].reported_at <= window) --first;
  // A part of the worker that had not begun yet.
  while (first + 2 < reports.size() && !reports[first].vitals[vital].has_value()) ++first;
  const std::optional<double> from = reports[first].vitals[vital], to = last.vitals[vital];
  if (!from.has_value() || !to.has_value() || *to < *from) return std::nullopt;
  const double seconds =
      std::chrono::duration<double>(last.reported_at - reports[first].reported_at).count();
  return (*to - *from) / seconds;
}

std::optional<double> WorkerBook::Mean(const WorkerReport& worker, Vital vital,
                                       Duration window) const {
  const auto found = workers_.find({worker.role, worker.id});
  if (found == workers_.end()) return std::nullopt;
  const std::deque<WorkerReport>& reports = found->second.reports;
  double sum = 0;
  int count = 0;
  for (auto report = reports.rbegin(); report != reports.rend(); ++report) {
    if (reports.back().reported_at - report->reported_at > window) break;
    const std::optional<double> value = report->vitals[vital];
    if (!value.has_value()) continue;
    sum += *value;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

std::optional<double> WorkerBook::Sum(Vital vital, WallTime now) const {
  std::optional<double> sum;
  for (const WorkerReport* const worker : Live(now)) {
    const std::optional<double> value = worker->vitals[vital];
    if (value.has_value()) sum = sum.value_or(0) + *value;
  }
  return sum;
}

std::optional<double> WorkerBook::SumOfRates(Vital vital, Duration window, WallTime now) const {
  std::optional<double> sum;
  for (const WorkerReport* const worker : Live(now)) {
    const std::optional<double> rate = Rate(*worker, vital, window);
    if (rate.has_value()) sum = sum.value_or(0) + *rate;
  }
  return sum;
}

}  // namespace orbweaver
