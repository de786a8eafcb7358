#include "cli/replay/crawl_replay.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/record/progress_line.h"
#include "cli/replay/crawl_evaluation.h"
#include "cli/replay/crawl_replay_report.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/runtime/signal_watcher.h"
#include "lab/crawl/recorded_source.h"
#include "lab/crawl/recorded_web.h"
#include "lab/crawl/virtual_crawl.h"
#include "lab/report/report_folder.h"
#include "spider/crawl/http_spider.h"
#include "strategy_worker/host/loader.h"

namespace orbweaver {
namespace {

constexpr Duration kStopDeadline = std::chrono::seconds(60);
// More only share the work out, and each is looked at in every step of the workers.
constexpr int kMostPartitions = 16;
constexpr Duration kLook = std::chrono::milliseconds(200);

bool HaveSameFetches(const lab::CrawlTrace& one, const lab::CrawlTrace& other) {
  return std::ranges::equal(
      one.fetches, other.fetches,
      [](const lab::TracedFetch& a, const lab::TracedFetch& b) { return a.url == b.url; });
}

// The parts that all crawls have in common, and how far each has come.
class CrawlRun {
 public:
  CrawlRun(const ReplayTask& task, const CrawlReplayArguments& arguments,
           const lab::RecordedWeb& web, const CrawlEvaluation& evaluation, const StopRequest& stop)
      : task_(task),
        arguments_(arguments),
        web_(web),
        evaluation_(evaluation),
        stop_(stop),
        draws_(arguments.draws),
        budget_(arguments.budget > 0 ? arguments.budget : web.visits()),
        fetches_(task.strategies.size()),
        expected_(task.strategies.size()),
        traces_(task.strategies.size()) {}

  absl::Status Prepare();
  // By strategy; of each one or `draws` crawls.
  absl::StatusOr<std::vector<std::vector<lab::CrawlTrace>>> Run();
  uint64_t budget() const { return budget_; }

 private:
  void Work();
  absl::StatusOr<std::unique_ptr<Strategy>> NewStrategy(const StrategyOptions& options,
                                                        uint64_t draw) const;
  absl::StatusOr<std::vector<lab::CrawlTrace>> CrawlAll(size_t index);
  // `web_draw`: of what was not recorded, as `draw` is of the strategy's chance.
  absl::StatusOr<lab::CrawlTrace> Crawl(size_t index, uint64_t draw, uint64_t web_draw);
  uint64_t Expected(const lab::CrawlTrace& so_far) const;

