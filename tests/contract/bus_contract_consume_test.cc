// Consuming: limits, pausing, positions, commits, cut logs. Past 400 lines: the consumer's whole
// contract.
#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/base/status.h"
#include "tests/contract/bus_contract.h"

namespace orbweaver {
namespace {

AssignedPartition From(int32_t partition, int64_t position) {
  return {.partition = PartitionId(partition), .position = Offset(position), .metadata = ""};
}

TEST_P(BusContract, ReturnsNoMoreMessagesThanAskedFor) {
  const std::string topic = MakeTopic(2);
  ProduceNumbers(topic, 2, 100);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from[] = {From(0, 0), From(1, 0)};
  ASSERT_OK(consumer->Assign(topic, from));
  size_t seen = 0;
  MessageBatch batch;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (seen < 100 && SystemClock().Now() < deadline) {
    ASSERT_OK(consumer->Poll({.max_messages = 7}, kBusWait, &batch));
    EXPECT_LE(batch.messages().size(), 7u);
    seen += batch.messages().size();
  }
  EXPECT_EQ(seen, 100u);
}

TEST_P(BusContract, ReturnsNoMoreBytesThanAskedForButAtLeastOneMessage) {
  const std::string topic = MakeTopic(1), value(1000, 'v'), large(200'000, 'w');
  AckedProducer producer(bus());
  for (uint64_t i = 0; i < 20; ++i) {
    ASSERT_OK(producer->Send({topic, PartitionId(0), "", i == 10 ? large : value, {}}, i));
  }
  ASSERT_OK(producer->Flush(kBusPatience));
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from = From(0, 0);
  ASSERT_OK(consumer->Assign(topic, {&from, 1}));
  int64_t next = 0;
  MessageBatch batch;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (next < 20 && SystemClock().Now() < deadline) {
    ASSERT_OK(consumer->Poll({.max_bytes = 3500}, kBusWait, &batch));
    size_t bytes = 0;
    for (const Message& message : batch.messages()) {
      EXPECT_EQ(message.offset.value(), next++);
      bytes += message.key.size() + message.value.size();
    }
    EXPECT_TRUE(bytes <= 3500 || batch.messages().size() == 1) << bytes;
  }
  EXPECT_EQ(next, 20);
}

TEST_P(BusContract, ReturnsAnEmptyBatchWhenThereIsNothing) {
  const std::string topic = MakeTopic(1);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from = From(0, 0);
  ASSERT_OK(consumer->Assign(topic, {&from, 1}));
  MessageBatch batch;
  for (const Duration timeout : {Duration::zero(), kBusWait}) {
    EXPECT_OK(consumer->Poll({}, timeout, &batch));
    EXPECT_TRUE(batch.empty());
  }
}

TEST_P(BusContract, WakesAWaitingPollWhenAMessageComes) {
  const std::string topic = MakeTopic(1);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from = From(0, 0);
  ASSERT_OK(consumer->Assign(topic, {&from, 1}));
  MessageBatch batch;
  ASSERT_OK(consumer->Poll({}, kBusWait, &batch));
  std::thread late([&] { ProduceNumbers(topic, 1, 1); });
  const SteadyTime start = SystemClock().Now();
  const absl::Status status = consumer->Poll({}, kBusPatience, &batch);
  const Duration waited = SystemClock().Now() - start;
  late.join();
  EXPECT_OK(status);
  EXPECT_EQ(batch.messages().size(), 1u);
  // Not how fast: only that it did not wait to the end.
  EXPECT_LT(waited, kBusPatience);
}

TEST_P(BusContract, KeepsABatchReadableWhileLaterOnesArePolled) {
  const std::string topic = MakeTopic(1);
  ProduceNumbers(topic, 1, 30);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from = From(0, 0);
  ASSERT_OK(consumer->Assign(topic, {&from, 1}));
  std::vector<MessageBatch> batches;
  size_t seen = 0;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (seen < 30 && SystemClock().Now() < deadline) {
    ASSERT_OK(consumer->Poll({.max_messages = 4}, kBusWait, &batches.emplace_back()));
    seen += batches.back().messages().size();
  }
  consumer->Close(Departure::kForNow);
  consumer.reset();
  int number = 0;
  for (const MessageBatch& batch : batches) {
    for (const Message& message : batch.messages()) {
      EXPECT_EQ(message.value, std::to_string(number++));
    }
  }
  EXPECT_EQ(number, 30);
}

TEST_P(BusContract, PausesAndResumesPartitionsWithoutLosingAMessage) {
  const std::string topic = MakeTopic(2);
  ProduceNumbers(topic, 2, 200);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from[] = {From(0, 0), From(1, 0)};
  ASSERT_OK(consumer->Assign(topic, from));
  // Fetches more than it returns, so that messages of both are waiting in the client.
  const auto before = Consume(*consumer, 1, {.max_messages = 1});
  ASSERT_OK(consumer->SetPaused(PartitionId(0), true));
  size_t of_first = 0, of_second = 0;
  for (const Copied& message : before) ++(message.partition.value() == 0 ? of_first : of_second);
  const size_t paused_at = of_first;
  for (const Copied& message : Consume(*consumer, 100 - of_second, {.max_messages = 10})) {
    EXPECT_EQ(message.partition.value(), 1);
  }
  MessageBatch batch;
  ASSERT_OK(consumer->Poll({}, kBusWait, &batch));
  EXPECT_TRUE(batch.empty());
  ASSERT_OK(consumer->SetPaused(PartitionId(0), false));
  const auto after = Consume(*consumer, 100 - paused_at);
  ASSERT_EQ(after.size(), 100 - paused_at);
  EXPECT_EQ(after[0].offset.value(), static_cast<int64_t>(paused_at));
  EXPECT_TRUE(IsFenced(consumer->SetPaused(PartitionId(5), true)));
}

TEST_P(BusContract, ReadsAssignedPartitionsFromTheirPositions) {
  const std::string topic = MakeTopic(3);
  ProduceNumbers(topic, 3, 30);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition first[] = {From(0, 7), From(2, 10)};
  ASSERT_OK(consumer->Assign(topic, first));
  auto messages = Consume(*consumer, 3);
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].offset.value(), 7);
  // Again, and others: what was fetched for the earlier assignment is forgotten.
  const AssignedPartition second[] = {From(1, 8), From(0, 9)};
  ASSERT_OK(consumer->Assign(topic, second));
  messages = Consume(*consumer, 3);
  std::multiset<std::string> values;
  for (const Copied& message : messages) values.insert(message.value);
  EXPECT_EQ(values, (std::multiset<std::string>{"25", "27", "28"}));
}

TEST_P(BusContract, LeavesNoPartitionOutHoweverFullTheOthersAre) {
  const std::string topic = MakeTopic(2);
  AckedProducer producer(bus());
  uint64_t sent = 0;
  auto fill = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(producer->Send({topic, PartitionId(0), "", "full", {}}, sent++));
    }
    producer->Poll(Duration::zero());
  };
  fill(5000);
  ASSERT_OK(producer->Send({topic, PartitionId(1), "", "alone", {}}, sent++));
  ASSERT_OK(producer->Flush(kBusPatience));
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from[] = {From(0, 0), From(1, 0)};
  ASSERT_OK(consumer->Assign(topic, from));
  bool seen = false;
  MessageBatch batch;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (!seen && SystemClock().Now() < deadline) {
    // Faster than it is read.
    fill(11);
    ASSERT_OK(consumer->Poll({.max_messages = 10}, kBusWait, &batch));
    for (const Message& message : batch.messages()) seen |= message.partition == PartitionId(1);
  }
  EXPECT_TRUE(seen);
  EXPECT_OK(producer->Flush(kBusPatience));
}

