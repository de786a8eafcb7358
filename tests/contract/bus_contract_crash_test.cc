// Restarts, and servers killed with -9.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "common/base/status.h"
#include "tests/contract/bus_contract.h"

namespace orbweaver {
namespace {

TEST_P(BusContract, RedeliversFromTheCommittedOffsetAfterARestart) {
  const std::string topic = MakeTopic(2), group = Name("group");
  ProduceNumbers(topic, 2, 40);
  {
    Owners owners;
    Member member(bus(), topic, {.group = group, .member = "worker"}, &owners);
    ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 40; }));
    const OffsetCommit commit{PartitionId(0), Offset(15), "at 15"};
    ASSERT_OK(member->Commit({&commit, 1}, kBusPatience));
  }  // dies here: no Close, nothing more committed
  env().Reopen();
  Owners owners;
  Member member(bus(), topic, {.group = group, .member = "worker"}, &owners);
  ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 25; }));
  EXPECT_EQ(member.assignments().at(PartitionId(0)).metadata, "at 15");
  EXPECT_EQ(ConsumeAll(topic, 2).size(), 40u);
}

TEST_P(BusContract, LosesNothingAckedWhenKilledInTheMiddleOfAHundredThousandRecords) {
  constexpr int kPartitions = 4;
  constexpr uint64_t kRecords = 100'000;
  // So that the byte budget holds the sender back: some 5,000 records are under way at the kill.
  const std::string topic = Name("topic"), padding(200, ' ');
  const BusEnv::Work work = [&](Bus& client, const Acked& acked) {
    const TopicSpec spec{.name = topic, .partitions = kPartitions};
    ASSERT_OK(client.EnsureTopics({&spec, 1}, kBusPatience));
    std::vector<bool> is_acked(kRecords);
    uint64_t done = 0;  // all before it are acked
    auto producer = client.NewProducer({.max_bytes = size_t{1} << 20}, [&](const Ack& ack) {
      ASSERT_OK(ack.status);
      is_acked[ack.token] = true;
    });
    ASSERT_OK(producer);
    for (uint64_t i = 0; i < kRecords;) {
      const std::string value = std::to_string(i) + padding;
      const absl::Status status = (*producer)->Send(
          {topic, PartitionId(static_cast<int32_t>(i % kPartitions)), "key", value, {}}, i);
      ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
      if (status.ok()) ++i;
      if (status.ok() && i % 1000 != 0) continue;
      (*producer)->Poll(status.ok() ? Duration::zero() : kBusWait);
      while (done < kRecords && is_acked[done]) ++done;
      acked(done);
    }
    ASSERT_OK((*producer)->Flush(kBusPatience));
    acked(kRecords);
  };
  const uint64_t acked = env().KillDuring(work, kRecords / 4);
  ASSERT_GE(acked, kRecords / 4);

  std::vector<int> seen(kRecords);
  std::map<PartitionId, uint64_t> last;
  for (const Copied& message : ConsumeAll(topic, kPartitions)) {
    const uint64_t number = std::stoull(message.value);
    ASSERT_LT(number, kRecords);
    ++seen[number];
    const auto [found, is_first] = last.try_emplace(message.partition, number);
    if (!is_first) {
      ASSERT_LT(found->second, number) << "out of order";
    }
    found->second = number;
  }
  for (uint64_t i = 0; i < kRecords; ++i) {
    ASSERT_LE(seen[i], 1) << "record " << i << " is in the log twice";
    if (i < acked) {
      ASSERT_EQ(seen[i], 1) << "record " << i << " of " << acked << " acknowledged";
    }
  }
}

