#include "lab/crawl/virtual_crawl.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "lab/replay/fresh_logs.h"
#include "strategy_worker/worker.h"

namespace orbweaver::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kLong = std::chrono::hours(1);  // of virtual time
// Real workers react within milliseconds, and pages of equal worth come in the order in which they
// were found: coarser steps mix them up more than the recorded crawl did.
constexpr Duration kSpiderStep = milliseconds(1);
// Between an outcome and what follows of it lie a log, a batch and a log. While nothing happens,
// strategy worker and db worker look less and less often.
constexpr Duration kWorkerStep = milliseconds(2);
constexpr Duration kLongestWorkerStep = milliseconds(500);
// The members of a group must be heard of.
constexpr Duration kLongestSleep = seconds(10);
// Nothing happens for so many rounds: then nothing does until something is due.
constexpr uint64_t kQuietRounds = 12;
constexpr uint64_t kRoundsBetweenCuts = 16;
constexpr uint64_t kRoundsBetweenLooks = 64;

struct ReadLog {
  std::string_view topic;
  std::string_view group;
};
constexpr ReadLog kLogs[] = {{kSpiderLogTopic, kStrategyWorkerGroup},
                             {kScoringLogTopic, kDbWorkerGroup},
                             {kSpiderFeedTopic, kSpiderGroup}};

}  // namespace

struct VirtualCrawl::Spider {
  explicit Spider(VirtualLanes* its_lanes) : lanes(its_lanes) {}

  MetricRegistry registry;
  CrawlMetrics metrics{registry};
  VirtualLanes* const lanes;  // the core's
  std::unique_ptr<SpiderCore> core;
};

VirtualCrawl::VirtualCrawl(const VirtualCrawlSetup& setup)
    : setup_(setup),
      clock_(setup.source.begin()),
      began_(clock_.Now()),
      workers_wait_(kWorkerStep) {}

VirtualCrawl::~VirtualCrawl() = default;

absl::StatusOr<std::unique_ptr<VirtualCrawl>> VirtualCrawl::Create(const VirtualCrawlSetup& setup) {
  if (!IsPartitionCount(setup.partitions)) {
    return FatalError("crawl the recording: {} cannot have {} partitions", kSpiderLogTopic,
                      setup.partitions);
  }
  if (setup.source.seeds().empty()) {
    return FatalError(
        "there are no seeds to begin with. A recording must have the spider log from its "
        "beginning");
  }
  std::unique_ptr<VirtualCrawl> crawl(new VirtualCrawl(setup));
  RETURN_IF_ERROR(crawl->Start());
  return crawl;
}

absl::Status VirtualCrawl::Start() {
  RETURN_IF_ERROR(MakeLogs(bus_, store_, setup_.partitions, kLong));
  ASSIGN_OR_RETURN(producer_, bus_.NewProducer({}, [](const Ack&) {}));
  ASSIGN_OR_RETURN(strategy_, StartStrategyCore({.bus = bus_,
                                                 .store = store_,
                                                 .strategy = setup_.strategy,
                                                 .suffixes = setup_.suffixes,
                                                 .metrics = metrics_,
                                                 .state_metrics = state_metrics_,
                                                 .options = setup_.strategy_worker,
                                                 .states = setup_.states,
                                                 .urls = setup_.flow.urls,
                                                 .scope = setup_.flow.scope,
                                                 .id = "strategy",
                                                 .membership = {.member = "strategy"}},
                                                clock_, write_));
  ASSIGN_OR_RETURN(
      queue_, DbWorkerCore::Create(
                  bus_, store_, clock_, db_metrics_,
                  {.options = setup_.db_worker, .name = "db", .membership = {.member = "db"}}));
  for (int i = 0; i < setup_.spiders; ++i) {
    auto lanes = setup_.source.NewLanes(clock_, &trace_);
    Spider& spider = *spiders_.emplace_back(std::make_unique<Spider>(lanes.get()));
    spider.core = std::make_unique<SpiderCore>(
        SpiderCoreParts{.bus = bus_,
                        .clock = clock_,
                        .suffixes = setup_.suffixes,
                        .metrics = spider.metrics,
                        .lanes = std::move(lanes),
                        .failures = nullptr,
                        .partitions = setup_.partitions,
                        .membership = {.member = fmt::format("spider-{}", i)},
                        .options = setup_.crawl,
                        .flow = setup_.flow});
    RETURN_IF_ERROR(spider.core->Join());
  }
  return absl::OkStatus();
}