TEST_P(BusContract, GivesACommitAndItsMetadataBackOnAssignment) {
  const std::string topic = MakeTopic(2), group = Name("group");
  ProduceNumbers(topic, 2, 20);
  const std::string metadata = "epoch=12;" + std::string(kMaxCommitMetadataBytes - 9, '~');
  Owners owners;
  {
    Member member(bus(), topic, {.group = group}, &owners);
    ASSERT_TRUE(StepUntil({&member}, [&] { return member.positions().size() == 2; }));
    for (const auto& [partition, assigned] : member.assignments()) {
      EXPECT_FALSE(assigned.has_commit);
      EXPECT_EQ(assigned.metadata, "");
      EXPECT_EQ(assigned.position.value(), 0);
    }
    const OffsetCommit commit{PartitionId(0), Offset(4), metadata};
    EXPECT_OK(member->Commit({&commit, 1}, kBusPatience));
    EXPECT_OK(member->Commit({}, kBusPatience));
  }
  auto reader = bus().NewOffsetReader();
  ASSERT_OK(reader);
  const PartitionId partitions[] = {PartitionId(1), PartitionId(0)};
  const auto committed = (*reader)->Committed(group, topic, partitions, kBusPatience);
  ASSERT_OK(committed);
  EXPECT_FALSE((*committed)[0].has_value());
  ASSERT_TRUE((*committed)[1].has_value());
  EXPECT_EQ((*committed)[1]->offset.value(), 4);
  EXPECT_EQ((*committed)[1]->metadata, metadata);
  const auto of_nobody = (*reader)->Committed(Name("nobody"), topic, partitions, kBusPatience);
  ASSERT_OK(of_nobody);
  EXPECT_FALSE((*of_nobody)[0].has_value() || (*of_nobody)[1].has_value());

  env().Reopen();
  Member member(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 16; }));
  const AssignedPartition& first = member.assignments().at(PartitionId(0));
  EXPECT_TRUE(first.has_commit);
  EXPECT_EQ(first.position.value(), 4);
  EXPECT_EQ(first.metadata, metadata);
  EXPECT_FALSE(member.assignments().at(PartitionId(1)).has_commit);
}

