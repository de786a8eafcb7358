#include "spider/feed/rests.h"

#include <string>

#include <gtest/gtest.h>

#include "common/protocol/epoch_filter.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

WallTime At(int64_t ms) { return WallTime(seconds(1'800'000'000) + milliseconds(ms)); }

TEST(CommittedRestsTest, ComeBackFromACommitBesideItsEpoch) {
  CommittedRests rests;
  EXPECT_TRUE(rests.Add("a.test", At(5000)));
  EXPECT_TRUE(rests.Add("b.test", At(60'001)));
  const std::string metadata = "17" + rests.TakeMetadata(At(0), 1000);
  EXPECT_EQ(metadata, "17 1800000061 b.test 1800000005 a.test");
  EXPECT_EQ(EpochFilter(metadata).last(), Offset(17));

  const CommittedRests next(metadata);
  EXPECT_EQ(next.Until("a.test"), At(5000));
  EXPECT_EQ(next.Until("b.test"), At(61'000)) << "rounded up";
  EXPECT_EQ(next.Until("c.test"), std::nullopt);
}

TEST(CommittedRestsTest, AnEndIsNeverBroughtForward) {
  CommittedRests rests;
  EXPECT_TRUE(rests.Add("a.test", At(5000)));
  EXPECT_FALSE(rests.Add("a.test", At(5000)));
  EXPECT_FALSE(rests.Add("a.test", At(4000)));
  EXPECT_EQ(rests.Until("a.test"), At(5000));
  EXPECT_TRUE(rests.Add("a.test", At(6000)));
  EXPECT_EQ(rests.Until("a.test"), At(6000));
}

TEST(CommittedRestsTest, WhatIsOverIsForgotten) {
  CommittedRests rests;
  rests.Add("a.test", At(5000));
  rests.Add("b.test", At(9000));
  EXPECT_EQ(rests.TakeMetadata(At(5000), 1000), " 1800000009 b.test");
  EXPECT_EQ(rests.Until("a.test"), std::nullopt);
  EXPECT_EQ(rests.TakeMetadata(At(9000), 1000), "");
}

TEST(CommittedRestsTest, WhereNotAllFitThoseThatEndLastStay) {
  CommittedRests rests;
  for (int i = 0; i < 1000; ++i) rests.Add("d" + std::to_string(i) + ".test", At(1000 * (i + 1)));
  const std::string metadata = rests.TakeMetadata(At(0), 500);
  EXPECT_LE(metadata.size(), 500u);
  EXPECT_GT(metadata.size(), 470u);
  const CommittedRests next(metadata);
  EXPECT_EQ(next.Until("d999.test"), At(1'000'000));
  EXPECT_EQ(next.Until("d985.test"), At(986'000));
  EXPECT_EQ(next.Until("d1.test"), std::nullopt);
  EXPECT_EQ(rests.Until("d1.test"), At(2000)) << "of this reader's own";
}

TEST(CommittedRestsTest, AnEndThatMovesStandsInItsOrderOnceOnly) {
  CommittedRests rests;
  rests.Add("a.test", At(1000));
  rests.Add("b.test", At(2000));
  rests.Add("c.test", At(3000));
  rests.Add("a.test", At(4000));
  EXPECT_EQ(rests.TakeMetadata(At(0), 1000),
            " 1800000004 a.test 1800000003 c.test 1800000002 b.test");
  EXPECT_EQ(rests.TakeMetadata(At(1500), 20), " 1800000004 a.test") << "its former end is over";
  EXPECT_EQ(rests.size(), 3u);
  EXPECT_EQ(rests.TakeMetadata(At(3500), 1000), " 1800000004 a.test");
  EXPECT_EQ(rests.size(), 1u);
}

TEST(CommittedRestsTest, NonsenseIsLeftOut) {
  for (const std::string metadata :
       {"", "17", "17 ", "17 1800000005", "x y z", "17 -5 a.test", "17 99999999999 a.test"}) {
    EXPECT_EQ(CommittedRests(metadata).Until("a.test"), std::nullopt) << metadata;
  }
  const CommittedRests rests("17 soon b.test 1800000005 a.test 1800000005");
  EXPECT_EQ(rests.Until("a.test"), At(5000));
  EXPECT_EQ(rests.Until("b.test"), std::nullopt);

  CommittedRests strange;
  for (const std::string domain : {"", "a b", "a\n", "\xff"}) {
    EXPECT_FALSE(strange.Add(domain, At(5000))) << domain;
  }
  EXPECT_EQ(strange.TakeMetadata(At(0), 1000), "");
}

}  // namespace
}  // namespace orbweaver
