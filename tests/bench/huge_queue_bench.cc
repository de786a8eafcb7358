// RAISE and DELETE in the largest queue that a domain has, of two million requests: their cost, the
// longest step, and the memory. Bound by CPU (parsing of chunks); bus and store are memory.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/protocol/topic_record.h"
#include "common/store/memory/memory_store.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "db_worker/db_worker_core.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/columns.h"
#include "tests/bench/bench.h"
#include "tests/bench/heap.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(1);
constexpr size_t kRequests = 2'000'000;
constexpr size_t kChunks = kRequests / kMaxChunkRequests;
constexpr int kBand = kBands - 1;
constexpr uint64_t kWriter = 1;
constexpr std::string_view kDomain = "huge.com";
constexpr double kMegabyte = 1 << 20;

std::string UrlOf(size_t number) {
  return fmt::format("https://www.huge.com/articles/2026/11/{:08}/a-title-of-usual-length", number);
}

// Looks at the heap while a call's answer is in memory.
class SampledStore : public MemoryStore {
 public:
  explicit SampledStore(MemoryTables* tables) : MemoryStore(tables, {}) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    RETURN_IF_ERROR(MemoryStore::MultiGet(table, gets, timeout, rows));
    most = std::max(most, HeapBytes());
    return absl::OkStatus();
  }
  // The store's own bytes are not the worker's memory.
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    most = std::max(most, HeapBytes());
    return MemoryStore::Write(table, puts, timeout, remaining);
  }

  size_t most = 0;
};

class HugeQueue {
 public:
  HugeQueue() {
    ConfigureLog({.level = LogLevel::kWarning});
    CHECK_OK(bus_.EnsureTopics(*ProductTopics({.partitions = 1}), kTimeout).status());
    CHECK_OK(SaveTopicRecord(store_, {.topic_epoch = 1, .partitions = 1}, kTimeout));
    producer_ = *bus_.NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
    Fill();
    DbWorkerSetup setup;
    setup.name = "bench";
    // Its own marker in the feed is more, so nothing leaves.
    setup.options.feed.low_lag = 1;
    setup.options.chunk_cache_bytes = 64 << 20;
    auto made = DbWorkerCore::Create(bus_, store_, SystemClock(), metrics_, setup);
    CHECK_OK(made.status());
    core_ = *std::move(made);
    while (core_->Report().empty()) CHECK_OK(core_->Step(Duration::zero()));
  }

  // `count` messages in one batch, each of a URL of another chunk.
  void Act(ScheduleAction action, size_t count, BenchReport& report) {
    for (size_t i = 0; i < count; ++i) {
      const size_t chunk = next_chunk_++ % kChunks;
      Append(action, UrlOf(kRequests - 1 - chunk * kMaxChunkRequests));
    }
    CHECK_OK(producer_->Flush(kTimeout));
    const uint64_t wanted = metrics_.taken_out.value() + count;
    const size_t heap = HeapBytes();
    store_.most = 0;
    double longest = 0;
    size_t steps = 0;
    const CpuTimer timer;
    for (; metrics_.taken_out.value() < wanted || steps < 3; ++steps) {
      const CpuTimer step;
      CHECK_OK(core_->Step(Duration::zero()));
      longest = std::max(longest, step.WallSeconds());
    }
    const std::string name = fmt::format(
        "huge_queue_{}_{}", action == ScheduleAction::kRaise ? "raise" : "delete", count);
    report.Add(
        name, timer.CpuSeconds() * 1000, "cpu_ms", timer.CpuSeconds(), timer.WallSeconds(),
        fmt::format("CPU: parsing of chunks; {} steps, the longest {:.2f} s", steps, longest));
    report.Add(name + "_peak",
               static_cast<double>(store_.most - std::min(store_.most, heap)) / kMegabyte, "MB",
               timer.CpuSeconds(), timer.WallSeconds(), "memory: a portion of chunks");
  }

 private:
  void Put(std::string_view column, std::string_view value) {
    const std::string row = DomainRow(kDomain);
    const CellPut cell{column, value};
    const RowPut put{row, Version(1), {&cell, 1}};
    std::vector<uint32_t> remaining;
    CHECK_OK(store_.Write(Table::kQueue, {&put, 1}, kTimeout, &remaining));
  }

  void Fill() {
    Head head;
    Band& band = head.bands[kBand];
    for (size_t n = 0; n < kChunks; ++n) {
      ChunkWriter writer;
      for (size_t i = 0; i < kMaxChunkRequests; ++i) {
        const std::string url = UrlOf(n * kMaxChunkRequests + i);
        std::string encoded;
        EncodeRequest({.url = url, .fingerprint = FingerprintOf(url)}, &encoded);
        writer.Add(encoded);
      }
      band.Append(kMaxChunkRequests, kWriter);
      Put(BandColumn(head, kBand, n), writer.Finish().bytes());
    }
    band.waiting = kRequests;
    std::string packed;
    EncodeHead(head, &packed);
    Put(kHeadColumn, packed);
  }

  void Append(ScheduleAction action, const std::string& url) {
    const ScheduledRequest request{
        .url = url, .fingerprint = FingerprintOf(url), .score = 1, .action = action};
    const auto value =
        Encode(ScoringLogEntry{.epoch = Offset(0),
                               .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                         .source_offset = Offset(next_source_++),
                                                         .domain = kDomain,
                                                         .requests = {&request, 1}}},
               &buffer_);
    CHECK_OK(value.status());
    CHECK_OK(producer_->Send({kScoringLogTopic, PartitionId(0), kDomain, *value, {}}, 0));
  }

  MemoryBroker broker_;
  MemoryBus bus_{&broker_, {}};
  MemoryTables tables_;
  SampledStore store_{&tables_};
  MetricRegistry registry_;
  DbWorkerMetrics metrics_{registry_};
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<DbWorkerCore> core_;
  EncodeBuffer buffer_;
  int64_t next_source_ = 1;
  size_t next_chunk_ = 0;
};

void HugeQueueBench(BenchReport& report) {
  HugeQueue queue;
  for (const ScheduleAction action : {ScheduleAction::kRaise, ScheduleAction::kDelete}) {
    for (const size_t count : {size_t{1}, size_t{1000}}) queue.Act(action, count, report);
  }
}

ORBWEAVER_BENCH("huge_queue", HugeQueueBench);

}  // namespace
}  // namespace orbweaver