TEST_P(BusContract, RefusesMetadataThatIsTooLongOrNotPrintable) {
  const std::string topic = MakeTopic(1);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from = From(0, 0);
  ASSERT_OK(consumer->Assign(topic, {&from, 1}));
  for (const std::string& metadata : {std::string(kMaxCommitMetadataBytes + 1, 'm'),
                                      std::string("line\n"), std::string("\xff")}) {
    const OffsetCommit commit{PartitionId(0), Offset(0), metadata};
    EXPECT_TRUE(IsFatal(consumer->Commit({&commit, 1}, kBusPatience)));
  }
}

TEST_P(BusContract, GoesBackToAnOlderOffsetThatWasCommitted) {
  const std::string topic = MakeTopic(1), group = Name("group");
  ProduceNumbers(topic, 1, 10);
  Owners owners;
  {
    Member member(bus(), topic, {.group = group}, &owners);
    ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 10; }));
    for (const int64_t offset : {9, 3}) {
      const OffsetCommit commit{PartitionId(0), Offset(offset), ""};
      ASSERT_OK(member->Commit({&commit, 1}, kBusPatience));
    }
    // Takes effect at the next assignment only.
    ProduceNumbers(topic, 1, 1, 10);
    ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 11; }));
    EXPECT_EQ(member.received().back(), "10");
  }
  Member member(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 8; }));
  EXPECT_EQ(member.assignments().at(PartitionId(0)).position.value(), 3);
  EXPECT_EQ(member.received().front(), "3");
}

