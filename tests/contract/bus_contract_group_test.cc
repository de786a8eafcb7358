// Groups: sharing, rebalances, dead and stale members.
#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/base/status.h"
#include "tests/contract/bus_contract.h"

namespace orbweaver {
namespace {

std::set<std::string> Distinct(std::initializer_list<const Member*> members) {
  std::set<std::string> values;
  for (const Member* const member : members) {
    values.insert(member->received().begin(), member->received().end());
  }
  return values;
}

TEST_P(BusContract, SharesThePartitionsOutAmongTheMembers) {
  constexpr size_t kPartitions = 4;
  const std::string topic = MakeTopic(kPartitions), group = Name("group");
  Owners owners;
  Member first(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&first}, [&] { return first.positions().size() == kPartitions; }));
  Member second(bus(), topic, {.group = group}, &owners);
  auto shared = [&] { return first.positions().size() == 2 && second.positions().size() == 2; };
  ASSERT_TRUE(StepUntil({&first, &second}, shared));
  // Another group has all of them too.
  Owners of_other;
  Member other(bus(), topic, {.group = Name("other")}, &of_other);
  ASSERT_TRUE(StepUntil({&other}, [&] { return other.positions().size() == kPartitions; }));
  ProduceNumbers(topic, kPartitions, 40);
  ASSERT_TRUE(StepUntil({&first, &second, &other}, [&] {
    return first.received().size() + second.received().size() == 40 &&
           other.received().size() == 40;
  }));
  EXPECT_EQ(first.received().size(), 20u);
  EXPECT_EQ(Distinct({&first, &second}).size(), 40u);
}

TEST_P(BusContract, HandsPartitionsOverToTheRestWhenAMemberLeaves) {
  constexpr size_t kPartitions = 4;
  const std::string topic = MakeTopic(kPartitions), group = Name("group");
  Owners owners;
  Member stays(bus(), topic, {.group = group}, &owners);
  Member leaves(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&stays, &leaves}, [&] {
    return stays.positions().size() == 2 && leaves.positions().size() == 2;
  }));
  ProduceNumbers(topic, kPartitions, 40);
  ASSERT_TRUE(StepUntil({&stays, &leaves},
                        [&] { return stays.received().size() + leaves.received().size() == 40; }));
  leaves->Close(Departure::kForNow);
  EXPECT_TRUE(leaves.positions().empty()) << "not told that they were revoked";
  EXPECT_EQ(leaves.lost(), 0u);
  ASSERT_TRUE(StepUntil({&stays}, [&] { return stays.positions().size() == kPartitions; }));
  ProduceNumbers(topic, kPartitions, 40, 40);
  ASSERT_TRUE(StepUntil({&stays}, [&] { return Distinct({&stays, &leaves}).size() == 80; }));
  // Each left with its offset committed, so nothing came twice.
  EXPECT_EQ(stays.received().size() + leaves.received().size(), 80u);
}

TEST_P(BusContract, LosesAndRepeatsNothingInARebalanceWhileBusy) {
  constexpr int kPartitions = 4;
  const std::string topic = MakeTopic(kPartitions), group = Name("group");
  AckedProducer producer(bus());
  uint64_t produced = 0;
  // Never without messages to deal with, however long a rebalance takes.
  auto produce = [&] {
    for (int i = 0; i < 20; ++i, ++produced) {
      const std::string value = std::to_string(produced);
      const PartitionId partition(static_cast<int32_t>(produced % kPartitions));
      ASSERT_OK(producer->Send({topic, partition, "", value, {}}, produced));
    }
    producer->Poll(Duration::zero());
  };
  Owners owners;
  Member first(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&first}, [&] {
    produce();
    return first.received().size() > 100;
  }));
  Member second(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&first, &second}, [&] {
    produce();
    return second.received().size() > 100;
  }));
  Member third(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&first, &second, &third}, [&] {
    produce();
    return third.received().size() > 100;
  }));
  second->Close(Departure::kForNow);
  auto received = [&] {
    return first.received().size() + second.received().size() + third.received().size();
  };
  ASSERT_OK(producer->Flush(kBusPatience));
  ASSERT_TRUE(StepUntil({&first, &third}, [&] { return received() >= produced; }));
  EXPECT_EQ(Distinct({&first, &second, &third}).size(), produced);
  EXPECT_EQ(received(), produced);
}