absl::StatusOr<CrawlTrace> VirtualCrawl::Run(
    absl::FunctionRef<bool(const CrawlTrace& so_far)> go_on) {
  std::optional<CrawlEnd> end;
  while (!end) {
    RETURN_IF_ERROR(SendSeeds());
    RETURN_IF_ERROR(StepSpiders());
    if (clock_.Now() >= workers_due_) {
      RETURN_IF_ERROR(StepWorkers());
      trace_.took = clock_.Now() - began_;
      if (rounds_ % kRoundsBetweenLooks == 0 && !go_on(trace_)) end = CrawlEnd::kStopped;
    }
    if (!end) end = End();
    if (!end) MoveTime();
  }
  FinishTrace(*end);
  return std::move(trace_);
}

absl::Status VirtualCrawl::SendSeeds() {
  const auto seeds = setup_.source.seeds();
  for (; seeds_sent_ < seeds.size() && seeds[seeds_sent_].at <= clock_.Wall(); ++seeds_sent_) {
    const RecordedWeb::SeedEntry& entry = seeds[seeds_sent_];
    RETURN_IF_ERROR(
        producer_->Send({.topic = kSpiderLogTopic,
                         .partition = PartitionOf(SlotOf(entry.domain), setup_.partitions),
                         .key = entry.domain,
                         .value = entry.value},
                        0));
    RETURN_IF_ERROR(producer_->Flush(kLong));
    WakeWorkers();
  }
  return absl::OkStatus();
}

absl::Status VirtualCrawl::StepSpiders() {
  uint64_t told = 0;
  for (const auto& spider : spiders_) {
    RETURN_IF_ERROR(spider->core->Step(Duration::zero()));
    told += spider->metrics.log_entries.value();
  }
  if (told != told_) WakeWorkers();
  told_ = told;
  return absl::OkStatus();
}

void VirtualCrawl::WakeWorkers() {
  rounds_quiet_ = 0;
  wakes_.reset();
  workers_wait_ = kWorkerStep;
  workers_due_ = std::min(workers_due_, clock_.Now() + workers_wait_);
}

absl::Status VirtualCrawl::StepWorkers() {
  RETURN_IF_ERROR(strategy_->Step(Duration::zero()).status());
  RETURN_IF_ERROR(queue_->Step(Duration::zero()));
  const uint64_t happened = Happened();
  if (happened != happened_) {
    WakeWorkers();
  } else if (++rounds_quiet_ > kQuietRounds) {
    workers_wait_ = std::min<Duration>(2 * workers_wait_, kLongestWorkerStep);
  }
  happened_ = happened;
  workers_due_ = clock_.Now() + workers_wait_;
  ++rounds_;
  return rounds_ % kRoundsBetweenCuts == 0 && !setup_.keeps_logs ? CutLogs() : absl::OkStatus();
}

Offset VirtualCrawl::EndOf(std::string_view topic, int partition) {
  absl::MutexLock lock(&broker_.mutex);
  return (*broker_.log().Find(topic, PartitionId(partition)))->bounds().end;
}

uint64_t VirtualCrawl::Happened() {
  uint64_t happened = trace_.fetches.size();
  for (const ReadLog& log : kLogs) {
    for (int i = 0; i < setup_.partitions; ++i) {
      happened += static_cast<uint64_t>(EndOf(log.topic, i).value());
    }
  }
  return happened;
}

absl::Status VirtualCrawl::CutLogs() {
  for (const ReadLog& log : kLogs) {
    for (int i = 0; i < setup_.partitions; ++i) {
      Offset read{0};
      Offset last{0};
      {
        absl::MutexLock lock(&broker_.mutex);
        ASSIGN_OR_RETURN(const ConsumerGroup* const group, broker_.Group(log.group, log.topic));
        if (const auto& committed = group->committed(PartitionId(i))) read = committed->offset;
        ASSIGN_OR_RETURN(const PartitionLog* const found,
                         broker_.log().Find(log.topic, PartitionId(i)));
        // A worker knows its log by its last record.
        last = Offset(std::max<int64_t>(found->bounds().end.value() - 1, 0));
      }
      RETURN_IF_ERROR(broker_.CutLog(log.topic, PartitionId(i), std::min(read, last)));
    }
  }
  return absl::OkStatus();
}

