// The db worker's cores on the store in memory, with the bus mocked away: what enqueue and dequeue
// themselves cost.
#include <memory>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/topic_record.h"
#include "common/store/memory/memory_store.h"
#include "db_worker/db_worker_core.h"
#include "tests/bench/bench.h"
#include "tests/bench/queue_workload.h"

namespace orbweaver {
namespace {

constexpr int kRequests = 1'000'000;
constexpr int kBatch = 2048;
constexpr Duration kTimeout = std::chrono::minutes(1);

// The feed goes nowhere and is acked at once; it is empty, as a log whose records retention has
// deleted. Spiders have done all of it, unless they are held.
// All else is the bus in memory.
class MutedFeedBus : public Bus {
 public:
  explicit MutedFeedBus(MemoryBroker* broker) : bus_(broker, {}) {}

  absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                        AckHandler on_ack) override {
    if (!muted_) return bus_.NewProducer(options, std::move(on_ack));
    return std::make_unique<MutedProducer>(*this, std::move(on_ack));
  }
  absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) override {
    return bus_.NewConsumer(options);
  }
  absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() override {
    return std::make_unique<MutedReader>(*this);
  }
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout) override {
    return bus_.EnsureTopics(topics, timeout);
  }
  absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) override {
    return bus_.PartitionCount(topic, timeout);
  }

  void Mute() { muted_ = true; }
  // While held, spiders do nothing, so nothing is sent.
  void Hold(bool held) { held_ = held; }

 private:
  class MutedProducer : public Producer {
   public:
    MutedProducer(MutedFeedBus& bus, AckHandler on_ack) : bus_(bus), on_ack_(std::move(on_ack)) {}
    absl::Status Send(const Record& record, uint64_t token) override {
      acks_.push_back({token, record.partition, Offset(bus_.end_++), absl::OkStatus()});
      return absl::OkStatus();
    }
    void Poll(Duration) override {
      for (const Ack& ack : acks_) on_ack_(ack);
      acks_.clear();
    }
    absl::Status Flush(Duration timeout) override {
      Poll(timeout);
      return absl::OkStatus();
    }

   private:
    MutedFeedBus& bus_;
    AckHandler on_ack_;
    std::vector<Ack> acks_;
  };
  class MutedReader : public OffsetReader {
   public:
    explicit MutedReader(MutedFeedBus& bus) : bus_(bus) {}
    absl::StatusOr<std::vector<LogBounds>> Bounds(std::string_view,
                                                  std::span<const PartitionId> partitions,
                                                  Duration) override {
      return std::vector<LogBounds>(partitions.size(), {Offset(bus_.end_), Offset(bus_.end_)});
    }
    absl::StatusOr<std::vector<std::optional<CommittedOffset>>> Committed(
        std::string_view, std::string_view, std::span<const PartitionId> partitions,
        Duration) override {
      std::optional<CommittedOffset> committed;
      if (!bus_.held_) committed = {.offset = Offset(bus_.end_), .metadata = {}};
      return std::vector<std::optional<CommittedOffset>>(partitions.size(), committed);
    }

   private:
    MutedFeedBus& bus_;
  };

  MemoryBus bus_;
  bool muted_ = false;
  bool held_ = true;
  int64_t end_ = 0;  // of the feed's only partition
};

class QueueBench {
 public:
  explicit QueueBench(int domains) {
    ConfigureLog({.level = LogLevel::kWarning});
    CHECK_OK(bus_.EnsureTopics(*ProductTopics({.partitions = 1}), kTimeout).status());
    CHECK_OK(SaveTopicRecord(store_, {.topic_epoch = 1, .partitions = 1}, kTimeout));
    setup_.name = "bench";
    setup_.options.feed = {.low_lag = 1,
                           .target_lag = kBatch,
                           .max_per_domain = 64,
                           .min_domains = 128,
                           .interval = std::chrono::milliseconds(1)};
    setup_.options.politeness.delay = {};
    CHECK_OK(AppendScoringLog(bus_, {.requests = kRequests, .domains = domains}));
    bus_.Mute();
    Start();
  }

  // Drops the worker, and takes the partition over with another.
  void Start() {
    core_.reset();
    auto made = DbWorkerCore::Create(bus_, store_, clock_, metrics_, setup_);
    CHECK_OK(made.status());
    core_ = *std::move(made);
    while (core_->Report().empty()) Step();
  }

  void Enqueue() {
    while (metrics_.requests_queued.value() < kRequests) Step();
  }
  // The batches that were sent until `left` requests were left.
  uint64_t Dequeue(uint64_t left) {
    bus_.Hold(false);
    const uint64_t before = metrics_.batches.value();
    while (metrics_.requests_sent.value() + left < kRequests) {
      clock_.Advance(setup_.options.feed.interval);
      Step();
    }
    bus_.Hold(true);
    return metrics_.batches.value() - before;
  }
  double IndexBytesPerDomain() const {
    const PartitionReport report = core_->Report().front();
    return static_cast<double>(report.index_bytes) / static_cast<double>(report.domains);
  }

 private:
  void Step() { CHECK_OK(core_->Step(Duration::zero())); }

  ManualClock clock_;
  MemoryBroker broker_;
  MutedFeedBus bus_{&broker_};
  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
  DbWorkerSetup setup_;
  MetricRegistry registry_;
  DbWorkerMetrics metrics_{registry_};
  std::unique_ptr<DbWorkerCore> core_;
};

void DbWorkerBench(BenchReport& report) {
  for (const int domains : {1000, 100'000}) {
    const std::string of = "_" + std::to_string(domains) + "_domains";
    QueueBench bench(domains);
    const CpuTimer enqueue;
    bench.Enqueue();
    report.AddRate("memory_enqueue" + of, kRequests, "requests/cpu_s", enqueue,
                   "CPU: decoding, the store in memory");
    report.Add("index_bytes" + of, bench.IndexBytesPerDomain(), "bytes/domain", 0, 0,
               "memory: name, head, hash set, timer");

    const CpuTimer take_over;
    bench.Start();
    report.Add("take_over" + of, take_over.CpuSeconds(), "cpu_s", take_over.CpuSeconds(),
               take_over.WallSeconds(), "CPU: the scan of heads");

    const CpuTimer few;
    const uint64_t batches = bench.Dequeue(kRequests - 20 * kBatch);
    report.Add("batch_of_2048" + of, few.CpuSeconds() * 1000 / static_cast<double>(batches),
               "cpu_ms", few.CpuSeconds(), few.WallSeconds(), "CPU: reading chunks, encoding");
    const CpuTimer dequeue;
    bench.Dequeue(0);
    report.AddRate("memory_dequeue" + of, kRequests - 20 * kBatch, "requests/cpu_s", dequeue,
                   "CPU: encoding, the store in memory");
  }
}

ORBWEAVER_BENCH("db_worker", DbWorkerBench);

}  // namespace
}  // namespace orbweaver