TEST_P(BusContract, GivesThePartitionsOfASilentMemberToTheOthersAndFencesIt) {
  constexpr size_t kPartitions = 2;
  const std::string topic = MakeTopic(kPartitions), group = Name("group");
  ProduceNumbers(topic, kPartitions, 20);
  Owners owners;
  Member silent(bus(), topic, {.group = group, .session_timeout = env().ShortestSession()},
                &owners);
  ASSERT_TRUE(StepUntil({&silent}, [&] { return silent.received().size() == 20; }));
  const OffsetCommit half[] = {{PartitionId(0), Offset(5), ""}, {PartitionId(1), Offset(5), ""}};
  ASSERT_OK(silent->Commit(half, kBusPatience));
  silent.Freeze();

  Member next(bus(), topic, {.group = group}, &owners);
  // From the last commit on: what the silent one had dealt with since comes again.
  ASSERT_TRUE(StepUntil({&next}, [&] { return next.received().size() == 10; }));
  EXPECT_EQ(next.positions().size(), kPartitions);
  const OffsetCommit late[] = {{PartitionId(0), Offset(10), "late"}};
  EXPECT_TRUE(IsFenced(silent->Commit(late, kBusPatience)));
  ASSERT_OK(next.Commit());
  auto reader = bus().NewOffsetReader();
  ASSERT_OK(reader);
  const PartitionId first(0);
  const auto committed = (*reader)->Committed(group, topic, {&first, 1}, kBusPatience);
  ASSERT_OK(committed);
  ASSERT_TRUE((*committed)[0].has_value());
  EXPECT_EQ((*committed)[0]->metadata, "at 10");

  // Polling again, it hears that it lost them, and is shared in again.
  ASSERT_TRUE(StepUntil({&silent, &next}, [&] {
    return silent.lost() == kPartitions && silent.positions().size() == 1 &&
           next.positions().size() == 1;
  }));
}

TEST_P(BusContract, RefusesAllOfACommitWhenOneOfItsPartitionsIsNotTheMembers) {
  const std::string topic = MakeTopic(2), group = Name("group");
  Owners owners;
  Member first(bus(), topic, {.group = group}, &owners);
  Member second(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&first, &second}, [&] {
    return first.positions().size() == 1 && second.positions().size() == 1;
  }));
  const OffsetCommit both[] = {{PartitionId(0), Offset(3), ""}, {PartitionId(1), Offset(3), ""}};
  EXPECT_TRUE(IsFenced(first->Commit(both, kBusPatience)));
  auto reader = bus().NewOffsetReader();
  ASSERT_OK(reader);
  const PartitionId partitions[] = {PartitionId(0), PartitionId(1)};
  const auto committed = (*reader)->Committed(group, topic, partitions, kBusPatience);
  ASSERT_OK(committed);
  for (const auto& of_partition : *committed) {
    // A rebalance may have committed what it found.
    EXPECT_TRUE(!of_partition.has_value() || of_partition->offset == Offset(0));
  }
}

