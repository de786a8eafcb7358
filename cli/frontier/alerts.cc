#include "cli/frontier/alerts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/amounts.h"
#include "fmt/format.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kMarkEvery = seconds(30);
// A worker that has missed reports for so long does not answer.
constexpr std::chrono::milliseconds kAnswersWithin = seconds(30);
constexpr std::string_view kRoles[] = {"db-worker", "spider", "strategy-worker"};

uint64_t Whole(double value) { return static_cast<uint64_t>(std::llround(std::max(0.0, value))); }

}  // namespace

// The answers to what rules ask.
class AlertView {
 public:
  AlertView(const AlertBoard& board, const WorkerBook& book, SteadyTime now, WallTime wall)
      : board_(board), book_(book), now_(now), wall_(wall) {}

  std::optional<double> Sum(Vital vital) const { return book_.Sum(vital, wall_); }
  // How much it has grown in the last `window`, or since the first look.
  double Growth(Vital vital, Duration window) const {
    return book_.Grown(vital) - Before(window).grown[static_cast<size_t>(vital)];
  }
  double PerSecond(Vital vital, Duration window) const {
    const double passed = std::chrono::duration<double>(now_ - Before(window).at).count();
    return passed > 0 ? Growth(vital, window) / passed : 0;
  }
  std::vector<const WorkerReport*> Workers() const { return book_.Live(wall_); }
  std::vector<const WorkerReport*> Silent() const {
    std::vector<const WorkerReport*> silent = book_.Gone(wall_);
    for (const WorkerReport* const worker : book_.Live(wall_)) {
      if (worker->reported_at < wall_ - kAnswersWithin) silent.push_back(worker);
    }
    return silent;
  }

 private:
  // The last mark at or before the window's begin, or the first.
  const AlertBoard::Mark& Before(Duration window) const {
    const auto behind = std::ranges::upper_bound(board_.marks_, now_ - window, {},
                                                 [](const auto& mark) { return mark.at; });
    return behind == board_.marks_.begin() ? board_.marks_.front() : *std::prev(behind);
  }

  const AlertBoard& board_;
  const WorkerBook& book_;
  const SteadyTime now_;
  const WallTime wall_;
};

