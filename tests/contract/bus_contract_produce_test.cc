// Producing, offsets and topics.
#include <map>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/base/random.h"
#include "common/base/status.h"
#include "tests/contract/bus_contract.h"

namespace orbweaver {
namespace {

TEST_P(BusContract, KeepsTheOrderOfEachPartitionAndAcksEachRecordOnceWithItsOffset) {
  constexpr int kPartitions = 4, kRecords = 2000;
  const std::string topic = MakeTopic(kPartitions);
  AckedProducer producer(bus());
  for (int i = 0; i < kRecords; ++i) {
    const std::string value = std::to_string(i);
    // In no regular pattern.
    const PartitionId partition(i * i % 7 % kPartitions);
    ASSERT_OK(producer->Send({topic, partition, "k", value, {}}, static_cast<uint64_t>(i)));
    if (i % 100 == 0) producer->Poll(Duration::zero());
  }
  ASSERT_OK(producer->Flush(kBusPatience));
  ASSERT_EQ(producer.acks().size(), static_cast<size_t>(kRecords));

  std::map<PartitionId, int> last;
  for (const Copied& message : ConsumeAll(topic, kPartitions)) {
    const int number = std::stoi(message.value);
    const auto [found, is_first] = last.try_emplace(message.partition, number);
    if (!is_first) EXPECT_LT(found->second, number);
    found->second = number;
    const Ack& ack = producer.acks().at(static_cast<uint64_t>(number));
    EXPECT_OK(ack.status);
    EXPECT_EQ(ack.partition.value(), message.partition.value());
    EXPECT_EQ(ack.offset.value(), message.offset.value());
  }
}

TEST_P(BusContract, DeliversAcksByPollWithoutAFlush) {
  const std::string topic = MakeTopic(1);
  AckedProducer producer(bus());
  ASSERT_OK(producer->Send({topic, PartitionId(0), "k", "v", {}}, 5));
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (producer.acks().empty() && SystemClock().Now() < deadline) producer->Poll(kBusWait);
  ASSERT_TRUE(producer.acks().contains(5));
  EXPECT_OK(producer.acks().at(5).status);
  producer->Poll(Duration::zero());
  EXPECT_OK(producer->Flush(Duration::zero()));
}

TEST_P(BusContract, DeliversNoAckBeforePollOrFlush) {
  const std::string topic = MakeTopic(1);
  AckedProducer producer(bus());
  ASSERT_OK(producer->Send({topic, PartitionId(0), "k", "v", {}}, 1));
  ConsumeAll(topic, 1);
  EXPECT_TRUE(producer.acks().empty());
  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(producer.acks().size(), 1u);
}

TEST_P(BusContract, RefusesToSendPastTheByteBudgetUntilAcksAreDelivered) {
  const std::string topic = MakeTopic(1), value(1000, 'v');
  AckedProducer producer(bus(), {.max_bytes = 10'500});
  uint64_t sent = 0;
  absl::Status status;
  while (sent < 1000) {
    status = producer->Send({topic, PartitionId(0), "", value, {}}, sent);
    if (!status.ok()) break;
    ++sent;
  }
  EXPECT_EQ(sent, 10u);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(producer.acks().size(), sent);
  // Delivered acks give all of the budget back.
  for (uint64_t i = 0; i < 10; ++i, ++sent) {
    EXPECT_OK(producer->Send({topic, PartitionId(0), "", value, {}}, sent));
  }
  ASSERT_OK(producer->Flush(kBusPatience));

  // A refused record is not in the log.
  EXPECT_EQ(ConsumeAll(topic, 1).size(), sent);
}

TEST_P(BusContract, TakesARecordLargerThanTheByteBudgetWhenItIsAlone) {
  const std::string topic = MakeTopic(1), value(5000, 'v');
  AckedProducer producer(bus(), {.max_bytes = 1000});
  ASSERT_OK(producer->Send({topic, PartitionId(0), "", value, {}}, 0));
  EXPECT_EQ(producer->Send({topic, PartitionId(0), "", "v", {}}, 1).code(),
            absl::StatusCode::kResourceExhausted);
  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(ConsumeAll(topic, 1)[0].value, value);
}

TEST_P(BusContract, SendsManyInOrderAsFarAsTheByteBudgetGoes) {
  constexpr PartitionId kTo(1);
  const std::string topic = MakeTopic(2);
  std::vector<int64_t> offsets;
  auto producer = bus().NewProducer({.max_bytes = 10'500}, [&](const Ack& ack) {
    EXPECT_OK(ack.status);
    EXPECT_EQ(ack.token, 7u);
    EXPECT_EQ(ack.partition, kTo);
    offsets.push_back(ack.offset.value());
  });
  ASSERT_OK(producer);
  std::vector<std::string> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::string(999, 'v') + std::to_string(i));
  std::vector<KeyValue> records;
  for (const std::string& value : values) records.push_back({"k", value});

  std::span<const KeyValue> left = records;
  ASSERT_OK((*producer)->Send({topic, kTo, left[0].key, left[0].value, {}}, 7));
  left = left.subspan(1);
  while (!left.empty()) {
    const auto taken = (*producer)->SendMany(topic, kTo, left, 7);
    ASSERT_OK(taken);
    ASSERT_LE(*taken, 10u);
    left = left.subspan(*taken);
    if (*taken == 0) ASSERT_OK((*producer)->Flush(kBusPatience));
  }
  ASSERT_OK((*producer)->SendMany(topic, kTo, {}, 7));
  ASSERT_OK((*producer)->Flush(kBusPatience));

  const std::vector<Copied> log = ConsumeAll(topic, 2);
  ASSERT_EQ(log.size(), values.size());
  ASSERT_EQ(offsets.size(), values.size());
  for (size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].partition, kTo);
    EXPECT_EQ(log[i].key, "k");
    EXPECT_EQ(log[i].value, values[i]);
    EXPECT_EQ(log[i].offset.value(), offsets[i]);
  }
}

TEST_P(BusContract, SendsOneOfManyThatIsLargerThanTheByteBudget) {
  const std::string topic = MakeTopic(1), large(5000, 'v');
  AckedProducer producer(bus(), {.max_bytes = 1000});
  const KeyValue records[] = {{"", large}, {"", "v"}};
  const auto taken = producer->SendMany(topic, PartitionId(0), records, 0);
  ASSERT_OK(taken);
  EXPECT_EQ(*taken, 1u);
  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(ConsumeAll(topic, 1)[0].value, large);
}

TEST_P(BusContract, LetsAnAckHandlerSend) {
  const std::string topic = MakeTopic(1);
  size_t acked = 0;
  Producer* sender = nullptr;
  auto producer = bus().NewProducer({}, [&](const Ack& ack) {
    EXPECT_OK(ack.status);
    ++acked;
    if (ack.token < 3) {
      EXPECT_OK(sender->Send({topic, PartitionId(0), "", "v", {}}, ack.token + 1));
    }
  });
  ASSERT_OK(producer);
  sender = producer->get();
  ASSERT_OK(sender->Send({topic, PartitionId(0), "", "v", {}}, 0));
  ASSERT_OK(sender->Flush(kBusPatience));
  EXPECT_EQ(acked, 4u);
}

TEST_P(BusContract, CarriesKeysValuesAndHeadersOfAnyBytes) {
  const std::string topic = MakeTopic(1);
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte.push_back(static_cast<char>(byte));
  const Header headers[] = {
      {"schema", "orbweaver.v1"}, {"bytes", every_byte}, {"empty", ""}, {"schema", "again"}};
  AckedProducer producer(bus());
  ASSERT_OK(producer->Send({topic, PartitionId(0), every_byte, every_byte, headers}, 0));
  ASSERT_OK(producer->Send({topic, PartitionId(0), "", "", {}}, 1));
  ASSERT_OK(producer->Send({topic, PartitionId(0), "key", "", {}}, 2));
  ASSERT_OK(producer->Send({topic, PartitionId(0), "", "value", {}}, 3));
  ASSERT_OK(producer->Flush(kBusPatience));
  const auto messages = ConsumeAll(topic, 1);
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0].key, every_byte);
  EXPECT_EQ(messages[0].value, every_byte);
  EXPECT_EQ(
      messages[0].headers,
      (std::vector<std::pair<std::string, std::string>>{
          {"schema", "orbweaver.v1"}, {"bytes", every_byte}, {"empty", ""}, {"schema", "again"}}));
  EXPECT_EQ(messages[1].key + messages[1].value, "");
  EXPECT_TRUE(messages[1].headers.empty());
  EXPECT_EQ(messages[2].key, "key");
  EXPECT_EQ(messages[2].value, "");
  EXPECT_EQ(messages[3].key, "");
  EXPECT_EQ(messages[3].value, "value");
}

