#include "tests/contract/bus_contract.h"

#include <algorithm>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"

#include "common/base/status.h"

namespace orbweaver {

uint64_t BusEnv::KillDuring(const Work& work, uint64_t kill_at) {
  uint64_t acked = 0;
  std::thread restart;
  work(bus(), [&](uint64_t count) {
    acked = count;
    if (count < kill_at || restart.joinable()) return;
    // Here, on the producer's thread: by the time another one woke up, all might have been sent.
    KillServer();
    restart = std::thread([this] { StartServer(); });
  });
  EXPECT_TRUE(restart.joinable()) << "the work ended before it was killed";
  if (restart.joinable()) restart.join();
  return acked;
}

BusContract::BusContract()
    // Drawn, since real brokers keep the topics of earlier runs; no test depends on the value.
    : unique_(SharedWithChild("TOPICS", std::to_string(std::random_device()()))),
      env_(GetParam().make()) {}

std::string BusContract::Name(std::string_view name) const {
  return "contract-" + unique_ + "-" + std::string(name);
}

std::string BusContract::MakeTopic(int partitions, std::string_view name) {
  const TopicSpec spec{.name = Name(name), .partitions = partitions};
  const auto differences = bus().EnsureTopics({&spec, 1}, kBusPatience);
  EXPECT_OK(differences);
  return spec.name;
}

void BusContract::ProduceNumbers(const std::string& topic, int partitions, int count, int first) {
  AckedProducer producer(bus());
  for (int i = first; i < first + count; ++i) {
    const std::string value = std::to_string(i);
    const Record record{topic, PartitionId(i % partitions), "key", value, {}};
    ASSERT_OK(producer->Send(record, static_cast<uint64_t>(i)));
  }
  ASSERT_OK(producer->Flush(kBusPatience));
  ASSERT_EQ(producer.acks().size(), static_cast<size_t>(count));
  ASSERT_EQ(producer.failures(), 0u);
}

std::unique_ptr<Consumer> BusContract::NewConsumer(const std::string& group,
                                                   const std::string& member) {
  auto consumer = bus().NewConsumer({.group = group, .member = member});
  EXPECT_OK(consumer);
  return std::move(consumer).value();
}

std::vector<BusContract::Copied> BusContract::Consume(Consumer& consumer, size_t count,
                                                      const PollLimits& limits) {
  std::vector<Copied> messages;
  MessageBatch batch;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (messages.size() < count && SystemClock().Now() < deadline) {
    const absl::Status status = consumer.Poll(limits, kBusWait, &batch);
    if (!status.ok() && !IsRetry(status)) {
      ADD_FAILURE() << status;
      return messages;
    }
    for (const Message& message : batch.messages()) {
      Copied& copied = messages.emplace_back(Copied{.partition = message.partition,
                                                    .offset = message.offset,
                                                    .key = std::string(message.key),
                                                    .value = std::string(message.value),
                                                    .headers = {},
                                                    .time = message.time});
      for (const Header& header : message.headers) {
        copied.headers.emplace_back(std::string(header.name), std::string(header.value));
      }
    }
  }
  EXPECT_GE(messages.size(), count);
  return messages;
}

std::vector<BusContract::Copied> BusContract::ConsumeAll(const std::string& topic, int partitions) {
  auto reader = bus().NewOffsetReader();
  EXPECT_OK(reader);
  std::vector<PartitionId> ids;
  for (int32_t i = 0; i < partitions; ++i) ids.push_back(PartitionId(i));
  const auto bounds = (*reader)->Bounds(topic, ids, kBusPatience);
  EXPECT_OK(bounds);
  size_t count = 0;
  std::vector<AssignedPartition> from;
  for (size_t i = 0; i < ids.size(); ++i) {
    count += static_cast<size_t>((*bounds)[i].end - (*bounds)[i].start);
    from.push_back({.partition = ids[i], .position = (*bounds)[i].start, .metadata = ""});
  }
  auto consumer = NewConsumer(Name("read-all"));
  EXPECT_OK(consumer->Assign(topic, from));
  return Consume(*consumer, count);
}

std::unique_ptr<Consumer> BusContract::ConsumerOfTwoCutPartitions() {
  const std::string topic = MakeTopic(2);
  ProduceNumbers(topic, 2, 40);
  for (const int32_t id : {0, 1}) env().CutLog(topic, PartitionId(id), Offset(10));
  auto consumer = NewConsumer(Name("group"));
  const AssignedPartition from[] = {
      {.partition = PartitionId(0), .position = Offset(3), .metadata = ""},
      {.partition = PartitionId(1), .position = Offset(4), .metadata = ""}};
  EXPECT_OK(consumer->Assign(topic, from));
  MessageBatch batch;
  int cuts = 0;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (cuts < 2 && SystemClock().Now() < deadline) {
    const absl::Status status = consumer->Poll({}, kBusWait, &batch);
    cuts += status.code() == absl::StatusCode::kOutOfRange;
    EXPECT_TRUE(batch.empty());
  }
  EXPECT_EQ(cuts, 2);
  return consumer;
}

AckedProducer::AckedProducer(Bus& bus, const ProducerOptions& options) {
  auto producer = bus.NewProducer(options, [this](const Ack& ack) {
    EXPECT_TRUE(acks_.emplace(ack.token, ack).second) << "token " << ack.token << " acked twice";
    if (!ack.status.ok()) ++failures_;
  });
  EXPECT_OK(producer);
  producer_ = std::move(producer).value();
}

Member::Member(Bus& bus, const std::string& topic, const ConsumerOptions& options, Owners* owners)
    : owners_(owners) {
  auto consumer = bus.NewConsumer(options);
  EXPECT_OK(consumer);
  consumer_ = std::move(consumer).value();
  EXPECT_OK(consumer_->Subscribe(topic, this));
}

Member::~Member() { Freeze(); }

void Member::Freeze() {
  for (const auto& [partition, position] : positions_) Disown(partition);
}

absl::Status Member::Step(const PollLimits& limits) {
  MessageBatch batch;
  just_assigned_.clear();
  const absl::Status status = consumer_->Poll(limits, kBusWait, &batch);
  for (const Message& message : batch.messages()) {
    // A worker has not taken the partition over yet.
    EXPECT_FALSE(just_assigned_.contains(message.partition))
        << "a message of partition " << message.partition.value()
        << " in the Poll that assigned it";
    const auto position = positions_.find(message.partition);
    if (position == positions_.end()) {
      ADD_FAILURE() << "a message of partition " << message.partition.value() << ", not assigned";
      continue;
    }
    EXPECT_EQ(position->second.value(), message.offset.value());
    position->second = message.offset + 1;
    received_.emplace_back(message.value);
  }
  return IsRetry(status) ? absl::OkStatus() : status;
}

absl::Status Member::Commit() {
  std::vector<OffsetCommit> commits;
  for (const auto& [partition, position] : positions_) {
    commits.push_back({partition, position, absl::StrCat("at ", position.value())});
  }
  return consumer_->Commit(commits, patience_);
}

void Member::OnAssigned(std::span<const AssignedPartition> partitions) {
  for (const AssignedPartition& assigned : partitions) {
    Member*& owner = (*owners_)[assigned.partition];
    EXPECT_TRUE(owner == nullptr || owner == this)
        << "partition " << assigned.partition.value() << " has two owners";
    owner = this;
    positions_[assigned.partition] = assigned.position;
    just_assigned_.insert(assigned.partition);
    assignments_[assigned.partition] = assigned;
  }
}

void Member::OnRevoked(std::span<const PartitionId> partitions) {
  std::vector<OffsetCommit> commits;
  for (const PartitionId partition : partitions) {
    const Offset position = positions_.at(partition);
    commits.push_back({partition, position, absl::StrCat("at ", position.value())});
  }
  const absl::Status committed = consumer_->Commit(commits, patience_);
  EXPECT_TRUE(committed.ok() || (patience_ < kBusPatience && IsRetry(committed))) << committed;
  for (const PartitionId partition : partitions) Drop(partition);
}

void Member::OnLost(std::span<const PartitionId> partitions) {
  lost_ += partitions.size();
  for (const PartitionId partition : partitions) Drop(partition);
}

void Member::Drop(PartitionId partition) {
  EXPECT_EQ(positions_.erase(partition), 1u);
  Disown(partition);
}

void Member::Disown(PartitionId partition) {
  const auto owner = owners_->find(partition);
  if (owner != owners_->end() && owner->second == this) owners_->erase(owner);
}

bool StepUntil(std::initializer_list<Member*> members, absl::FunctionRef<bool()> done) {
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (!done()) {
    if (SystemClock().Now() >= deadline || ::testing::Test::HasFailure()) return false;
    for (Member* const member : members) EXPECT_OK(member->Step());
  }
  return true;
}

}  // namespace orbweaver
