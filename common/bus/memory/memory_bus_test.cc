// The injected faults, one case each on one broker: a little past 400 lines for that.
// tests/contract covers the bus without faults.
#include "common/bus/memory/memory_bus.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(10);
constexpr Duration kSession = std::chrono::seconds(45);
constexpr PartitionId kFirst(0), kSecond(1);

// A topic of two partitions, in virtual time.
class MemoryBusTest : public ::testing::Test {
 protected:
  MemoryBusTest() {
    const TopicSpec spec{.name = "t", .partitions = 2};
    EXPECT_TRUE(healthy_.EnsureTopics({&spec, 1}, kLong).ok());
  }

  std::unique_ptr<Producer> NewProducer(Bus& bus) {
    return *bus.NewProducer({}, [this](const Ack& ack) { acks_.push_back(ack); });
  }
  static void Send(Producer& producer, PartitionId partition, std::string_view value) {
    EXPECT_TRUE(producer.Send({"t", partition, "", value, {}}, 0).ok());
  }
  std::vector<LogBounds> Bounds() {
    const PartitionId partitions[] = {kFirst, kSecond};
    return *(*healthy_.NewOffsetReader())->Bounds("t", partitions, kLong);
  }
  std::optional<CommittedOffset> Committed(PartitionId partition) {
    return (*(*healthy_.NewOffsetReader())->Committed("g", "t", {&partition, 1}, kLong))[0];
  }
  Duration Elapsed() const { return clock_.Now() - SteadyTime(); }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus healthy_{&broker_, {}};
  std::vector<Ack> acks_;
};

// Reads as a worker does; every message and callback becomes a word of `trace`.
class Reader : public RebalanceListener {
 public:
  explicit Reader(Bus& bus) : consumer_(*bus.NewConsumer({.group = "g"})) {
    EXPECT_TRUE(consumer_->Subscribe("t", this).ok());
  }

  absl::Status Step(Duration timeout = Duration::zero()) {
    MessageBatch batch;
    const absl::Status status = consumer_->Poll({.max_messages = 5}, timeout, &batch);
    for (const Message& message : batch.messages()) {
      EXPECT_EQ(positions_.at(message.partition), message.offset);
      positions_.at(message.partition) = message.offset + 1;
      values_.emplace_back(message.value);
      trace_ += " " + values_.back();
    }
    return status;
  }
  absl::Status Commit(PartitionId partition) {
    const OffsetCommit commit{partition, positions_.at(partition), ""};
    return consumer_->Commit({&commit, 1}, kLong);
  }

  void OnAssigned(std::span<const AssignedPartition> partitions) override {
    for (const AssignedPartition& assigned : partitions) {
      trace_ += fmt::format(" +{}", assigned.partition);
      positions_[assigned.partition] = assigned.position;
    }
  }
  void OnRevoked(std::span<const PartitionId> partitions) override {
    for (const PartitionId partition : partitions) {
      trace_ += fmt::format(" -{}:{}", partition, static_cast<int>(Commit(partition).code()));
      positions_.erase(partition);
    }
  }
  void OnLost(std::span<const PartitionId> partitions) override {
    for (const PartitionId partition : partitions) {
      trace_ += fmt::format(" !{}", partition);
      positions_.erase(partition);
    }
  }

  size_t owned() const { return positions_.size(); }
  const std::vector<std::string>& values() const { return values_; }
  const std::string& trace() const { return trace_; }

 private:
  std::map<PartitionId, Offset> positions_;
  std::vector<std::string> values_;
  std::string trace_;
  std::unique_ptr<Consumer> consumer_;
};