// It is thawed only after the calls: one without a deadline would never come back.
TEST_P(BusContract, EveryCallComesBackInItsTimeFromAServerThatHangs) {
  const std::string topic = MakeTopic(2), group = Name("group");
  AckedProducer producer(bus());
  auto dropped = std::make_unique<AckedProducer>(bus());
  ProduceNumbers(topic, 2, 20);
  const ConsumerOptions options{
      .group = group, .session_timeout = env().ShortestSession(), .close_timeout = kBusWait};
  Owners owners;
  auto closed = std::make_unique<Member>(bus(), topic, options, &owners);
  auto destroyed = std::make_unique<Member>(bus(), topic, options, &owners);
  ASSERT_TRUE(StepUntil({closed.get(), destroyed.get()}, [&] {
    return closed->positions().size() == 1 && destroyed->positions().size() == 1;
  }));
  auto reader = bus().NewOffsetReader();
  ASSERT_OK(reader);
  const PartitionId first(0);

  for (Member* const member : {closed.get(), destroyed.get()}) member->BeImpatient();
  env().FreezeServer();
  for (AckedProducer* const sender : {&producer, dropped.get()}) {
    ASSERT_OK((*sender)->Send({topic, first, "", "meanwhile", {}}, 0));
    const absl::Status flushed = (*sender)->Flush(kBusWait);
    EXPECT_TRUE(flushed.ok() || IsRetry(flushed)) << flushed;
  }
  dropped.reset();
  for (const absl::Status& status :
       {closed->Step(), closed->Commit(), (*reader)->Bounds(topic, {&first, 1}, kBusWait).status(),
        (*reader)->Committed(group, topic, {&first, 1}, kBusWait).status(),
        bus().PartitionCount(topic, kBusWait).status()}) {
    EXPECT_TRUE(status.ok() || IsRetry(status) || IsFenced(status)) << status;
  }
  (*closed)->Close(Departure::kForNow);
  destroyed.reset();
  reader->reset();
  env().ThawServer();

  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(producer.failures(), 0u);
  Member next(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&next}, [&] { return next.positions().size() == 2; }));
}

TEST_P(BusContract, GoesOnByItselfAfterARestartOfTheServer) {
  const std::string topic = MakeTopic(2), group = Name("group");
  AckedProducer producer(bus());
  Owners owners;
  Member member(bus(), topic, {.group = group, .session_timeout = env().ShortestSession()},
                &owners);
  auto reader = bus().NewOffsetReader();
  ASSERT_OK(reader);
  ASSERT_OK(producer->Send({topic, PartitionId(0), "", "0", {}}, 0));
  ASSERT_OK(producer->Flush(kBusPatience));
  ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 1; }));

  env().KillServer();
  for (uint64_t i = 1; i <= 5; ++i) {
    ASSERT_OK(producer->Send({topic, PartitionId(0), "", absl::StrCat(i), {}}, i));
    // Errors of a server that is away are retry errors, and calls come back in time.
    const absl::Status flushed = producer->Flush(kBusWait);
    EXPECT_TRUE(flushed.ok() || IsRetry(flushed)) << flushed;
    EXPECT_EQ(flushed.ok(), producer.acks().size() == i + 1);
    EXPECT_OK(member.Step());
    const PartitionId first(0);
    const auto bounds = (*reader)->Bounds(topic, {&first, 1}, kBusWait);
    EXPECT_TRUE(bounds.ok() || IsRetry(bounds.status())) << bounds.status();
    const OffsetCommit commit{PartitionId(0), Offset(1), ""};
    if (member.positions().contains(PartitionId(0))) {
      const absl::Status committed = member->Commit({&commit, 1}, kBusWait);
      EXPECT_TRUE(committed.ok() || IsRetry(committed)) << committed;
    }
  }
  env().StartServer();
  ASSERT_OK(producer->Send({topic, PartitionId(1), "", "6", {}}, 6));
  ASSERT_OK(producer->Flush(kBusPatience));
  EXPECT_EQ(producer.acks().size(), 7u);
  EXPECT_EQ(producer.failures(), 0u);
  // A server that is away for long ends the member's session: it then gets its partitions anew, and
  // what it had not committed once more. Within one assignment Step takes nothing twice.
  const std::set<std::string> all = {"0", "1", "2", "3", "4", "5", "6"};
  member.BeImpatient();
  ASSERT_TRUE(StepUntil({&member}, [&] {
    return std::set<std::string>(member.received().begin(), member.received().end()) == all &&
           member.Commit().ok();
  }));
  const PartitionId partitions[] = {PartitionId(0), PartitionId(1)};
  const auto bounds = (*reader)->Bounds(topic, partitions, kBusPatience);
  ASSERT_OK(bounds);
  EXPECT_EQ((*bounds)[0].end.value(), 6);
  EXPECT_EQ((*bounds)[1].end.value(), 1);
}

}  // namespace
}  // namespace orbweaver