TEST_P(BusContract, RefusesAnUnknownTopic) {
  const std::string unknown = Name("unknown");
  Owners owners;
  class NoListener : public RebalanceListener {
    void OnAssigned(std::span<const AssignedPartition>) override { ADD_FAILURE(); }
    void OnRevoked(std::span<const PartitionId>) override { ADD_FAILURE(); }
    void OnLost(std::span<const PartitionId>) override { ADD_FAILURE(); }
  } listener;
  auto consumer = NewConsumer(Name("group"));
  absl::Status status = consumer->Subscribe(unknown, &listener);
  MessageBatch batch;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while ((status.ok() || IsRetry(status)) && SystemClock().Now() < deadline) {
    status = consumer->Poll({}, kBusWait, &batch);
  }
  EXPECT_TRUE(IsFatal(status)) << status;

  auto assigned = NewConsumer(Name("group"));
  const AssignedPartition from = From(0, 0);
  status = assigned->Assign(unknown, {&from, 1});
  while ((status.ok() || IsRetry(status)) && SystemClock().Now() < deadline) {
    status = assigned->Poll({}, kBusWait, &batch);
  }
  EXPECT_TRUE(IsFatal(status)) << status;
}

TEST_P(BusContract, ReadsNothingBeforeSubscribeOrAssignAndAfterClose) {
  const std::string topic = MakeTopic(1);
  auto consumer = NewConsumer(Name("group"));
  MessageBatch batch;
  EXPECT_TRUE(IsFatal(consumer->Poll({}, Duration::zero(), &batch)));
  const AssignedPartition from = From(0, 0);
  ASSERT_OK(consumer->Assign(topic, {&from, 1}));
  consumer->Close(Departure::kForNow);
  consumer->Close(Departure::kForNow);
  EXPECT_TRUE(IsFatal(consumer->Poll({}, Duration::zero(), &batch)));
}

TEST_P(BusContract, ReportsAPositionThatALogBegunAnewHasNotReached) {
  const std::string topic = MakeTopic(1);
  ProduceNumbers(topic, 1, 10);
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from = From(0, 500);
  ASSERT_OK(consumer->Assign(topic, {&from, 1}));
  MessageBatch batch;
  absl::Status status;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while ((status.ok() || IsRetry(status)) && SystemClock().Now() < deadline) {
    status = consumer->Poll({}, kBusWait, &batch);
    EXPECT_TRUE(batch.empty());
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
  EXPECT_NE(MessageOf(status).find("500"), std::string_view::npos) << status;
  const OffsetCommit resume{PartitionId(0), Offset(8), ""};
  ASSERT_OK(consumer->Commit({&resume, 1}, kBusPatience));
  const auto messages = Consume(*consumer, 2);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].value, "8");
}

TEST_P(BusContract, ResumesTwoCutPartitionsByOneCommit) {
  const auto consumer = ConsumerOfTwoCutPartitions();
  const OffsetCommit resume[] = {{PartitionId(0), Offset(15), ""},
                                 {PartitionId(1), Offset(18), ""}};
  ASSERT_OK(consumer->Commit(resume, kBusPatience));
  std::map<PartitionId, int64_t> first;
  for (const Copied& message : Consume(*consumer, 7)) {
    first.try_emplace(message.partition, message.offset.value());
  }
  EXPECT_EQ(first, (std::map<PartitionId, int64_t>{{PartitionId(0), 15}, {PartitionId(1), 18}}));
}

TEST_P(BusContract, APartitionStaysCutWhileAnotherResumes) {
  const auto consumer = ConsumerOfTwoCutPartitions();
  MessageBatch batch;
  for (auto [id, offset] : {std::pair(0, 15), std::pair(1, 18)}) {
    const OffsetCommit resume{PartitionId(id), Offset(offset), ""};
    ASSERT_OK(consumer->Commit({&resume, 1}, kBusPatience));
    for (const Copied& message : Consume(*consumer, static_cast<size_t>(20 - offset))) {
      EXPECT_EQ(message.partition, PartitionId(id));
      EXPECT_EQ(message.offset, Offset(offset++));
    }
    EXPECT_EQ(offset, 20);
    // Neither messages of the other one, nor the same report again.
    for (int polls = 0; polls < 5; ++polls) {
      const absl::Status status = consumer->Poll({}, kBusWait, &batch);
      EXPECT_TRUE(status.ok() || IsRetry(status)) << status;
      EXPECT_TRUE(batch.empty());
    }
  }
}

