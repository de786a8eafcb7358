#include "strategy_worker/core/ownership.h"

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_parts_fixture.h"

namespace orbweaver {
namespace {

class OwnershipTest : public CorePartsTest {};

TEST_F(OwnershipTest, APartitionIsOwnedOnlyBehindItsMarker) {
  ownership_.Assign({.partition = kPartition, .position = Offset(7)});
  EXPECT_EQ(ownership_.Find(kPartition), nullptr);
  EXPECT_TRUE(ownership_.HasPending());
  ASSERT_OK(ownership_.TakeOver(kTimeout, kTimeout));
  EXPECT_FALSE(ownership_.HasPending());
  EXPECT_EQ(ownership_.Find(kPartition)->known_end, Offset(7));
  EXPECT_EQ(world_.EndOf(kScoringLogTopic, kPartition), Offset(1));
}

TEST_F(OwnershipTest, ABrokerThatIsAwayLeavesAPartitionPendingAndNothingIsOwnedWithoutAMarker) {
  ownership_.Assign({.partition = kPartition, .position = Offset(0)});
  world_.broker.SetAvailable(false);
  EXPECT_TRUE(IsRetry(ownership_.TakeOver(kTimeout, kTimeout)));
  EXPECT_EQ(ownership_.Find(kPartition), nullptr);
  world_.broker.SetAvailable(true);
  ASSERT_OK(ownership_.TakeOver(kTimeout, kTimeout));
  EXPECT_NE(ownership_.Find(kPartition), nullptr);
}

TEST_F(OwnershipTest, APartitionThatWentBeforeItWasTakenOverIsNotTakenOver) {
  ownership_.Assign({.partition = kPartition, .position = Offset(0)});
  ownership_.Release(kPartition);
  ASSERT_OK(ownership_.TakeOver(kTimeout, kTimeout));
  EXPECT_EQ(world_.EndOf(kScoringLogTopic, kPartition), Offset(0));
}

TEST_F(OwnershipTest, AVersionIsKeptUntilAFlushTakesIt) {
  OwnedPartition& owned = Own();
  const Version reserved = *owned.version;
  EXPECT_TRUE(ownership_.ReserveVersions());
  EXPECT_EQ(owned.version, reserved);
  owned.version.reset();
  EXPECT_TRUE(ownership_.ReserveVersions());
  EXPECT_GT(owned.version, reserved);
}

// Takes all versions that the partition's epoch has; the last one.
Version UseUp(Ownership& ownership, OwnedPartition& owned) {
  Version last = *owned.version;
  do {
    last = *owned.version;
    owned.version.reset();
  } while (ownership.ReserveVersions());
  return last;
}

TEST_F(OwnershipTest, AWorkerThatHasUsedUpItsVersionsGoesOnUnderALaterEpoch) {
  OwnedPartition& owned = Own();
  owned.applied_to = Offset(4);
  const Offset epoch = owned.epoch;
  const Version last = UseUp(ownership_, owned);
  EXPECT_FALSE(owned.version.has_value());
  ASSERT_OK(ownership_.Renew(kTimeout));
  EXPECT_GT(owned.epoch, epoch);
  EXPECT_GT(owned.version, last) << "its puts would not be seen";
  EXPECT_TRUE(ownership_.ReserveVersions());
  EXPECT_EQ(owned.applied_to, Offset(4)) << "nothing is left uncommitted";
  EXPECT_OK(log_->CheckStillOwner({&kPartition, 1}, kTimeout)) << "deposed by its own marker";
}

TEST_F(OwnershipTest, RenewingIsTriedAgainAfterABrokerWasAway) {
  OwnedPartition& owned = Own();
  const Version last = UseUp(ownership_, owned);
  world_.broker.SetAvailable(false);
  EXPECT_TRUE(IsRetry(ownership_.Renew(kTimeout)));
  EXPECT_FALSE(ownership_.ReserveVersions());
  world_.broker.SetAvailable(true);
  ASSERT_OK(ownership_.Renew(kTimeout));
  EXPECT_GT(owned.version, last);
}

}  // namespace
}  // namespace orbweaver