namespace {

// Those that were started since in the same role have taken their places.
std::string WorkerDown(const AlertView& view, const AlertRule&) {
  const auto silent = view.Silent();
  std::vector<std::string> down;
  for (const std::string_view role : kRoles) {
    std::vector<std::string> of_role;
    WallTime first = WallTime::max();
    for (const WorkerReport* const worker : silent) {
      if (worker->role != role) continue;
      of_role.push_back(fmt::format("{} {}", role, worker->id));
      first = std::min(first, worker->reported_at);
    }
    for (const WorkerReport* const worker : view.Workers()) {
      const bool is_new = worker->role == role && worker->started_at > first &&
                          std::ranges::find(silent, worker) == silent.end();
      if (is_new && !of_role.empty()) of_role.pop_back();
    }
    down.insert(down.end(), of_role.begin(), of_role.end());
  }
  if (down.empty()) return {};
  constexpr size_t kNamed = 3;
  const size_t more = down.size() - std::min(kNamed, down.size());
  down.resize(std::min(kNamed, down.size()));
  return fmt::format("{}{} no longer {}", fmt::join(down, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more),
                     down.size() == 1 ? "reports" : "report");
}

std::string WorkersOfAKindMissing(const AlertView& view, const AlertRule&) {
  const auto silent = view.Silent();
  const auto workers = view.Workers();
  std::vector<std::string> missing;
  for (const std::string_view role : kRoles) {
    const bool is_there = std::ranges::any_of(workers, [&](const WorkerReport* worker) {
      return worker->role == role && std::ranges::find(silent, worker) == silent.end();
    });
    if (!is_there) missing.push_back(fmt::format("no {}", role));
  }
  if (missing.empty()) return {};
  return fmt::format("{} reports", fmt::join(missing, " and "));
}

std::string PartitionsWithoutOwner(const AlertView& view, const AlertRule&) {
  const auto queue = view.Sum(Vital::kQueuePartitions), spider = view.Sum(Vital::kSpiderPartitions),
             strategy = view.Sum(Vital::kStrategyPartitions);
  if (!queue.has_value() || !spider.has_value() || !strategy.has_value()) return {};
  if (*queue == *spider && *queue == *strategy) return {};
  return fmt::format("spiders own {} partitions, strategy workers {}, db workers {}",
                     Whole(*spider), Whole(*strategy), Whole(*queue));
}

std::string CrawlStandsStill(const AlertView& view, const AlertRule& rule) {
  const double done =
      view.Growth(Vital::kPages, rule.window) + view.Growth(Vital::kFailures, rule.window);
  const double lag = view.Sum(Vital::kFeedLag).value_or(0);
  if (done > rule.thresholds[0] || lag <= 0) return {};
  return fmt::format("{} in the feed and nothing is fetched", Count(Whole(lag), "request"));
}

std::string QueueHasWorkButTheFeedIsEmpty(const AlertView& view, const AlertRule& rule) {
  const double ready = view.Sum(Vital::kReadyDomains).value_or(0);
  if (ready <= rule.thresholds[0] || view.Sum(Vital::kFeedLag) != 0) return {};
  return fmt::format("{} ready to be crawled and none of their requests leaves",
                     Count(Whole(ready), "domain"));
}

std::string FeedPaused(const AlertView& view, const AlertRule& rule) {
  const double paused = view.Sum(Vital::kPausedPartitions).value_or(0);
  if (paused <= rule.thresholds[0]) return {};
  return fmt::format("the feed of {} is paused", Count(Whole(paused), "partition"));
}

std::string DeadLetters(const AlertView& view, const AlertRule& rule) {
  const double grown = view.Growth(Vital::kDeadLetters, rule.window);
  if (grown <= rule.thresholds[0]) return {};
  return fmt::format("{} could not be processed", Count(Whole(grown), "message"));
}

std::string EventsLost(const AlertView& view, const AlertRule& rule) {
  const double grown = view.Growth(Vital::kLostMessages, rule.window);
  if (grown <= rule.thresholds[0]) return {};
  return fmt::format("retention deleted {} before they were read", Count(Whole(grown), "message"));
}

std::string DamagedRows(const AlertView& view, const AlertRule& rule) {
  const double grown = view.Growth(Vital::kDamagedChunks, rule.window);
  if (grown <= rule.thresholds[0]) return {};
  return fmt::format("{} of the queue missing, or cannot be read", Count(Whole(grown), "row"));
}

std::string FetchesFail(const AlertView& view, const AlertRule& rule) {
  const double failures = view.PerSecond(Vital::kFailures, rule.window);
  const double pages = view.PerSecond(Vital::kPages, rule.window);
  const bool is_so =
      failures > rule.thresholds[0] * (failures + pages) && failures > rule.thresholds[1];
  if (!is_so) return {};
  return fmt::format("{:.0f} % of all requests fail", 100 * failures / (failures + pages));
}

std::string SpiderLogIsSlow(const AlertView& view, const AlertRule& rule) {
  for (const WorkerReport* const worker : view.Workers()) {
    const double queued = worker->vitals[Vital::kQueuedBytes].value_or(0);
    if (queued <= rule.thresholds[0]) continue;
    return fmt::format("{} {} waits for the log to take {}", worker->role, worker->id,
                       Bytes(Whole(queued)));
  }
  return {};
}

std::string OpenFilesNearTheLimit(const AlertView& view, const AlertRule& rule) {
  for (const WorkerReport* const worker : view.Workers()) {
    const auto open = worker->vitals[Vital::kOpenFiles], most = worker->vitals[Vital::kMostFiles];
    if (!open.has_value() || !most.has_value() || *open <= rule.thresholds[0] * *most) continue;
    return fmt::format("{} {} has {} of {} files and connections open", worker->role, worker->id,
                       Whole(*open), Whole(*most));
  }
  return {};
}

constexpr double kMebibyte = 1024 * 1024;

constexpr AlertRule kRules[] = {
    {"WorkerDown",
     false,
     minutes(2),
     seconds(0),
     {0, 0},
     true,
     WorkerDown,
     "Its partitions go to others after worker.session_timeout; if none is left, that part of the "
     "crawl stands still"},
    {"WorkersOfAKindMissing",
     true,
     minutes(2),
     seconds(0),
     {0, 0},
     true,
     WorkersOfAKindMissing,
     "The crawl stands still, and loses nothing until retention deletes what was not read: start "
     "one"},
    {"PartitionsWithoutOwner",
     false,
     minutes(10),
     seconds(0),
     {0, 0},
     false,
     PartitionsWithoutOwner,
     "Some partition has no owner, or a worker is too slow to take it over: /readyz and /status of "
     "the workers say which"},
    {"CrawlStandsStill",
     true,
     minutes(10),
     minutes(10),
     {0, 0},
     false,
     CrawlStandsStill,
     "See whether the spiders are alive, the network is, and they get an answer from the bus"},
    {"QueueHasWorkButTheFeedIsEmpty",
     true,
     minutes(10),
     seconds(0),
     {1000, 0},
     false,
     QueueHasWorkButTheFeedIsEmpty,
     "Look for paused partitions, and for errors of the store in the db workers' logs"},
    {"FeedPaused",
     false,
     hours(1),
     seconds(0),
     {0, 0},
     false,
     FeedPaused,
     "Somebody has stopped it: `orbweaver resume` starts it"},
    {"DeadLetters",
     false,
     seconds(0),
     minutes(15),
     {0, 0},
     false,
     DeadLetters,
     "They are kept, with their origin and the cause: look at the dead letters for a worker of "
     "another version, or a foreign producer"},
    {"EventsLost",
     true,
     seconds(0),
     minutes(15),
     {0, 0},
     false,
     EventsLost,
     "Workers were away for longer than topics.retention, or fall behind. The deleted messages are "
     "lost: raise the retention first"},
    {"DamagedRows",
     true,
     seconds(0),
     minutes(15),
     {0, 0},
     false,
     DamagedRows,
     "Something else writes to the tables, or the store lost data"},
    {"FetchesFail",
     false,
     minutes(15),
     minutes(15),
     {0.5, 1},
     false,
     FetchesFail,
     "The causes tell whose it is: dns and unreachable are yours, refused and timeouts may be, "
     "http_4xx is the web's"},
    {"SpiderLogIsSlow",
     false,
     minutes(10),
     seconds(0),
     {32 * kMebibyte, 0},
     false,
     SpiderLogIsSlow,
     "Beyond spider.max_queued_bytes it fetches nothing: see whether the brokers are well, and the "
     "network is wide enough"},
    {"OpenFilesNearTheLimit",
     false,
     minutes(5),
     seconds(0),
     {0.8, 0},
     false,
     OpenFilesNearTheLimit,
     "Raise the limit of its process (ulimit -n), or lower spider.max_fetches"},
};

Duration LongestWindow() {
  Duration longest{};
  for (const AlertRule& rule : kRules) longest = std::max<Duration>(longest, rule.window);
  return longest;
}

}  // namespace