// Everything that can be seen of a run in which all kinds of faults happen.
std::string Trace(uint64_t seed) {
  ManualClock clock;
  MemoryBroker broker(&clock);
  BusFaults faults{.seed = seed,
                   .max_append_delay = std::chrono::seconds(2),
                   .max_ack_delay = std::chrono::seconds(2),
                   .lost_record = 0.01,
                   .max_latency = std::chrono::milliseconds(10),
                   .unavailable = 0.05,
                   .rebalance = 0.05,
                   .eviction = 0.05,
                   .mix_partitions = true};
  MemoryBus first_bus(&broker, {.faults = faults});
  faults.seed += 1000;
  MemoryBus second_bus(&broker, {.faults = faults});
  const TopicSpec spec{.name = "t", .partitions = 4};
  while (!first_bus.EnsureTopics({&spec, 1}, kLong).ok()) continue;
  std::string trace;
  Reader first(first_bus), second(second_bus);
  auto on_ack = [&](const Ack& ack) {
    trace += fmt::format(" {}@{}:{}", ack.token, ack.offset, static_cast<int>(ack.status.code()));
  };
  auto producer = *first_bus.NewProducer({}, on_ack);
  for (uint64_t i = 0; i < 200; ++i) {
    const PartitionId partition(static_cast<int32_t>(i % 4));
    const std::string value = std::to_string(i);
    if (!producer->Send({"t", partition, "", value, {}}, i).ok()) {
      producer = *first_bus.NewProducer({}, on_ack);
    }
    producer->Poll(std::chrono::milliseconds(300));
    (void)first.Step();
    (void)second.Step();
    trace += fmt::format(" {}", clock.Now().time_since_epoch().count());
  }
  return trace + first.trace() + second.trace();
}

TEST_F(MemoryBusTest, RepeatsARunOfTheSameSeedAndNotThatOfAnother) {
  EXPECT_EQ(Trace(1), Trace(1));
  EXPECT_NE(Trace(1), Trace(2));
}

TEST_F(MemoryBusTest, DelaysRecordsAndAcksInVirtualTimeAndWaitsNoLongerThanTheyTake) {
  MemoryBus slow(&broker_, {.faults = {.seed = 5,
                                       .max_append_delay = std::chrono::seconds(10),
                                       .max_ack_delay = std::chrono::seconds(10)}});
  auto producer = NewProducer(slow);
  Send(*producer, kFirst, "v");
  producer->Poll(Duration::zero());
  EXPECT_TRUE(acks_.empty());
  EXPECT_EQ(Bounds()[0].end, Offset(0));
  EXPECT_EQ(producer->Flush(std::chrono::nanoseconds(1)).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(producer->Flush(kLong).ok());
  EXPECT_EQ(acks_.size(), 1u);
  EXPECT_EQ(Bounds()[0].end, Offset(1));
  EXPECT_GT(Elapsed(), Duration::zero());
  EXPECT_LE(Elapsed(), std::chrono::seconds(20));
}

TEST_F(MemoryBusTest, MovesTheClockToTheNextEventOrToTheEndOfAnIdlePoll) {
  Reader reader(healthy_);
  EXPECT_TRUE(reader.Step(kLong).ok());
  EXPECT_EQ(Elapsed(), Duration::zero()) << "there was an assignment to return at once";
  EXPECT_TRUE(reader.Step(std::chrono::seconds(7)).ok());
  EXPECT_EQ(Elapsed(), std::chrono::seconds(7));
  MemoryBus slow(&broker_, {.faults = {.max_append_delay = std::chrono::seconds(10)}});
  auto producer = NewProducer(slow);
  Send(*producer, kFirst, "v");
  EXPECT_TRUE(reader.Step(kLong).ok());
  EXPECT_EQ(reader.values().size(), 1u);
  EXPECT_LE(Elapsed(), std::chrono::seconds(17));
}

TEST_F(MemoryBusTest, LeavesAPartOfWhatADeadProducerSentInEachPartition) {
  std::set<std::pair<int64_t, int64_t>> outcomes;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto before = Bounds();
    SimulatedProcess process(nullptr);
    MemoryBus doomed(&broker_,
                     {.process = &process,
                      .faults = {.seed = seed, .max_append_delay = std::chrono::seconds(1)}});
    auto producer = NewProducer(doomed);
    for (int i = 0; i < 5; ++i) {
      Send(*producer, kFirst, "v");
      Send(*producer, kSecond, "v");
    }
    process.Kill();
    EXPECT_TRUE(IsFatal(producer->Send({"t", kFirst, "", "late", {}}, 0)));
    EXPECT_TRUE(IsFatal(producer->Flush(kLong)));
    producer.reset();
    clock_.Advance(std::chrono::seconds(1));
    const auto after = Bounds();
    outcomes.emplace(after[0].end - before[0].end, after[1].end - before[1].end);
  }
  EXPECT_TRUE(acks_.empty());
  EXPECT_GT(outcomes.size(), 15u) << "of 36 pairs of prefixes";
}

