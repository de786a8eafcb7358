// The whole worker on a store whose rows take time, and on one that is away: longer than its group
// waits for a silent member.
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/check.h"
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

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLong = minutes(10);
constexpr Duration kSession = seconds(6);
constexpr int kPartitions = 4;

class SlowStoreTest : public ::testing::Test {
 protected:
  // One process, its store included.
  struct Worker {
    Worker(SlowStoreTest& test, std::string name, Duration row_time,
           Duration call_time = Duration::zero(), Bus* bus = nullptr)
        : store(&test.tables_, {.virtual_time = &test.clock_,
                                .faults = {.min_latency = call_time, .row_time = row_time}}) {
      DbWorkerSetup setup{.name = name,
                          .membership = {.member = name, .session_timeout = kSession}};
      setup.options.politeness.delay = milliseconds(0);
      setup.options.feed.low_lag = setup.options.feed.target_lag;
      setup.options.checkpoint_interval = minutes(10);
      auto made = DbWorkerCore::Create(bus == nullptr ? test.bus_ : *bus, store, test.clock_,
                                       metrics, setup);
      CHECK_OK(made.status());
      core = *std::move(made);
    }
    // As its process does: it waits a little after an error.
    absl::Status Step(ManualClock& clock) {
      const absl::Status status = core->Step(Duration::zero());
      clock.Advance(status.ok() ? milliseconds(1) : seconds(2));
      return status;
    }

    MemoryStore store;
    MetricRegistry registry;
    DbWorkerMetrics metrics{registry};
    std::unique_ptr<DbWorkerCore> core;
  };

  SlowStoreTest() {
    CHECK_OK(bus_.EnsureTopics(*ProductTopics({.partitions = kPartitions}), kLong).status());
    CHECK_OK(SaveTopicRecord(store_, {.topic_epoch = 1, .partitions = kPartitions}, kLong));
    producer_ = *bus_.NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
  }

  static PartitionId PartitionOfDomain(const std::string& domain) {
    return PartitionOf(SlotOf(domain), kPartitions);
  }

  // As a queue of long ago left them.
  void PutHeads(int count) {
    Head head;
    head.applied = {1, Offset(0), 0};
    std::string packed;
    EncodeHead(head, &packed);
    for (int i = 0; i < count; ++i) {
      const std::string row = DomainRow(fmt::format("old{}.com", i));
      const CellPut cell{kHeadColumn, packed};
      const RowPut put{row, Version(1), {&cell, 1}};
      std::vector<uint32_t> remaining;
      CHECK_OK(store_.Write(Table::kQueue, {&put, 1}, kLong, &remaining));
    }
  }

  // Chunks of one request each in the last band, likewise: of /0, /1 and so on.
  void PutQueue(const std::string& domain, int count) {
    const std::string row = DomainRow(domain);
    Head head;
    head.applied = {1, Offset(0), 0};
    Band& band = head.bands[kBands - 1];
    for (int i = 0; i < count; ++i) band.Append(1, /*writer=*/1);
    band.waiting = static_cast<uint64_t>(count);
    std::string packed;
    EncodeHead(head, &packed);
    std::vector<uint32_t> remaining;
    for (int i = 0; i <= count; ++i) {
      const std::string url = fmt::format("http://{}/{}", domain, i);
      std::string encoded;
      EncodeRequest({.url = url, .fingerprint = FingerprintOf(url)}, &encoded);
      ChunkWriter writer;
      writer.Add(encoded);
      const Chunk chunk = writer.Finish();
      const std::string column = BandColumn(head, kBands - 1, static_cast<uint64_t>(i));
      const CellPut cell =
          i < count ? CellPut{column, chunk.bytes()} : CellPut{kHeadColumn, packed};
      const RowPut put{row, Version(1), {&cell, 1}};
      CHECK_OK(store_.Write(Table::kQueue, {&put, 1}, kLong, &remaining));
    }
  }

  void Schedule(const std::string& domain) {
    const std::string url = "http://" + domain + "/" + std::to_string(next_source_);
    Schedule(domain, {.url = url, .fingerprint = FingerprintOf(url), .score = 0.5});
  }