std::span<const AlertRule> AlertRules() { return kRules; }

void AlertBoard::Update(const WorkerBook& book, SteadyTime now, WallTime wall) {
  if (marks_.empty() || now - marks_.back().at >= kMarkEvery) {
    Mark& mark = marks_.emplace_back();
    mark.at = now;
    for (size_t i = 0; i < kVitals; ++i) mark.grown[i] = book.Grown(static_cast<Vital>(i));
  }
  while (marks_.size() > 1 && marks_[1].at <= now - LongestWindow()) marks_.pop_front();
  const AlertView view(*this, book, now, wall);
  firing_.clear();
  for (const AlertRule& rule : kRules) {
    if (rule.of_clusters && !is_cluster_) continue;
    std::string says = rule.judge(view, rule);
    if (says.empty()) {
      since_.erase(rule.name);
      continue;
    }
    const SteadyTime since = since_.try_emplace(rule.name, now).first->second;
    if (now - since < rule.holds_for) continue;
    firing_.push_back({.rule = &rule,
                       .since = wall - std::chrono::floor<std::chrono::milliseconds>(now - since),
                       .says = std::move(says)});
  }
  // Each kind in the order of the table.
  std::ranges::sort(firing_, {}, [](const Alert& alert) {
    return std::pair(!alert.rule->is_critical, alert.rule);
  });
}

}  // namespace orbweaver