TEST_P(BusContract, GivesANamedMemberItsPartitionsBackWithoutARebalance) {
  const std::string topic = MakeTopic(4), group = Name("group");
  Owners owners;
  Member other(bus(), topic, {.group = group, .member = "other"}, &owners);
  auto named = std::make_unique<Member>(
      bus(), topic, ConsumerOptions{.group = group, .member = "named"}, &owners);
  ASSERT_TRUE(StepUntil({&other, named.get()}, [&] {
    return other.positions().size() == 2 && named->positions().size() == 2;
  }));
  const auto before = named->positions();
  (*named)->Close(Departure::kForNow);
  named = std::make_unique<Member>(bus(), topic, ConsumerOptions{.group = group, .member = "named"},
                                   &owners);
  ASSERT_TRUE(StepUntil({named.get(), &other}, [&] { return named->positions().size() == 2; }));
  EXPECT_EQ(named->positions(), before);
  EXPECT_EQ(other.positions().size(), 2u);
  EXPECT_EQ(other.lost(), 0u);
}

// Longer than the test's patience: nobody waits for the end of a session here.
constexpr Duration kLongSession = kBusPatience * 5;

TEST_P(BusContract, GivesTheOthersThePartitionsOfANamedMemberThatLeavesForGood) {
  constexpr size_t kPartitions = 4;
  const std::string topic = MakeTopic(kPartitions), group = Name("group");
  Owners owners;
  const auto named = [&](const char* name) {
    return ConsumerOptions{.group = group, .member = name, .session_timeout = kLongSession};
  };
  // The first to join leads the group in Kafka; it is the one that leaves, then it is not.
  auto first = std::make_unique<Member>(bus(), topic, named("first"), &owners);
  ASSERT_TRUE(StepUntil({first.get()}, [&] { return first->positions().size() == kPartitions; }));
  Member second(bus(), topic, named("second"), &owners);
  const auto shared = [&] {
    return first->positions().size() == 2 && second.positions().size() == 2;
  };
  ASSERT_TRUE(StepUntil({first.get(), &second}, shared));
  for (int round = 0; round < 2; ++round) {
    ProduceNumbers(topic, kPartitions, 40, 40 * round);
    const size_t before = second.received().size();
    ASSERT_TRUE(StepUntil({first.get(), &second}, [&] {
      return first->received().size() + second.received().size() - before == 40;
    }));
    (*first)->Close(Departure::kForGood);
    EXPECT_TRUE(first->positions().empty()) << "not told that they were revoked";
    EXPECT_EQ(first->lost(), 0u);
    ASSERT_TRUE(StepUntil({&second}, [&] { return second.positions().size() == kPartitions; }));
    // It left with its offsets committed, so nothing comes twice.
    const size_t owned = second.received().size();
    ProduceNumbers(topic, kPartitions, 4);
    ASSERT_TRUE(StepUntil({&second}, [&] { return second.received().size() >= owned + 4; }));
    EXPECT_EQ(second.received().size(), owned + 4);
    // One of its name may come back all the same.
    first = std::make_unique<Member>(bus(), topic, named("first"), &owners);
    ASSERT_TRUE(StepUntil({&second, first.get()}, shared));
  }
}

// Also while the group is still being shared out: the servers may count a member that has not
// heard of it yet.
TEST_P(BusContract, LeavesNothingToNamedMembersThatLeaveForGoodWhileTheyJoin) {
  constexpr size_t kPartitions = 4;
  const std::string topic = MakeTopic(kPartitions), group = Name("group");
  const auto named = [&](const std::string& name) {
    return ConsumerOptions{.group = group, .member = name, .session_timeout = kLongSession};
  };
  Owners owners, of_leaving;
  Member stays(bus(), topic, named("stays"), &owners);
  ASSERT_TRUE(StepUntil({&stays}, [&] { return stays.positions().size() == kPartitions; }));
  for (const int steps : {0, 1, 5, 30}) {
    Member leaves(bus(), topic, named("leaves-" + std::to_string(steps)), &of_leaving);
    for (int step = 0; step < steps; ++step) {
      for (Member* const member : {&stays, &leaves}) ASSERT_OK(member->Step());
    }
    // The others go on meanwhile: a group is shared out once all its members have come.
    std::atomic<bool> left = false;
    std::thread leaving([&] {
      leaves->Close(Departure::kForGood);
      left = true;
    });
    EXPECT_TRUE(StepUntil({&stays}, [&] { return left.load(); })) << steps;
    leaving.join();
    EXPECT_TRUE(leaves.positions().empty()) << steps;
    EXPECT_EQ(leaves.lost(), 0u) << steps;
  }
  // One that had left its place behind would still have a share.
  Member comes(bus(), topic, named("comes"), &owners);
  EXPECT_TRUE(StepUntil({&stays, &comes}, [&] {
    return stays.positions().size() == 2 && comes.positions().size() == 2;
  }));
}