TEST_F(MemoryBusTest, FailsAProducerThatLostARecordAndAcksAllBehindItAsFailed) {
  std::set<int64_t> ends;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    acks_.clear();
    const int64_t before = Bounds()[0].end.value();
    MemoryBus lossy(
        &broker_,
        {.faults = {.seed = seed, .max_append_delay = std::chrono::seconds(1), .lost_record = 1}});
    auto producer = NewProducer(lossy);
    for (int i = 0; i < 3; ++i) Send(*producer, kFirst, "v");
    EXPECT_TRUE(producer->Flush(kLong).ok());
    EXPECT_EQ(acks_.size(), 3u);
    for (const Ack& ack : acks_) EXPECT_TRUE(IsFatal(ack.status));
    EXPECT_TRUE(IsFatal(producer->Send({"t", kFirst, "", "next", {}}, 0)));
    ends.insert(Bounds()[0].end.value() - before);
  }
  EXPECT_TRUE(ends.contains(0)) << "never missing from the log";
  EXPECT_GT(ends.size(), 1u) << "never in the log";
}

TEST_F(MemoryBusTest, GivesRecordsUpWhenTheBrokerIsAwayForTooLong) {
  auto producer = NewProducer(healthy_);
  broker_.SetAvailable(false);
  Send(*producer, kFirst, "v");
  EXPECT_EQ(producer->Flush(std::chrono::minutes(1)).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(producer->Flush(kLong).ok());
  ASSERT_EQ(acks_.size(), 1u);
  EXPECT_TRUE(IsFenced(acks_[0].status));
  EXPECT_EQ(Elapsed(), kDefaultDeliveryTimeout);
}

TEST_F(MemoryBusTest, DiesBeforeOrAfterACommitAndSaysNoGoodbye) {
  for (const std::string_view dies_at : {"before commit", "after commit"}) {
    const auto before = Committed(kFirst);
    auto producer = NewProducer(healthy_);
    Send(*producer, kFirst, "v");
    SimulatedProcess process([&](std::string_view point) { return point == dies_at; });
    MemoryBus doomed(&broker_, {.process = &process});
    auto reader = std::make_unique<Reader>(doomed);
    while (reader->owned() < 2) ASSERT_TRUE(reader->Step(kSession).ok());
    ASSERT_TRUE(reader->Step().ok());
    EXPECT_THROW((void)reader->Commit(kFirst), SimulatedCrash);
    EXPECT_TRUE(IsFatal(reader->Commit(kFirst)));
    EXPECT_TRUE(IsFatal(reader->Step()));
    const auto after = Committed(kFirst);
    if (dies_at == "before commit") {
      EXPECT_FALSE(before.has_value() || after.has_value());
    } else {
      EXPECT_TRUE(after.has_value());
    }
    reader.reset();
    // Its partitions are free when it has been silent for long enough, not sooner.
    const SteadyTime died = clock_.Now();
    Reader next(healthy_);
    while (next.owned() < 2) ASSERT_TRUE(next.Step(kSession).ok());
    EXPECT_GE(clock_.Now() - died, kSession);
  }
}

TEST_F(MemoryBusTest, LetsAnotherWorkerTakeOverWhileOneIsFrozenBetweenTwoActions) {
  std::unique_ptr<Reader> successor;
  bool frozen = false;
  SimulatedProcess process([&](std::string_view point) {
    if (point != "before commit" || frozen) return false;
    frozen = true;
    successor = std::make_unique<Reader>(healthy_);
    clock_.Advance(kSession);
    while (successor->owned() < 2) EXPECT_TRUE(successor->Step(kSession).ok());
    return false;
  });
  MemoryBus bus(&broker_, {.process = &process});
  Reader zombie(bus);
  EXPECT_TRUE(zombie.Step().ok());
  EXPECT_TRUE(IsFenced(zombie.Commit(kFirst)));
  EXPECT_FALSE(Committed(kFirst).has_value());
  EXPECT_TRUE(zombie.Step().ok());
  EXPECT_EQ(zombie.trace(), " +0 +1 !0 !1");
}

TEST_F(MemoryBusTest, ARecordThatIsPutIntoALogIsReadAsOneThatWasSent) {
  std::string value = "a value", header_value = "its header";
  const Header header{"name", header_value};
  const auto put = [&](RecordBytes bytes) {
    return broker_.Append({"t", kFirst, "key", value, {&header, 1}}, bytes);
  };
  EXPECT_TRUE(put(RecordBytes::kCopied).ok());
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_TRUE(put(RecordBytes::kBorrowed).ok());
  EXPECT_TRUE(IsFatal(broker_.Append({"none", kFirst, "", "", {}}, RecordBytes::kCopied)));
  const std::string too_large(kMaxRecordBytes + 1, 'x');
  EXPECT_TRUE(IsFatal(broker_.Append({"t", kFirst, "", too_large, {}}, RecordBytes::kBorrowed)));
  // A copy does not change with the bytes that it was made from; what is borrowed is no copy.
  value[0] = header_value[0] = '-';

  const auto consumer = *healthy_.NewConsumer({.group = "g"});
  const AssignedPartition from{.partition = kFirst, .position = Offset(0)};
  ASSERT_TRUE(consumer->Assign("t", {&from, 1}).ok());
  MessageBatch batch;
  ASSERT_TRUE(consumer->Poll({}, Duration::zero(), &batch).ok());
  ASSERT_EQ(batch.messages().size(), 2u);
  const Message& copied = batch.messages()[0];
  EXPECT_EQ(copied.key, "key");
  EXPECT_EQ(copied.value, "a value");
  ASSERT_EQ(copied.headers.size(), 1u);
  EXPECT_EQ(copied.headers[0].name, "name");
  EXPECT_EQ(copied.headers[0].value, "its header");
  const Message& borrowed = batch.messages()[1];
  EXPECT_EQ(borrowed.offset, Offset(1));
  EXPECT_EQ(borrowed.time - copied.time, std::chrono::seconds(1));
  EXPECT_EQ(borrowed.value.data(), value.data());
  EXPECT_EQ(borrowed.headers.data(), &header);
}

TEST_F(MemoryBusTest, LosesTheAnswerOfACommitThatHappened) {
  MemoryBus bus(&broker_, {.faults = {.lost_answer = 1}});
  Reader reader(bus);
  EXPECT_TRUE(reader.Step().ok());
  EXPECT_EQ(reader.Commit(kFirst).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(Committed(kFirst).has_value());
}

TEST_F(MemoryBusTest, TakesLatencyFromTheVirtualClockAndTimesOutOnIt) {
  MemoryBus bus(&broker_, {.faults = {.max_latency = std::chrono::seconds(10)}});
  auto reader = *bus.NewOffsetReader();
  int late = 0;
  for (int i = 0; i < 100; ++i) {
    const SteadyTime start = clock_.Now();
    const auto bounds = reader->Bounds("t", {&kFirst, 1}, std::chrono::seconds(5));
    EXPECT_LE(clock_.Now() - start, std::chrono::seconds(5));
    if (!bounds.ok()) ++late;
  }
  EXPECT_GT(late, 20);
  EXPECT_LT(late, 80);
}

TEST_F(MemoryBusTest, MixesPartitionsButKeepsTheirOrder) {
  auto producer = NewProducer(healthy_);
  for (int i = 0; i < 100; ++i) {
    Send(*producer, i % 2 == 0 ? kFirst : kSecond, std::to_string(i));
  }
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    MemoryBus bus(&broker_, {.faults = {.seed = seed, .mix_partitions = true}});
    Reader reader(bus);  // checks the order within a partition
    EXPECT_TRUE(reader.Step().ok());
    while (reader.values().size() < 100) {
      const size_t before = reader.values().size();
      ASSERT_TRUE(reader.Step().ok());
      ASSERT_GT(reader.values().size(), before);
    }
    orders.insert(reader.trace());
  }
  EXPECT_EQ(orders.size(), 10u);
}

TEST_F(MemoryBusTest, APartitionThatIsResumedLateGivesNothingAtFirstAndLosesNothing) {
  auto producer = NewProducer(healthy_);
  for (int i = 0; i < 10; ++i) Send(*producer, kFirst, std::to_string(i));
  MemoryBus bus(&broker_, {.faults = {.seed = 1, .late_resume = 1}});
  const auto consumer = *bus.NewConsumer({.group = "g"});
  const AssignedPartition from{.partition = kFirst, .position = Offset(0)};
  ASSERT_TRUE(consumer->Assign("t", {&from, 1}).ok());
  ASSERT_TRUE(consumer->SetPaused(kFirst, true).ok());
  ASSERT_TRUE(consumer->SetPaused(kFirst, false).ok());
  MessageBatch batch;
  ASSERT_TRUE(consumer->Poll({}, kLong, &batch).ok());
  EXPECT_TRUE(batch.empty());
  for (int polls = 0; polls < 4 && batch.empty(); ++polls) {
    ASSERT_TRUE(consumer->Poll({}, kLong, &batch).ok());
  }
  EXPECT_EQ(batch.messages().size(), 10u);
}

TEST_F(MemoryBusTest, LosesAndRepeatsNothingInRebalancesAtRandom) {
  const BusFaults faults{.seed = 3, .rebalance = 0.3};
  MemoryBus bus(&broker_, {.faults = faults});
  Reader first(bus), second(bus);
  auto producer = NewProducer(healthy_);
  std::multiset<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.insert(std::to_string(i));
    Send(*producer, i % 2 == 0 ? kFirst : kSecond, std::to_string(i));
    ASSERT_TRUE(first.Step().ok());
    ASSERT_TRUE(second.Step().ok());
  }
  for (int i = 0; first.values().size() + second.values().size() < 300; ++i) {
    ASSERT_LT(i, 1000);
    ASSERT_TRUE(first.Step().ok());
    ASSERT_TRUE(second.Step().ok());
  }
  std::multiset<std::string> seen(first.values().begin(), first.values().end());
  seen.insert(second.values().begin(), second.values().end());
  EXPECT_EQ(seen, expected);
  EXPECT_NE(first.trace().find('-'), std::string::npos);
}

TEST_F(MemoryBusTest, TellsAMemberThatWasTakenForDead) {
  MemoryBus bus(&broker_, {.faults = {.eviction = 1}});
  Reader reader(bus);
  EXPECT_TRUE(reader.Step().ok());
  EXPECT_EQ(reader.trace(), " +0 +1");
  EXPECT_TRUE(reader.Step().ok());
  EXPECT_EQ(reader.trace(), " +0 +1 !0 !1 +0 +1");
}

}  // namespace
}  // namespace orbweaver