TEST_P(BusContract, SaysWhenAMessageWasProduced) {
  const std::string topic = MakeTopic(1);
  const WallTime before = SystemClock().Wall();
  ProduceNumbers(topic, 1, 1);
  const WallTime after = SystemClock().Wall();
  const WallTime time = ConsumeAll(topic, 1)[0].time;
  EXPECT_GE(time, before);
  EXPECT_LE(time, after);
}

TEST_P(BusContract, CarriesRecordsUpToTheLimitAndRefusesLargerOnes) {
  const std::string topic = MakeTopic(1);
  std::string large(kMaxRecordBytes - 3, '\0');
  Random random(3);
  for (char& byte : large) byte = static_cast<char>(random());
  AckedProducer producer(bus());
  const absl::Status refused = producer->Send({topic, PartitionId(0), "four", large, {}}, 0);
  EXPECT_TRUE(IsFatal(refused)) << refused;
  ASSERT_OK(producer->Send({topic, PartitionId(0), "key", large, {}}, 1));
  ASSERT_OK(producer->Send({topic, PartitionId(0), "key", "after", {}}, 2));
  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(producer.failures(), 0u);
  EXPECT_FALSE(producer.acks().contains(0));
  const auto messages = ConsumeAll(topic, 1);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_TRUE(messages[0].value == large);
  EXPECT_EQ(messages[1].value, "after");
}