  void Schedule(const std::string& domain, const ScheduledRequest& request) {
    const auto value =
        Encode(ScoringLogEntry{.epoch = Offset(0),
                               .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                         .source_offset = Offset(++next_source_),
                                                         .domain = domain,
                                                         .requests = {&request, 1}}},
               &buffer_);
    CHECK_OK(value.status());
    CHECK_OK(producer_->Send({kScoringLogTopic, PartitionOfDomain(domain), domain, *value, {}}, 0));
    CHECK_OK(producer_->Flush(kLong));
  }

  Offset End(int partition) {
    const PartitionId id(partition);
    return (*(*bus_.NewOffsetReader())->Bounds(kSpiderFeedTopic, {&id, 1}, kLong))[0].end;
  }

  static size_t Domains(const Worker& worker) {
    size_t domains = 0;
    for (const PartitionReport& report : worker.core->Report()) domains += report.domains;
    return domains;
  }

  // Steps them in turns until they have all partitions among them.
  void TakeOver(std::vector<Worker*> workers) {
    for (int i = 0; i < 500; ++i) {
      size_t owned = 0;
      bool settled = true;
      for (Worker* const worker : workers) {
        CHECK_OK(worker->Step(clock_));
        owned += worker->core->Report().size();
        settled = settled && worker->core->coming() == 0 && !worker->core->Report().empty();
      }
      if (settled && owned == kPartitions) return;
    }
    ADD_FAILURE() << "not taken over";
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryTables tables_;
  MemoryBus bus_{&broker_, {}};
  MemoryStore store_{&tables_, {}};
  std::unique_ptr<Producer> producer_;
  EncodeBuffer buffer_;
  int64_t next_source_ = 0;
};

TEST_F(SlowStoreTest, ATakeOverThatTakesTenSessionsIsDoneOnceAndTold) {
  PutHeads(3000);
  Worker worker(*this, "a", milliseconds(20));
  uint64_t heads = 0;
  CHECK_OK(worker.Step(clock_));
  for (int i = 0; i < 100 && worker.core->coming() > 0; ++i) {
    EXPECT_GE(worker.core->heads_read(), heads);
    heads = std::max(heads, worker.core->heads_read());
    CHECK_OK(worker.Step(clock_));
  }
  EXPECT_EQ(worker.core->coming(), 0u);
  EXPECT_GT(heads, 2000u);
  EXPECT_EQ(Domains(worker), 3000u);
  EXPECT_EQ(worker.metrics.take_overs.value(), kPartitions);
  for (int p = 0; p < kPartitions; ++p) EXPECT_EQ(End(p), Offset(1)) << "one marker";
}

TEST_F(SlowStoreTest, TimeOfTheStoreAndTheBusIsNoWorkOfTheWorkers) {
  PutHeads(300);
  MemoryBus bus(&broker_,
                {.faults = {.max_ack_delay = milliseconds(100), .max_latency = milliseconds(100)}});
  Worker worker(*this, "a", milliseconds(20), milliseconds(100), &bus);
  TakeOver({&worker});
  const StageTimes& stage = worker.metrics.stage;
  EXPECT_GT(stage.waits_for_output.value(), 300 * 0.02);
  const double busy = stage.busy.value();  // of taking over
  Schedule("new.com");
  for (int i = 0; i < 20 && worker.metrics.requests_sent.value() == 0; ++i) {
    CHECK_OK(worker.Step(clock_));
  }
  for (int i = 0; i < 20; ++i) CHECK_OK(worker.Step(clock_));  // looks at the feed
  EXPECT_EQ(worker.metrics.requests_sent.value(), 1u);
  EXPECT_EQ(stage.busy.value(), busy) << "the clock stands still while the worker works";
}

TEST_F(SlowStoreTest, WhatAWorkerHasIsServedWhileItTakesMoreOver) {
  Worker worker(*this, "a", milliseconds(20));
  auto other = std::make_unique<Worker>(*this, "b", Duration::zero());
  TakeOver({&worker, other.get()});
  const uint64_t take_overs = worker.metrics.take_overs.value();
  PutHeads(3000);
  other.reset();  // the group finds out by its silence
  for (int i = 0; i < 20 && worker.core->coming() == 0; ++i) {
    clock_.Advance(seconds(1));
    CHECK_OK(worker.Step(clock_));
  }
  ASSERT_EQ(worker.core->coming(), kPartitions / 2u);
  const PartitionId mine = worker.core->Report().front().partition;
  int scheduled = 0;
  for (int i = 0; i < 500 && worker.core->coming() > 0; ++i) {
    if (i % 10 == 0 && scheduled < 10) {
      for (int n = 0; scheduled <= i / 10; ++n) {
        const std::string domain = fmt::format("new{}-{}.com", i, n);
        if (PartitionOfDomain(domain) != mine) continue;
        Schedule(domain);
        ++scheduled;
      }
    }
    CHECK_OK(worker.Step(clock_));
    clock_.Advance(milliseconds(100));
  }
  EXPECT_EQ(worker.core->coming(), 0u);
  EXPECT_EQ(worker.metrics.take_overs.value() - take_overs, kPartitions / 2u);
  EXPECT_EQ(scheduled, 10);
  EXPECT_EQ(worker.metrics.requests_sent.value(), 10u);
  EXPECT_GE(Domains(worker), 3000u / 4 * 2);
}

