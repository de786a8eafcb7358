// The suite that every Bus passes: see README.md for how to instantiate it.
//
// The tests stand in bus_contract_*_test.cc: producing, consuming, groups, and crashes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include <gtest/gtest.h>

#include "tests/contract/bus_env.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {

// Longer than any restart of a server, and any rebalance, takes.
inline constexpr Duration kBusPatience = std::chrono::minutes(2);
// One wait of a loop that goes on until a condition holds.
inline constexpr Duration kBusWait = std::chrono::milliseconds(50);

class BusContract : public ::testing::TestWithParam<BusEnvFactory> {
 protected:
  BusContract();

  BusEnv& env() { return *env_; }
  Bus& bus() { return env_->bus(); }

  // A name that no other test, run or earlier run uses, for a topic or a group.
  std::string Name(std::string_view name) const;
  // Creates a topic of such a name.
  std::string MakeTopic(int partitions, std::string_view name = "topic");

  // Produces values "0", "1", … in turn to all partitions, each acked.
  void ProduceNumbers(const std::string& topic, int partitions, int count, int first = 0);

  struct Copied {
    PartitionId partition;
    Offset offset;
    std::string key, value;
    std::vector<std::pair<std::string, std::string>> headers;
    WallTime time;
  };
  // Polls until `count` messages came, or patience ends.
  std::vector<Copied> Consume(Consumer& consumer, size_t count, const PollLimits& limits = {});
  // All that the topic holds, read without a group.
  std::vector<Copied> ConsumeAll(const std::string& topic, int partitions);
  std::unique_ptr<Consumer> NewConsumer(const std::string& group, const std::string& member = "");
  // Of two logs that end at 20 and were cut at 10 under it; it has reported both.
  std::unique_ptr<Consumer> ConsumerOfTwoCutPartitions();

 private:
  std::string unique_;
  std::unique_ptr<BusEnv> env_;
};

// A producer and the acks that it got.
class AckedProducer {
 public:
  explicit AckedProducer(Bus& bus, const ProducerOptions& options = {});

  Producer& operator*() { return *producer_; }
  Producer* operator->() { return producer_.get(); }

  // By token; the test fails when a token is acked twice.
  const std::map<uint64_t, Ack>& acks() const { return acks_; }
  size_t failures() const { return failures_; }

 private:
  std::map<uint64_t, Ack> acks_;
  size_t failures_ = 0;
  std::unique_ptr<Producer> producer_;
};

// The owner of each partition, by the members of one test.
class Member;
using Owners = std::map<PartitionId, Member*>;

// A subscribed consumer that deals with messages as a worker does: remembers them, and commits when
// told to and when its partitions are revoked.
class Member : public RebalanceListener {
 public:
  // `owners` is shared by all members of the group; the test fails when a partition gets two.
  Member(Bus& bus, const std::string& topic, const ConsumerOptions& options, Owners* owners);
  ~Member() override;

  Consumer& operator*() { return *consumer_; }
  Consumer* operator->() { return consumer_.get(); }

  // One Poll; its status when it is neither OK nor retry.
  absl::Status Step(const PollLimits& limits = {});
  // Commits what it has received.
  absl::Status Commit();
  // From now on its commits wait for kBusWait only, and may be in vain.
  void BeImpatient() { patience_ = kBusWait; }
  // Its partitions may become others' without its knowing: it is not going to be stepped for long.
  void Freeze();

  // Position of each owned partition: the next message to receive.
  const std::map<PartitionId, Offset>& positions() const { return positions_; }
  const std::map<PartitionId, AssignedPartition>& assignments() const { return assignments_; }
  const std::vector<std::string>& received() const { return received_; }
  size_t lost() const { return lost_; }

  void OnAssigned(std::span<const AssignedPartition> partitions) override;
  void OnRevoked(std::span<const PartitionId> partitions) override;
  void OnLost(std::span<const PartitionId> partitions) override;

 private:
  void Drop(PartitionId partition);
  void Disown(PartitionId partition);

  Owners* const owners_;
  std::map<PartitionId, Offset> positions_;
  std::map<PartitionId, AssignedPartition> assignments_;
  std::set<PartitionId> just_assigned_;  // in the last Poll
  std::vector<std::string> received_;
  size_t lost_ = 0;
  Duration patience_ = kBusPatience;
  std::unique_ptr<Consumer> consumer_;
};

// Steps all in turn until `done`; false when patience ends first. Members' errors fail the test.
bool StepUntil(std::initializer_list<Member*> members, absl::FunctionRef<bool()> done);

}  // namespace orbweaver
