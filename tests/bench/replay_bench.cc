// The cost of recordings: a spider log of 60 links a page is recorded, read, imported and verified.
// `mb` are keys and values of the log. `size` rows: bytes of the files by these; links that are
// made up repeat more than real ones, whose figures stand in lab/recording/README.md.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_broker.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "lab/recording/importer.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording.h"
#include "lab/recording/recording_folder.h"
#include "lab/recording/recording_stats.h"
#include "lab/replay/replay_worker.h"
#include "lab/replay/verification.h"
#include "strategy_worker/host/loader.h"
#include "tests/bench/bench.h"
#include "tests/support/page_workload.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 16;
constexpr int kPages = 22'000;
constexpr uint64_t kSeedEvents = 1000;  // of PageWorkload, one a host
constexpr Duration kTimeout = std::chrono::seconds(60);

// Topics in memory.
class Logs {
 public:
  Logs() {
    TopicOptions topics;
    topics.partitions = kPartitions;
    CHECK_OK(bus.EnsureTopics(*ProductTopics(topics), kTimeout).status());
    producer_ = *bus.NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
  }
  void Send(std::string_view topic, PartitionId partition, std::string_view key,
            std::string_view value) {
    const Record record{.topic = topic, .partition = partition, .key = key, .value = value};
    if (!producer_->Send(record, 0).ok()) {
      CHECK_OK(producer_->Flush(kTimeout));
      CHECK_OK(producer_->Send(record, 0));
    }
  }
  void Flush() { CHECK_OK(producer_->Flush(kTimeout)); }

  MemoryBroker broker;
  MemoryBus bus{&broker, {}};

 private:
  std::unique_ptr<Producer> producer_;
};

void MakeEvents(Logs* logs) {
  PageWorkload workload({});
  const auto send = [logs](const std::vector<PageWorkload::Entry>& entries) {
    for (const PageWorkload::Entry& entry : entries) {
      logs->Send(kSpiderLogTopic, PartitionOf(SlotOf(entry.domain), kPartitions), entry.domain,
                 entry.value);
    }
  };
  send(workload.Seeds());
  while (workload.pages() < kPages) send(workload.NextPage());
  logs->Flush();
}

std::vector<lab::LogRangeOf> Ranges(Bus& bus) {
  std::vector<lab::LogRangeOf> ranges;
  const auto offsets = *bus.NewOffsetReader();
  for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic}) {
    for (int i = 0; i < kPartitions; ++i) {
      const PartitionId id(i);
      const auto bounds = *offsets->Bounds(topic, {&id, 1}, kTimeout);
      ranges.push_back({std::string(topic), id, bounds[0].start, bounds[0].end});
    }
  }
  return ranges;
}

std::unique_ptr<lab::ReplayWorker> NewWorker(Strategy& strategy, const PublicSuffixes& suffixes) {
  StrategyWorkerOptions options;
  options.batch_events = 300;  // as `orbweaver replay` has it
  auto worker = lab::ReplayWorker::Create({.strategy = strategy,
                                           .suffixes = suffixes,
                                           .partitions = kPartitions,
                                           .options = options,
                                           .scope = *CrawlScope::Make({}, suffixes)});
  CHECK_OK(worker.status());
  return *std::move(worker);
}

// Writes what a crawl's strategy worker would have written.
void MakeDecisions(Logs* logs, Strategy& strategy, const PublicSuffixes& suffixes) {
  const auto worker = NewWorker(strategy, suffixes);
  const auto consumer = *logs->bus.NewConsumer({.group = "bench"});
  for (const lab::LogRangeOf& range : Ranges(logs->bus)) {
    if (range.topic != kSpiderLogTopic) continue;
    const AssignedPartition from{.partition = range.partition, .position = range.first};
    CHECK_OK(consumer->Assign(range.topic, {&from, 1}));
    MessageBatch batch;
    for (Offset at = range.first; at < range.end;) {
      CHECK_OK(consumer->Poll({}, kTimeout, &batch));
      CHECK_OK(worker->Decide(batch.messages()));
      at = Offset(batch.messages().back().offset.value() + 1);
    }
  }
  CHECK_OK(worker->TakeScoringLog([logs](PartitionId partition, Offset, std::string_view value) {
    logs->Send(kScoringLogTopic, partition, "", value);
    return absl::OkStatus();
  }));
  logs->Flush();
}

// The same work as memory_breadth_first of the strategy worker (strategy_worker_bench.cc), from and
// to the files: partitions, pages, and seeds before the time that counts.
void VerifyCase(BenchReport& report, const lab::Recording& recording, Strategy& strategy,
                const PublicSuffixes& suffixes) {
  const auto worker = NewWorker(strategy, suffixes);
  std::optional<CpuTimer> timer;
  uint64_t before = 0;
  const auto verified = lab::Verify(recording, *worker, [&](uint64_t events) {
    if (!timer.has_value()) {
      before = events;
      timer.emplace();
    }
    return true;
  });
  CHECK_OK(verified.status());
  CHECK(!verified->first && before >= kSeedEvents);
  // A page is two events.
  const auto pages = static_cast<double>(verified->events - before) / 2;
  report.AddRate("verify", pages * PageWorkloadOptions().links, "links/cpu_s", *timer,
                 "CPU: the strategy worker");
}

void ReplayBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  const ScratchFolder scratch;
  const auto suffixes = *PublicSuffixes::Load({});
  const auto strategy = *LoadStrategy({.name = "breadth_first"}, 1);
  Logs logs;
  MakeEvents(&logs);
  MakeDecisions(&logs, *strategy, *suffixes);

  const auto folder = scratch.path() / "recording";
  double megabytes = 0;
  {
    const CpuTimer timer;
    const auto to = *lab::RecordingFolder::Open(folder, {}, 1, SystemClock().Wall());
    lab::Recorder recorder(to.get(), *suffixes, {});
    for (const lab::LogRangeOf& range : Ranges(logs.bus)) {
      CHECK_OK(recorder.Record(logs.bus, range, [] { return true; }));
    }
    megabytes = static_cast<double>(recorder.raw_bytes()) / 1e6;
    report.AddRate("record", megabytes, "mb/cpu_s", timer, "CPU: zstd, decoding");
  }
  const auto recording = *lab::Recording::Open(folder);
  const auto stats = *lab::StatsOf(*recording);
  for (const auto& [topic, of] : stats.topics) {
    const auto raw = static_cast<double>(of.raw_bytes);
    report.Add(topic + "_size", static_cast<double>(of.bytes) / raw, "of the log", 0, 0, "");
    report.Add(topic + "_size_raw_columns", static_cast<double>(of.record_bytes) / raw,
               "of the log", 0, 0, "");
  }
  {
    const CpuTimer timer;
    for (const std::string& topic : recording->manifest().Topics()) {
      for (const PartitionId partition : recording->manifest().Partitions(topic)) {
        const auto records = recording->Read(topic, partition);
        Message message;
        while (*records->Next(&message)) {
        }
      }
    }
    report.AddRate("read", megabytes, "mb/cpu_s", timer, "CPU: zstd");
  }
  {
    Logs copy;
    const CpuTimer timer;
    lab::Importer importer(*recording, copy.bus, {});
    for (const std::string& topic : recording->manifest().Topics()) {
      CHECK_OK(importer.Import(topic, [] { return true; }));
    }
    report.AddRate("import", megabytes, "mb/cpu_s", timer, "CPU: zstd, a log in memory");
  }
  VerifyCase(report, *recording, *strategy, *suffixes);
}
ORBWEAVER_BENCH("replay", ReplayBench);

}  // namespace
}  // namespace orbweaver
