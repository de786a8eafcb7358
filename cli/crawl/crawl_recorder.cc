#include "cli/crawl/crawl_recorder.h"

#include <algorithm>
#include <pthread.h>
#include <utility>

#include "cli/message.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(20);
constexpr Duration kLookEvery = std::chrono::milliseconds(250);
// So much of a partition becomes a file at once: it is on the disk twice until then.
constexpr int64_t kManyMessages = 20'000;
// Of a slow crawl, whose files would be many and small. A crash finds what is not recorded still in
// the crawl's folder.
constexpr Duration kLongest = std::chrono::minutes(5);

// The manifest tells of the first start alone.
void TellStrategyChange(const lab::RecordingOrigin& recorded, const lab::RecordingOrigin& now,
                        const std::string& folder) {
  if (recorded.strategy == now.strategy && recorded.strategy_version == now.strategy_version &&
      recorded.strategy_params == now.strategy_params) {
    return;
  }
  PrintError(
      "{} has decisions of {} {}, and gets those of {} {}, or of other parameters: `orbweaver "
      "replay --verify` will find a difference. --record with a new folder keeps them apart.\n",
      folder, recorded.strategy, recorded.strategy_version, now.strategy, now.strategy_version);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CrawlRecorder>> CrawlRecorder::Start(
    const RecordOptions& options, const lab::RecordingOrigin& origin, Bus& bus,
    const PublicSuffixes& suffixes, int partitions) {
  if (options.folder.empty()) return std::unique_ptr<CrawlRecorder>();
  ASSIGN_OR_RETURN(auto folder, lab::RecordingFolder::Open(options.folder, origin, /*sample=*/1,
                                                           SystemClock().Wall()));
  TellStrategyChange(folder->manifest().origin, origin, options.folder);
  std::unique_ptr<CrawlRecorder> recorder(new CrawlRecorder(bus, suffixes, std::move(folder)));
  RETURN_IF_ERROR(recorder->recorder_.CheckLogs(bus));
  ASSIGN_OR_RETURN(recorder->offsets_, bus.NewOffsetReader());
  std::vector<lab::LogRangeOf> begin;
  for (const std::string& topic : options.topics) {
    for (int i = 0; i < partitions; ++i) {
      const PartitionId partition(i);
      ASSIGN_OR_RETURN(const auto bounds,
                       recorder->offsets_->Bounds(topic, {&partition, 1}, kTimeout));
      begin.push_back(
          {.topic = topic, .partition = partition, .first = bounds[0].start, .end = bounds[0].end});
    }
  }
  RETURN_IF_ERROR(recorder->folder_->Begin(begin));
  {
    const absl::MutexLock lock(&recorder->mutex_);
    for (const lab::LogRangeOf& range : begin) {
      recorder->partitions_.push_back(
          {.range = range,
           .recorded_at = SystemClock().Now(),
           .recorded_to = *recorder->folder_->Position(range.topic, range.partition)});
    }
  }
  recorder->thread_ = std::thread([raw = recorder.get()] { raw->Run(); });
  return recorder;
}

CrawlRecorder::~CrawlRecorder() {
  stop_.Request();
  if (thread_.joinable()) thread_.join();
}

std::optional<Offset> CrawlRecorder::RecordedTo(std::string_view topic,
                                                PartitionId partition) const {
  const absl::MutexLock lock(&mutex_);
  for (const Partition& known : partitions_) {
    if (known.range.IsOf(topic, partition)) return known.recorded_to;
  }
  return std::nullopt;
}

absl::Status CrawlRecorder::status() const {
  const absl::MutexLock lock(&mutex_);
  return status_;
}

absl::Status CrawlRecorder::Finish() {
  stop_.Request();
  if (thread_.joinable()) thread_.join();
  absl::Status status = this->status();
  if (status.ok()) status = RecordDue(/*all=*/true);
  return status;
}

void CrawlRecorder::Run() {
  pthread_setname_np(pthread_self(), "recorder");
  while (!stop_.WaitFor(kLookEvery)) {
    const absl::Status status = RecordDue(/*all=*/false);
    if (status.ok()) continue;
    const absl::MutexLock lock(&mutex_);
    status_ = Annotate(status, "record");
    return;
  }
}

absl::Status CrawlRecorder::RecordDue(bool all) {
  size_t count = 0;
  {
    const absl::MutexLock lock(&mutex_);
    count = partitions_.size();
  }
  for (size_t i = 0; i < count; ++i) {
    Partition partition;
    {
      const absl::MutexLock lock(&mutex_);
      partition = partitions_[i];
    }
    ASSIGN_OR_RETURN(
        const auto bounds,
        offsets_->Bounds(partition.range.topic, {&partition.range.partition, 1}, kTimeout));
    const int64_t messages = bounds[0].end.value() - partition.recorded_to.value();
    const bool is_due =
        all || messages >= kManyMessages || SystemClock().Now() - partition.recorded_at >= kLongest;
    if (messages == 0 || !is_due) continue;
    partition.range.end = bounds[0].end;
    RETURN_IF_ERROR(recorder_.Record(bus_, partition.range, [] { return true; }));
    // Nothing is deleted that a crash would want again.
    if (recorder_.records() == records_) RETURN_IF_ERROR(folder_->Save());
    records_ = recorder_.records();
    const absl::MutexLock lock(&mutex_);
    partitions_[i].recorded_at = SystemClock().Now();
    partitions_[i].recorded_to =
        *folder_->Position(partition.range.topic, partition.range.partition);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