TEST_P(BusContract, ReportsALogCutAboveACommittedOffsetAndResumesWhereItIsTold) {
  const std::string topic = MakeTopic(2), group = Name("group");
  ProduceNumbers(topic, 2, 40);
  Owners owners;
  {
    Member member(bus(), topic, {.group = group}, &owners);
    ASSERT_TRUE(StepUntil({&member}, [&] { return member.positions().size() == 2; }));
    const OffsetCommit commits[] = {{PartitionId(0), Offset(5), "seen"},
                                    {PartitionId(1), Offset(5), ""}};
    ASSERT_OK(member->Commit(commits, kBusPatience));
  }
  env().CutLog(topic, PartitionId(0), Offset(12));

  Member member(bus(), topic, {.group = group}, &owners);
  absl::Status status;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (status.ok() && SystemClock().Now() < deadline) status = member.Step();
  ASSERT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
  for (const std::string& part : {topic, std::string("12"), std::string("5")}) {
    EXPECT_NE(MessageOf(status).find(part), std::string_view::npos) << status;
  }
  // Reported once; the other partition goes on, and nothing of this one comes.
  ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() >= 15; }));
  for (const std::string& value : member.received()) EXPECT_EQ(std::stoi(value) % 2, 1) << value;

  const OffsetCommit resume{PartitionId(0), Offset(12), "resumed"};
  ASSERT_OK(member->Commit({&resume, 1}, kBusPatience));
  const size_t seen = member.received().size();
  std::vector<std::string> values;
  MessageBatch batch;
  while (values.size() < 8 && SystemClock().Now() < deadline) {
    const absl::Status polled = member->Poll({}, kBusWait, &batch);
    ASSERT_TRUE(polled.ok() || IsRetry(polled)) << polled;
    for (const Message& message : batch.messages()) values.emplace_back(message.value);
  }
  EXPECT_EQ(seen, 15u);
  EXPECT_EQ(values, (std::vector<std::string>{"24", "26", "28", "30", "32", "34", "36", "38"}));
}

TEST_P(BusContract, ACutPartitionResumesHoweverSoonItIsTold) {
  const std::string topic = MakeTopic(2), group = Name("group");
  ProduceNumbers(topic, 2, 40);
  const OffsetCommit back[] = {{PartitionId(0), Offset(5), ""}, {PartitionId(1), Offset(5), ""}};
  {
    Owners owners;
    Member member(bus(), topic, {.group = group}, &owners);
    ASSERT_TRUE(StepUntil({&member}, [&] { return member.positions().size() == 2; }));
    ASSERT_OK(member->Commit(back, kBusPatience));
  }
  env().CutLog(topic, PartitionId(0), Offset(12));
  // A member's first messages may come before the report, after it or behind the resume.
  for (int round = 0; round < 20; ++round) {
    Owners owners;
    Member member(bus(), topic, {.group = group}, &owners);
    absl::Status status;
    const SteadyTime deadline = SystemClock().Now() + kBusPatience;
    while (status.ok() && SystemClock().Now() < deadline) status = member.Step();
    ASSERT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
    const OffsetCommit resume{PartitionId(0), Offset(14), ""};
    ASSERT_OK(member->Commit({&resume, 1}, kBusPatience));
    std::vector<std::string> of_cut;
    for (const Copied& message : Consume(*member, 21 - member.received().size())) {
      if (message.partition == PartitionId(0)) of_cut.push_back(message.value);
    }
    ASSERT_EQ(of_cut, (std::vector<std::string>{"28", "30", "32", "34", "36", "38"})) << round;
    ASSERT_OK(member->Commit(back, kBusPatience));
  }
}

}  // namespace
}  // namespace orbweaver