TEST_F(SlowStoreTest, ARebalanceInTheMiddleOfATakeOverKeepsWhatStays) {
  PutHeads(3000);
  Worker worker(*this, "a", milliseconds(20));
  for (int i = 0; i < 100 && worker.core->heads_read() < 2000; ++i) CHECK_OK(worker.Step(clock_));
  ASSERT_GE(worker.core->heads_read(), 2000u);
  Worker other(*this, "b", Duration::zero());
  CHECK_OK(other.Step(clock_));
  const uint64_t heads = worker.core->heads_read();
  CHECK_OK(worker.Step(clock_));
  EXPECT_EQ(worker.core->coming(), kPartitions / 2u);
  EXPECT_GE(worker.core->heads_read(), heads) << "begun anew";
  TakeOver({&worker, &other});
  EXPECT_EQ(Domains(worker) + Domains(other), 3000u);
  for (const PartitionReport& report : worker.core->Report()) {
    EXPECT_EQ(End(report.partition.value()), Offset(1));
  }
}

TEST_F(SlowStoreTest, AnEnqueueThatTakesTenSessionsCostsNoPartition) {
  Worker worker(*this, "a", milliseconds(50));
  TakeOver({&worker});
  for (int i = 0; i < 1200; ++i) Schedule(fmt::format("new{}.com", i));
  for (int i = 0; i < 500 && worker.metrics.requests_sent.value() < 1200; ++i) {
    const absl::Status status = worker.Step(clock_);
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
  }
  EXPECT_EQ(worker.metrics.requests_sent.value(), 1200u);
  EXPECT_EQ(worker.metrics.take_overs.value(), kPartitions);
}

// As of the largest domains: reading its queue takes several sessions, marking what was raised too.
TEST_F(SlowStoreTest, ARaiseThatSearchesForTenSessionsCostsNoPartition) {
  constexpr int kQueued = 10'000;
  PutQueue("huge.com", kQueued);
  Worker worker(*this, "a", Duration::zero(), milliseconds(900));
  TakeOver({&worker});
  std::vector<std::string> urls;
  for (int i = kQueued / 2; i < kQueued; i += 3)
    urls.push_back(fmt::format("http://huge.com/{}", i));
  for (const std::string& url : urls) {
    Schedule("huge.com", {.url = url,
                          .fingerprint = FingerprintOf(url),
                          .score = 1,
                          .action = ScheduleAction::kRaise});
  }
  const SteadyTime began = clock_.Now();
  for (int i = 0; i < 500 && worker.metrics.taken_out.value() < urls.size(); ++i) {
    const absl::Status status = worker.Step(clock_);
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
  }
  EXPECT_EQ(worker.metrics.taken_out.value(), urls.size());
  EXPECT_EQ(worker.metrics.take_overs.value(), kPartitions);
  EXPECT_GT(clock_.Now() - began, 5 * kSession);
  for (int i = 0; i < 50; ++i) CHECK_OK(worker.Step(clock_));
  const DomainReport report = *worker.core->Inspect("huge.com");
  EXPECT_EQ(report.waiting[0] + report.waiting[kBands - 1] + worker.metrics.requests_sent.value(),
            kQueued);
  EXPECT_GT(report.waiting[0], 0u);
  EXPECT_EQ(worker.metrics.take_overs.value(), kPartitions);
}

TEST_F(SlowStoreTest, AStoreThatIsAwayForTenMinutesCostsNoPartition) {
  Worker worker(*this, "a", Duration::zero());
  TakeOver({&worker});
  for (int i = 0; i < 100; ++i) Schedule(fmt::format("new{}.com", i));
  tables_.SetAvailable(false);
  for (int i = 0; i < 300; ++i) {
    const absl::Status status = worker.Step(clock_);
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
  }
  tables_.SetAvailable(true);
  for (int i = 0; i < 10; ++i) CHECK_OK(worker.Step(clock_));
  EXPECT_EQ(worker.metrics.requests_sent.value(), 100u);
  EXPECT_EQ(worker.metrics.take_overs.value(), kPartitions);
}

// The group waits for a member that gives partitions away, and not for ever.
TEST_F(SlowStoreTest, PartitionsAreGivenAwayInTimeHoweverMuchIsToBeWritten) {
  Worker worker(*this, "a", milliseconds(50));
  TakeOver({&worker});
  for (int i = 0; i < 1000; ++i) Schedule(fmt::format("new{}.com", i));
  for (int i = 0; i < 500 && worker.metrics.requests_sent.value() < 1000; ++i) {
    const absl::Status status = worker.Step(clock_);
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
  }
  ASSERT_EQ(worker.metrics.requests_sent.value(), 1000u);
  const SteadyTime began = clock_.Now();
  worker.core->Close();
  EXPECT_LT(clock_.Now() - began, kSession);
  clock_.Advance(kSession);
  Worker other(*this, "b", Duration::zero());
  TakeOver({&other});
  EXPECT_GE(other.metrics.read_back.value(), 1000u);
  for (int i = 0; i < 20; ++i) CHECK_OK(other.Step(clock_));
  EXPECT_EQ(other.metrics.requests_sent.value(), 0u);
}

}  // namespace
}  // namespace orbweaver
