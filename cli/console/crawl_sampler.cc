#include "cli/console/crawl_sampler.h"

#include <chrono>
#include <pthread.h>
#include <utility>

#include "cli/frontier/history_file.h"

#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "console";
// The step of the finest curves.
constexpr Duration kSampleEvery = std::chrono::seconds(5);
constexpr Duration kKeepEvery = std::chrono::minutes(1);
// Of rates, that jump less than over one interval.
constexpr Duration kCurveWindow = std::chrono::seconds(5);
constexpr Duration kCpuWindow = std::chrono::seconds(30);
constexpr Duration kStageWindow = std::chrono::seconds(15);

}  // namespace

CrawlSampler::CrawlSampler(SampledCrawl crawl, const Clock& clock)
    : crawl_(std::move(crawl)), clock_(clock), alerts_(crawl_.is_cluster) {
  if (crawl_.file.empty()) return;
  absl::MutexLock lock(&mutex_);
  const absl::Status read = ReadHistory(crawl_.file, &history_);
  if (!read.ok()) Log(LogLevel::kWarning, kModule, "curves begin anew: {}", MessageOf(read));
}

CrawlSampler::~CrawlSampler() { Stop(); }

void CrawlSampler::Start() {
  kept_at_ = clock_.Now();
  thread_ = std::thread([this] { Run(); });
}

void CrawlSampler::Stop() {
  if (!thread_.joinable()) return;
  stop_.Request();
  thread_.join();
  Keep();
}

void CrawlSampler::Run() {
  pthread_setname_np(pthread_self(), "sampler");
  do {
    Sample();
    if (clock_.Now() - kept_at_ >= kKeepEvery) Keep();
  } while (!stop_.WaitFor(kSampleEvery));
}

void CrawlSampler::Sample() {
  // Not under the lock, since they may wait for a server.
  const absl::StatusOr<LogLags> lags = crawl_.read_lags();
  WorkerBook book;
  {
    absl::MutexLock lock(&mutex_);
    book = book_;
  }
  const WallTime now = clock_.Wall();
  const absl::Status noted = crawl_.note_workers(now, &book);
  if (!noted.ok() && !is_troubled_) {
    Log(LogLevel::kWarning, kModule, "workers are not known: {}", MessageOf(noted));
  }
  is_troubled_ = !noted.ok();
  absl::MutexLock lock(&mutex_);
  trouble_ = noted;
  book_ = std::move(book);
  history_.Add(now, ValuesNow(now, lags));
  // Of workers that cannot be asked nothing new is said.
  if (noted.ok()) alerts_.Update(book_, clock_.Now(), now);
}

CurveValues CrawlSampler::ValuesNow(WallTime now, const absl::StatusOr<LogLags>& lags) const {
  CurveValues values;
  const auto set = [&values](Curve curve, std::optional<double> value) {
    values[static_cast<size_t>(curve)] = value;
  };
  set(Curve::kPages, book_.SumOfRates(Vital::kPages, kCurveWindow, now));
  set(Curve::kFailures, book_.SumOfRates(Vital::kFailures, kCurveWindow, now));
  set(Curve::kBytes, book_.SumOfRates(Vital::kReceivedBytes, kCurveWindow, now));
  set(Curve::kWaiting, book_.Sum(Vital::kWaiting, now));
  set(Curve::kDelayed, book_.Sum(Vital::kDelayed, now));
  set(Curve::kMemory, book_.Sum(Vital::kMemoryBytes, now));
  if (!lags.ok()) return values;
  set(Curve::kSpiderLogLag, static_cast<double>(lags->spider_log));
  set(Curve::kScoringLogLag, static_cast<double>(lags->scoring_log));
  set(Curve::kFeedLag, static_cast<double>(lags->feed));
  return values;
}

void CrawlSampler::Keep() {
  kept_at_ = clock_.Now();
  if (crawl_.file.empty()) return;
  absl::MutexLock lock(&mutex_);
  const absl::Status kept = KeepHistory(crawl_.file, history_);
  if (!kept.ok()) Log(LogLevel::kWarning, kModule, "curves are not kept: {}", MessageOf(kept));
}

absl::Status CrawlSampler::trouble() const {
  absl::MutexLock lock(&mutex_);
  return trouble_;
}

std::vector<SampledWorker> CrawlSampler::Workers() const {
  absl::MutexLock lock(&mutex_);
  std::vector<SampledWorker> workers;
  for (const WorkerReport* const worker : book_.Live(clock_.Wall())) {
    workers.push_back({.report = *worker,
                       .cpu_cores = book_.Rate(*worker, Vital::kCpuSeconds, kCpuWindow),
                       .stages = SharesOf(book_, {&worker, 1}, kStageWindow)});
  }
  return workers;
}

std::vector<StageShares> CrawlSampler::Stages() const {
  absl::MutexLock lock(&mutex_);
  return SharesOf(book_, book_.Live(clock_.Wall()), kStageWindow);
}

std::vector<Alert> CrawlSampler::Alerts() const {
  absl::MutexLock lock(&mutex_);
  return alerts_.firing();
}

std::vector<HistoryPoint> CrawlSampler::Points(size_t range) const {
  absl::MutexLock lock(&mutex_);
  return history_.Points(range, crawl_.note_workers ? clock_.Wall() : history_.newest());
}

}  // namespace orbweaver