bool VirtualCrawl::IsIdle() const {
  return std::ranges::all_of(spiders_, [](const auto& spider) {
    return spider->core->flow().held() == 0 && spider->core->flow().fetching() == 0;
  });
}

std::optional<CrawlEnd> VirtualCrawl::End() {
  if (setup_.budget > 0 && trace_.fetches.size() >= setup_.budget) return CrawlEnd::kBudget;
  if (setup_.time > Duration::zero() && clock_.Now() - began_ >= setup_.time) {
    return CrawlEnd::kTime;
  }
  if (rounds_quiet_ <= kQuietRounds || (wakes_ && *wakes_ > clock_.Now())) return {};
  if (!IsIdle() || !strategy_->IsSettled() || queue_->coming() > 0) return {};
  WallTime due = WallTime::max();
  const auto seeds = setup_.source.seeds();
  bool is_empty = seeds_sent_ == seeds.size();
  for (const PartitionReport& report : queue_->Report()) {
    due = std::min(due, report.next_due);
    is_empty = is_empty && report.delayed == 0 &&
               std::ranges::all_of(report.waiting, [](uint64_t waiting) { return waiting == 0; });
  }
  if (seeds_sent_ < seeds.size()) due = std::min(due, seeds[seeds_sent_].at);
  if (is_empty || due == WallTime::max()) return CrawlEnd::kNothingLeft;
  wakes_ = clock_.Now() + std::max<Duration>(due - clock_.Wall(), workers_wait_);
  return {};
}

SteadyTime VirtualCrawl::SpidersDue() const {
  SteadyTime due = SteadyTime::max();
  for (const auto& spider : spiders_) {
    due = std::min(due, spider->lanes->NextDone());
    if (spider->core->flow().held() > 0) due = std::min(due, spider->core->flow().NextLook());
  }
  return due;
}

void VirtualCrawl::MoveTime() {
  const SteadyTime now = clock_.Now();
  SteadyTime next = std::min(SpidersDue(), workers_due_);
  if (wakes_ && *wakes_ > now) {
    next = std::min(*wakes_, now + kLongestSleep);
    workers_due_ = next;
  }
  Duration passes = std::max(next - now, kSpiderStep);
  if (setup_.time > Duration::zero()) passes = std::min(passes, began_ + setup_.time - now);
  NoteIdle(passes);
  clock_.Advance(passes);
}

void VirtualCrawl::NoteIdle(Duration passes) {
  for (const auto& spider : spiders_) {
    const RequestFlow& flow = spider->core->flow();
    const bool has_room = flow.fetching() < setup_.flow.max_fetches;
    if (has_room && flow.politeness().waiting() > 0 &&
        flow.politeness().NextLook() > clock_.Now()) {
      spiders_idle_ += passes;
    }
  }
}

void VirtualCrawl::FinishTrace(CrawlEnd end) {
  trace_.end = end;
  trace_.took = clock_.Now() - began_;
  trace_.idle = spiders_idle_ / std::max<int64_t>(std::ssize(spiders_), 1);
  // Several may have begun in the last step, some at the very end.
  if (end == CrawlEnd::kTime) {
    std::erase_if(trace_.fetches, [&](const auto& fetch) { return fetch.at >= setup_.time; });
  }
  if (setup_.budget > 0 && trace_.fetches.size() > setup_.budget) {
    trace_.fetches.resize(setup_.budget);
  }
  for (const auto& spider : spiders_) {
    trace_.robots_fetches += spider->metrics.robots_fetches.value();
    trace_.forbidden += spider->metrics.failed(FailureCause::kRobots).value();
  }
  trace_.dead_letters = static_cast<uint64_t>(EndOf(kDeadLetterTopic, 0).value());
}

}  // namespace orbweaver::lab
