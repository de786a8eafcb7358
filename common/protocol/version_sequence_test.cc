#include "common/protocol/version_sequence.h"

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(VersionSequence, LaterFlushWins) {
  auto versions = VersionSequence::Create(1, Offset(7));
  ASSERT_TRUE(versions.ok());
  const Version first = *versions->Next();
  EXPECT_LT(first, *versions->Next());
}

TEST(VersionSequence, LaterOwnerWinsWhateverTheFormerWrote) {
  auto former = VersionSequence::Create(1, Offset(7));
  auto later = VersionSequence::Create(1, Offset(8));
  Version last{0};
  int flushes = 0;
  while (const auto version = former->Next()) {
    last = *version;
    ++flushes;
  }
  EXPECT_EQ(flushes, 262'143);
  EXPECT_LT(last, *later->Next());
}

TEST(VersionSequence, TheHighestPartsAllOfOneOwnerFromAllOfLaterOnes) {
  auto former = VersionSequence::Create(1, Offset(7));
  const auto later = VersionSequence::Create(1, Offset(8))->Next();
  const auto of_later_topics = VersionSequence::Create(2, Offset(0))->Next();
  const Version highest = former->Highest();
  while (const auto version = former->Next()) ASSERT_LE(*version, highest);
  EXPECT_EQ(former->Highest(), highest);
  EXPECT_LT(highest, *later);
  EXPECT_LT(highest, *of_later_topics);
}

TEST(VersionSequence, LaterTopicsWinWhateverTheirOffsets) {
  auto former = VersionSequence::Create(1, Offset((int64_t{1} << 38) - 1));
  auto later = VersionSequence::Create(2, Offset(0));
  while (former->Next().has_value()) continue;
  former = VersionSequence::Create(1, Offset((int64_t{1} << 38) - 1));
  EXPECT_LT(*former->Next(), *later->Next());
}

TEST(VersionSequence, GreatestVersionIsOneThatTheStoreTakes) {
  auto versions = VersionSequence::Create(126, Offset((int64_t{1} << 38) - 1));
  Version last{0};
  while (const auto version = versions->Next()) last = *version;
  EXPECT_LE(last, kMaxVersion);
}

TEST(VersionSequence, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(IsFatal(VersionSequence::Create(0, Offset(0)).status()));
  EXPECT_TRUE(IsFatal(VersionSequence::Create(127, Offset(0)).status()));
  EXPECT_TRUE(IsFatal(VersionSequence::Create(1, Offset(-1)).status()));
  EXPECT_TRUE(IsFatal(VersionSequence::Create(1, Offset(int64_t{1} << 38)).status()));
}

}  // namespace
}  // namespace orbweaver
