#include "common/model/exploration.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(ExplorationTest, ItsTextIsReadBack) {
  const ExplorationText text = TextOf({.probability = 0.05 / 7, .score = 0.3f});
  const Meta meta[] = {{"a", "b"}, {kOwnScoreKey, text.score}, {kExploreKey, text.probability}};
  const auto read = ExplorationOf(meta);
  ASSERT_TRUE(read.has_value());
  EXPECT_NEAR(read->probability, 0.05 / 7, 1e-7);
  EXPECT_EQ(read->score, 0.3f);
  EXPECT_EQ(OwnScore(1, meta), 0.3f);
}

TEST(ExplorationTest, OtherMetaAndNonsenseIsNone) {
  const Meta plain[] = {{"a", "b"}, {"explore", "1"}};
  EXPECT_FALSE(ExplorationOf(plain).has_value());
  EXPECT_EQ(OwnScore(0.5f, plain), 0.5f);
  for (const std::string_view probability : {"", "0", "-1", "1.5", "nan", "0.1x"}) {
    const Meta meta[] = {{kExploreKey, probability}, {kOwnScoreKey, "0.5"}};
    EXPECT_FALSE(ExplorationOf(meta).has_value()) << probability;
  }
  const Meta without_score[] = {{kExploreKey, "0.5"}};
  EXPECT_FALSE(ExplorationOf(without_score).has_value());
}

}  // namespace
}  // namespace orbweaver