TEST_P(BusContract, RefusesHeadersWithoutAPrintableName) {
  const std::string topic = MakeTopic(1);
  AckedProducer producer(bus());
  for (const std::string_view name : {std::string_view(), std::string_view("line\n")}) {
    const Header header{name, "value"};
    EXPECT_TRUE(IsFatal(producer->Send({topic, PartitionId(0), "", "v", {&header, 1}}, 0)));
  }
  // Nothing was lost by that, so the next may follow.
  EXPECT_OK(producer->Send({topic, PartitionId(0), "", "v", {}}, 0));
  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(ConsumeAll(topic, 1).size(), 1u);
}

// To begin anew would be of no use.
void ExpectEndsTheWorker(const absl::Status& status) {
  EXPECT_TRUE(IsFatal(status) && !IsFenced(status)) << status;
}

TEST_P(BusContract, RefusesUnknownTopicsAndPartitions) {
  const std::string topic = MakeTopic(2), unknown = Name("unknown");
  const Record records[] = {{unknown, PartitionId(0), "", "v", {}},
                            {topic, PartitionId(2), "", "v", {}},
                            {topic, PartitionId(-1), "", "v", {}}};
  for (const Record& record : records) {
    AckedProducer producer(bus(), {.delivery_timeout = std::chrono::seconds(5)});
    const absl::Status status = producer->Send(record, 7);
    if (status.ok()) {
      EXPECT_OK(producer->Flush(kBusPatience));
      ASSERT_TRUE(producer.acks().contains(7));
      ExpectEndsTheWorker(producer.acks().at(7).status);
    } else {
      ExpectEndsTheWorker(status);
    }
    size_t refused = 0;
    auto of_many =
        bus().NewProducer({.delivery_timeout = std::chrono::seconds(5)}, [&](const Ack& ack) {
          ExpectEndsTheWorker(ack.status);
          ++refused;
        });
    ASSERT_OK(of_many);
    const KeyValue many[] = {{"", "v"}, {"", "w"}};
    const auto taken = (*of_many)->SendMany(record.topic, record.partition, many, 7);
    if (taken.ok()) {
      EXPECT_OK((*of_many)->Flush(kBusPatience));
      EXPECT_EQ(refused, *taken);
    } else {
      ExpectEndsTheWorker(taken.status());
    }
  }
  const auto count = bus().PartitionCount(unknown, kBusPatience);
  ASSERT_OK(count);
  EXPECT_EQ(*count, 0) << "refusing a topic must not create it";
}

