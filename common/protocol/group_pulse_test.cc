#include "common/protocol/group_pulse.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class GroupPulseTest : public ::testing::Test, protected RebalanceListener {
 protected:
  GroupPulseTest() {
    CHECK_OK(bus_.EnsureTopics(*ProductTopics({.partitions = 2}), seconds(1)).status());
    CHECK_OK(consumer_->Subscribe(kSpiderLogTopic, this));
    CHECK_OK(pulse_.Poll({}, Duration::zero(), &batch_));
    const auto producer = *bus_.NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
    for (const PartitionId partition : {PartitionId(0), PartitionId(1)}) {
      CHECK_OK(producer->Send({kSpiderLogTopic, partition, "key", "value", {}}, 0));
    }
    CHECK_OK(producer->Flush(seconds(1)));
  }

  void OnAssigned(std::span<const AssignedPartition> partitions) override {
    for (const AssignedPartition& one : partitions) has_.push_back(one.partition);
  }
  void OnRevoked(std::span<const PartitionId> gone) override { OnLost(gone); }
  void OnLost(std::span<const PartitionId> gone) override {
    ++losses_;
    for (const PartitionId one : gone) std::erase(has_, one);
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  std::unique_ptr<Consumer> consumer_ =
      *bus_.NewConsumer({.group = "group", .member = "one", .session_timeout = seconds(6)});
  GroupPulse pulse_{*consumer_, clock_};
  MessageBatch batch_;
  std::vector<PartitionId> has_;
  int losses_ = 0;
};

TEST_F(GroupPulseTest, IsDueASecondAfterTheLastPollOfEitherKind) {
  EXPECT_FALSE(pulse_.IsDue());
  clock_.Advance(milliseconds(999));
  EXPECT_FALSE(pulse_.IsDue());
  clock_.Advance(milliseconds(1));
  EXPECT_TRUE(pulse_.IsDue());
  CHECK_OK(pulse_.Beat(has_));
  EXPECT_FALSE(pulse_.IsDue());
  clock_.Advance(seconds(1));
  CHECK_OK(pulse_.Poll({}, Duration::zero(), &batch_));
  EXPECT_FALSE(pulse_.IsDue());
}

TEST_F(GroupPulseTest, AMemberThatOnlyBeatsKeepsItsPartitionsAndIsGivenNoMessages) {
  ASSERT_EQ(has_.size(), 2u);
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(seconds(5));
    CHECK_OK(pulse_.Beat(has_));
  }
  EXPECT_EQ(losses_, 0);
  EXPECT_TRUE(pulse_.paused());
  CHECK_OK(pulse_.Poll({}, Duration::zero(), &batch_));
  EXPECT_TRUE(batch_.empty());
  CHECK_OK(pulse_.Resume(has_));
  EXPECT_FALSE(pulse_.paused());
  CHECK_OK(pulse_.Poll({}, Duration::zero(), &batch_));
  EXPECT_EQ(batch_.messages().size(), 2u);
}

TEST_F(GroupPulseTest, ABrokerThatIsAwayIsNoErrorAndAPartitionThatIsGoneIs) {
  broker_.SetAvailable(false);
  EXPECT_TRUE(pulse_.Beat(has_).ok());
  broker_.SetAvailable(true);
  const PartitionId other(7);
  EXPECT_TRUE(IsFenced(pulse_.Beat({&other, 1})));
}

}  // namespace
}  // namespace orbweaver