  const ReplayTask& task_;
  const CrawlReplayArguments& arguments_;
  const lab::RecordedWeb& web_;
  const CrawlEvaluation& evaluation_;
  const StopRequest& stop_;
  const uint64_t draws_;
  const uint64_t budget_;
  int partitions_ = 1;
  SpiderOptions spider_;
  CrawlScope scope_;
  std::atomic<size_t> next_ = 0;
  std::atomic<size_t> done_ = 0;
  absl::Notification finished_;
  std::atomic<bool> has_failed_ = false;
  std::vector<std::atomic<uint64_t>> fetches_;
  std::vector<std::atomic<uint64_t>> expected_;  // fetches at the end, as far as one can tell
  // Each set by one thread, and read when all have ended.
  std::vector<absl::StatusOr<std::vector<lab::CrawlTrace>>> traces_;
};

absl::Status CrawlRun::Prepare() {
  const auto recorded = task_.recording.manifest().Partitions(kSpiderLogTopic);
  const auto spiders = static_cast<uint32_t>(arguments_.spiders);
  partitions_ = recorded.empty() ? 1 : recorded.back().value() + 1;
  if (spiders > static_cast<uint32_t>(partitions_)) {
    return FatalError(
        "--spiders {}: the recorded crawl has {}, and each spider needs one of its own", spiders,
        Count(static_cast<uint64_t>(partitions_), "partition"));
  }
  partitions_ =
      std::min(partitions_, std::max(kMostPartitions, static_cast<int>(std::bit_ceil(spiders))));
  spider_ = task_.options.spider;
  if (arguments_.delay) spider_.politeness.delay = *arguments_.delay;
  if (arguments_.speed > 0)
    spider_.politeness.rate = arguments_.speed / static_cast<double>(arguments_.spiders);
  RETURN_IF_ERROR(CompleteSpiderOptions(&spider_));
  ASSIGN_OR_RETURN(scope_, CrawlScope::Make(spider_.scope, task_.suffixes));
  return absl::OkStatus();
}

// The budget, or what comes together in the time if it goes on like this.
uint64_t CrawlRun::Expected(const lab::CrawlTrace& so_far) const {
  if (arguments_.time == Duration::zero() || so_far.took == Duration::zero()) return budget_;
  const double times =
      static_cast<double>(arguments_.time.count()) / static_cast<double>(so_far.took.count());
  const double in_time = static_cast<double>(so_far.fetches.size()) * std::max(times, 1.0);
  return static_cast<uint64_t>(std::min(in_time, static_cast<double>(budget_)));
}

absl::StatusOr<std::unique_ptr<Strategy>> CrawlRun::NewStrategy(const StrategyOptions& options,
                                                                uint64_t draw) const {
  if (IsOracle(options)) return evaluation_.NewOracle();
  return LoadStrategy(options, arguments_.seed + draw);
}

absl::StatusOr<std::vector<lab::CrawlTrace>> CrawlRun::CrawlAll(size_t index) {
  std::vector<lab::CrawlTrace> traces;
  for (uint64_t draw = 0; draw < draws_; ++draw) {
    // Where nothing is unknown, draws differ for a strategy that decides at random alone.
    const bool is_known = draw > 0 && traces[0].unknown.empty();
    ASSIGN_OR_RETURN(lab::CrawlTrace trace, Crawl(index, draw, is_known ? 0 : draw));
    // A further draw is whole or counts for nothing.
    if (draw > 0 && trace.end == lab::CrawlEnd::kStopped) break;
    traces.push_back(std::move(trace));
    if (traces[0].end == lab::CrawlEnd::kStopped) break;
    if (is_known && draw == 1 && HaveSameFetches(traces[0], traces[1])) {
      traces.pop_back();
      break;
    }
  }
  expected_[index] = fetches_[index].load();
  return traces;
}

absl::StatusOr<lab::CrawlTrace> CrawlRun::Crawl(size_t index, uint64_t draw, uint64_t web_draw) {
  const ListedStrategy& listed = task_.strategies[index];
  ASSIGN_OR_RETURN(const auto strategy, NewStrategy(listed.options, draw));
  StrategyWorkerOptions worker = task_.WorkerOptions();
  // Strategies are compared, not lots that are drawn beside them.
  worker.explore = 0;
  DbWorkerOptions queue = task_.options.db_worker;
  queue.politeness = spider_.politeness;
  lab::RecordedSource source(web_, arguments_.seed + web_draw);
  ASSIGN_OR_RETURN(const auto crawl,
                   lab::VirtualCrawl::Create({.source = source,
                                              .strategy = *strategy,
                                              .suffixes = task_.suffixes,
                                              .partitions = partitions_,
                                              .spiders = static_cast<int>(arguments_.spiders),
                                              .budget = budget_,
                                              .time = arguments_.time,
                                              .strategy_worker = worker,
                                              .states = task_.options.states,
                                              .db_worker = queue,
                                              .crawl = spider_.crawl,
                                              .flow = FlowOptionsOf(spider_, scope_)}));
  const uint64_t before = fetches_[index];
  ASSIGN_OR_RETURN(lab::CrawlTrace trace, crawl->Run([&](const lab::CrawlTrace& so_far) {
    fetches_[index] = before + so_far.fetches.size();
    expected_[index] = before + Expected(so_far) * (draws_ - draw);
    return !stop_.requested() && !has_failed_;
  }));
  fetches_[index] = before + trace.fetches.size();
  trace.strategy = listed.name;
  return trace;
}

void CrawlRun::Work() {
  for (size_t index = next_++; index < traces_.size(); index = next_++) {
    traces_[index] = CrawlAll(index);
    if (!traces_[index].ok()) has_failed_ = true;
    if (++done_ == traces_.size()) finished_.Notify();
  }
}

absl::StatusOr<std::vector<std::vector<lab::CrawlTrace>>> CrawlRun::Run() {
  for (auto& expected : expected_) expected = budget_ * draws_;
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  while (threads.size() < std::min(processors, traces_.size())) {
    threads.emplace_back([this] { Work(); });
  }
  {
    ProgressLine progress;
    while (!finished_.WaitForNotificationWithTimeout(absl::FromChrono(kLook))) {
      const uint64_t sum = std::accumulate(fetches_.begin(), fetches_.end(), uint64_t{0});
      progress.Show(
          fmt::format("{}, {} of {} crawls done", Fetches(sum), done_.load(), traces_.size()), sum,
          std::accumulate(expected_.begin(), expected_.end(), uint64_t{0}));
    }
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::vector<lab::CrawlTrace>> traces;
  for (size_t i = 0; i < traces_.size(); ++i) {
    if (!traces_[i].ok()) {
      return FatalError("crawl with {}: {}", task_.strategies[i].name,
                        MessageOf(traces_[i].status()));
    }
    traces.push_back(*std::move(traces_[i]));
  }
  return traces;
}

absl::StatusOr<std::unique_ptr<lab::RecordedWeb>> ReadWeb(const ReplayTask& task,
                                                          const CrawlReplayArguments& arguments,
                                                          const StopRequest& stop) {
  ProgressLine progress;
  const uint64_t all = task.Events();
  return lab::RecordedWeb::Read(task.recording, arguments.work, [&](uint64_t events) {
    progress.Show(Count(events, "event") + " read", events, all);
    return !stop.requested();
  });
}

// Prints the result, and writes the report where there is one.
absl::Status Tell(const CrawlReplayReport& crawls, const ReplayTask& task,
                  const CrawlReplayArguments& arguments, const lab::Report& report) {
  if (task.json) {
    Print("{}", ReportJson(crawls, VerdictJson(report)));
  } else {
    const std::string verdicts = VerdictText(report);
    Print("{}{}{}", ReportText(crawls), verdicts.empty() ? "" : "\n", verdicts);
  }
  if (arguments.out.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(lab::WriteReport(report, arguments.out));
  if (!task.json) Print("Report: {}\n", (arguments.out / lab::kReportPage).string());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int> CrawlRecording(const ReplayTask& task, const CrawlReplayArguments& arguments) {
  const auto value = CrawlEvaluation::ReadValue(task, arguments);
  if (!value.ok()) return Fail(kExitUsage, "replay", MessageOf(value.status()));
  if (!arguments.out.empty()) {
    const absl::Status status = lab::CheckReportFolder(arguments.out);
    if (!status.ok()) return Fail(kExitUsage, "replay", MessageOf(status));
  }
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  constexpr std::string_view kStoppedEarly = "stopped before anything was crawled";
  const auto web = ReadWeb(task, arguments, stop);
  if (absl::IsCancelled(web.status())) {
    return Fail(kExitStopped, "replay", kStoppedEarly);
  }
  RETURN_IF_ERROR(web.status());
  const auto evaluation = CrawlEvaluation::Read(**web, *value, [&] { return !stop.requested(); });
  if (absl::IsCancelled(evaluation.status())) return Fail(kExitStopped, "replay", kStoppedEarly);
  RETURN_IF_ERROR(evaluation.status());
  CrawlRun run(task, arguments, **web, **evaluation, stop);
  if (const absl::Status status = run.Prepare(); !status.ok()) {
    return Fail(kExitUsage, "replay", MessageOf(status));
  }
  ASSIGN_OR_RETURN(const auto draws, run.Run());
  std::vector<lab::CrawlTrace> traces;
  for (const auto& of_strategy : draws) traces.push_back(of_strategy[0]);
  const lab::Report judged = (*evaluation)->Evaluate(task, arguments, draws);
  const CrawlReplayReport report{.web = **web,
                                 .traces = traces,
                                 .judged = judged,
                                 .budget = run.budget(),
                                 .force = arguments.force};
  RETURN_IF_ERROR(Tell(report, task, arguments, judged));
  if (stop.requested()) return kExitStopped;
  return arguments.force || HasVerdict(report) ? kExitOk : kExitNoVerdict;
}

}  // namespace orbweaver
