#include "common/bus/topics.h"

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(ProductTopicsTest, TheLoopsTopicsHaveEqualPartitions) {
  const auto topics = ProductTopics({.partitions = 64, .replication = 3});
  ASSERT_TRUE(topics.ok());
  int wide = 0;
  for (const TopicSpec& topic : *topics) {
    EXPECT_EQ(topic.replication, 3) << topic.name;
    wide += topic.partitions == 64;
  }
  EXPECT_EQ(wide, 3);
}

TEST(ProductTopicsTest, PartitionsThatWouldScatterADomainAreRefused) {
  for (const int partitions : {-1, 0, 3, 12, 100, 8192}) {
    EXPECT_TRUE(IsFatal(ProductTopics({.partitions = partitions}).status())) << partitions;
  }
  for (const int partitions : {1, 2, 4096}) {
    EXPECT_TRUE(ProductTopics({.partitions = partitions}).ok()) << partitions;
  }
}

}  // namespace
}  // namespace orbweaver
