#include "common/runtime/connection_table.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using ::testing::ElementsAre;

class ConnectionTableTest : public ::testing::Test {
 protected:
  std::optional<ConnectionTable::Handle> Add(const std::string& address) {
    const int id = next_++;
    return table_.Add(address, [this, id] { closed_.push_back(id); });
  }

  ConnectionTable table_{4, 2};
  int next_ = 0;
  std::vector<int> closed_;
};

TEST_F(ConnectionTableTest, ANewcomerIsLetInAtTheCostOfTheOneThatWaitedLongest) {
  const auto first = *Add("a");
  (void)*Add("b");
  (void)*Add("c");
  (void)*Add("d");
  table_.BeginWait(first);
  ASSERT_TRUE(Add("e").has_value());
  ASSERT_TRUE(Add("f").has_value());
  EXPECT_THAT(closed_, ElementsAre(1, 2));
  EXPECT_EQ(table_.size(), 4u);
}

TEST_F(ConnectionTableTest, AnAddressWithItsShareLosesItsOwn) {
  (void)*Add("a");
  (void)*Add("b");
  (void)*Add("b");
  ASSERT_TRUE(Add("b").has_value());
  EXPECT_THAT(closed_, ElementsAre(1));
  EXPECT_EQ(table_.size(), 3u);
}

TEST_F(ConnectionTableTest, AConnectionWithARequestInHandIsKept) {
  const auto busy = *Add("a");
  table_.TakeInHand(busy);
  (void)*Add("a");
  ASSERT_TRUE(Add("a").has_value());
  EXPECT_THAT(closed_, ElementsAre(1));
  table_.TakeInHand(*Add("b"));
  table_.TakeInHand(*Add("b"));
  EXPECT_FALSE(Add("b").has_value());
  table_.BeginWait(busy);
  ASSERT_TRUE(Add("a").has_value());
  EXPECT_THAT(closed_, ElementsAre(1, 2));
}

TEST_F(ConnectionTableTest, AClosedConnectionMayStillBeUsedUntilItIsRemoved) {
  const auto first = *Add("a");
  (void)*Add("a");
  (void)*Add("a");
  ASSERT_THAT(closed_, ElementsAre(0));
  table_.BeginWait(first);
  table_.Remove(first);
  EXPECT_EQ(table_.size(), 2u);
  (void)*Add("a");
  EXPECT_THAT(closed_, ElementsAre(0, 1));
}

}  // namespace
}  // namespace orbweaver