TEST_P(BusContract, LetsManyThreadsAppendToOnePartition) {
  constexpr int kThreads = 4, kRecords = 500;
  const std::string topic = MakeTopic(1);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] { ProduceNumbers(topic, 1, kRecords, thread * kRecords); });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<int, int> last;
  std::set<int> seen;
  for (const Copied& message : ConsumeAll(topic, 1)) {
    const int number = std::stoi(message.value);
    const auto [found, is_first] = last.try_emplace(number / kRecords, number);
    if (!is_first) EXPECT_LT(found->second, number);
    found->second = number;
    seen.insert(number);
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(kThreads * kRecords));
}

TEST_P(BusContract, ReportsTheBoundsOfLogs) {
  const std::string topic = MakeTopic(2);
  auto reader = bus().NewOffsetReader();
  ASSERT_OK(reader);
  const PartitionId partitions[] = {PartitionId(1), PartitionId(0)};
  auto bounds = (*reader)->Bounds(topic, partitions, kBusPatience);
  ASSERT_OK(bounds);
  ASSERT_EQ(bounds->size(), 2u);
  EXPECT_EQ((*bounds)[0].start.value(), 0);
  EXPECT_EQ((*bounds)[0].end.value(), 0);

  AckedProducer producer(bus());
  for (uint64_t i = 0; i < 10; ++i) {
    ASSERT_OK(producer->Send({topic, PartitionId(1), "", "v", {}}, i));
    ASSERT_OK(producer->Flush(kBusPatience));
    bounds = (*reader)->Bounds(topic, partitions, kBusPatience);
    ASSERT_OK(bounds);
    EXPECT_EQ((*bounds)[0].end.value(), static_cast<int64_t>(i) + 1);
    EXPECT_EQ((*bounds)[1].end.value(), 0);
  }
  env().CutLog(topic, PartitionId(1), Offset(4));
  bounds = (*reader)->Bounds(topic, partitions, kBusPatience);
  ASSERT_OK(bounds);
  EXPECT_EQ((*bounds)[0].start.value(), 4);
  EXPECT_EQ((*bounds)[0].end.value(), 10);
}

TEST_P(BusContract, RefusesToReadOffsetsOfUnknownTopicsAndPartitions) {
  const std::string topic = MakeTopic(1), unknown = Name("unknown");
  auto reader = bus().NewOffsetReader();
  ASSERT_OK(reader);
  const PartitionId first(0), second(1);
  const auto of_topic = (*reader)->Bounds(unknown, {&first, 1}, kBusPatience);
  EXPECT_TRUE(IsFatal(of_topic.status())) << of_topic.status();
  const auto of_partition = (*reader)->Bounds(topic, {&second, 1}, kBusPatience);
  EXPECT_TRUE(IsFatal(of_partition.status())) << of_partition.status();
}

TEST_P(BusContract, CreatesTopicsOnceAndNamesWhatDiffers) {
  const std::string a = Name("a"), b = Name("b");
  const TopicSpec specs[] = {{.name = a, .partitions = 4}, {.name = b, .partitions = 1}};
  auto differences = bus().EnsureTopics({specs, 1}, kBusPatience);
  ASSERT_OK(differences);
  EXPECT_TRUE(differences->empty());
  ProduceNumbers(a, 4, 8);
  for (int i = 0; i < 2; ++i) {
    differences = bus().EnsureTopics(specs, kBusPatience);
    ASSERT_OK(differences);
    EXPECT_TRUE(differences->empty()) << (*differences)[0];
  }
  EXPECT_EQ(ConsumeAll(a, 4).size(), 8u);

  const TopicSpec larger{.name = a, .partitions = 16};
  differences = bus().EnsureTopics({&larger, 1}, kBusPatience);
  ASSERT_OK(differences);
  ASSERT_EQ(differences->size(), 1u);
  EXPECT_TRUE((*differences)[0].ends_with(a + ": 4 partitions, expected 16")) << (*differences)[0];
  const TopicSpec shorter{.name = a, .partitions = 4, .retention = std::chrono::hours(1)};
  differences = bus().EnsureTopics({&shorter, 1}, kBusPatience);
  ASSERT_OK(differences);
  ASSERT_EQ(differences->size(), 1u);
  EXPECT_NE((*differences)[0].find("retention"), std::string::npos) << (*differences)[0];

  for (const auto& [name, expected] : {std::pair(a, 4), std::pair(b, 1), std::pair(Name("c"), 0)}) {
    const auto count = bus().PartitionCount(name, kBusPatience);
    ASSERT_OK(count);
    EXPECT_EQ(*count, expected);
  }
}

}  // namespace
}  // namespace orbweaver