TEST_P(BusContract, ForgetsAPauseInARebalance) {
  const std::string topic = MakeTopic(2), group = Name("group");
  Owners owners;
  Member stays(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&stays}, [&] { return stays.positions().size() == 2; }));
  for (const int32_t id : {0, 1}) ASSERT_OK(stays->SetPaused(PartitionId(id), true));
  {
    Member leaves(bus(), topic, {.group = group}, &owners);
    ASSERT_TRUE(StepUntil({&stays, &leaves}, [&] {
      return stays.positions().size() == 1 && leaves.positions().size() == 1;
    }));
    leaves->Close(Departure::kForNow);
  }
  ASSERT_TRUE(StepUntil({&stays}, [&] { return stays.positions().size() == 2; }));
  ProduceNumbers(topic, 2, 20);
  // The partition that stayed with the member may still be paused: the rebalance left it alone.
  EXPECT_TRUE(StepUntil({&stays}, [&] { return stays.received().size() >= 10; }));
}

TEST_P(BusContract, FencesTheEarlierOfTwoMembersOfOneName) {
  const std::string topic = MakeTopic(2), group = Name("group");
  Owners owners;
  Member earlier(bus(), topic, {.group = group, .member = "twin"}, &owners);
  ASSERT_TRUE(StepUntil({&earlier}, [&] { return earlier.positions().size() == 2; }));
  earlier.Freeze();
  Member later(bus(), topic, {.group = group, .member = "twin"}, &owners);
  ASSERT_TRUE(StepUntil({&later}, [&] { return later.positions().size() == 2; }));
  const OffsetCommit commit{PartitionId(0), Offset(1), ""};
  EXPECT_TRUE(IsFenced(earlier->Commit({&commit, 1}, kBusPatience)));
  absl::Status status;
  const SteadyTime deadline = SystemClock().Now() + kBusPatience;
  while (status.ok() && SystemClock().Now() < deadline) status = earlier.Step();
  EXPECT_TRUE(IsFenced(status)) << status;
  EXPECT_EQ(earlier.lost(), 2u);
  EXPECT_TRUE(IsFenced(earlier.Step()));
  EXPECT_OK(later.Step());
  EXPECT_OK(later->Commit({&commit, 1}, kBusPatience));
}

TEST_P(BusContract, CommitsOfAnAssignedConsumerCountOnlyWhileNobodyIsSubscribed) {
  const std::string topic = MakeTopic(1), group = Name("group");
  ProduceNumbers(topic, 1, 5);
  auto assigned = NewConsumer(group);
  const AssignedPartition from{.partition = PartitionId(0), .position = Offset(0), .metadata = ""};
  ASSERT_OK(assigned->Assign(topic, {&from, 1}));
  const OffsetCommit commit{PartitionId(0), Offset(3), "tool"};
  ASSERT_OK(assigned->Commit({&commit, 1}, kBusPatience));
  Owners owners;
  Member member(bus(), topic, {.group = group}, &owners);
  ASSERT_TRUE(StepUntil({&member}, [&] { return member.received().size() == 2; }));
  EXPECT_EQ(member.assignments().at(PartitionId(0)).metadata, "tool");
  EXPECT_TRUE(IsFenced(assigned->Commit({&commit, 1}, kBusPatience)));
}

}  // namespace
}  // namespace orbweaver
