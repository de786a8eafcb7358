#include "db_worker/queue/head.h"

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/protocol/version_sequence.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;

constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

Head FullHead() {
  Head head;
  head.applied = {3, Offset(1'000'000'007), 2};
  head.crawl_delay = seconds(10);
  head.rest.until = kNow + seconds(5);
  head.paced_until = kNow + seconds(1);
  head.rest.back_offs = 3;
  head.rest.backed_off_until = kNow;
  head.waiting_since = kNow - seconds(100);
  const uint64_t writer = VersionSequence::OwnerOf(3, Offset(2'000'000));
  for (int i = 0; i < 5; ++i) head.bands[0].Append(128, writer - 1000);
  for (int i = 5; i < 9; ++i) head.bands[0].Append(128, writer);
  head.bands[0].MoveTo(3, 0);
  head.bands[0].MarkErased(head.bands[0].first);
  head.bands[0].MoveTo(7, 127);
  head.bands[0].waiting = 129;
  for (int i = 0; i < 2; ++i) head.bands[7].Append(4, writer);
  head.bands[7].MoveTo(2, 0);
  head.bands[7].MarkErased(head.bands[7].first);
  DelayedBucket& bucket = head.BucketFor(kNow + seconds(30), kNow, writer);
  bucket.first = 1;
  bucket.next = 4;
  bucket.waiting = 300;
  head.garbage.push_back({.due = {5, 1}, .id = 9, .writer = writer - 7, .first = 0, .next = 2});
  return head;
}

TEST(Head, ComesBackFromItsBytes) {
  for (const Head& head : {Head(), FullHead()}) {
    std::string bytes;
    EncodeHead(head, &bytes);
    Head decoded = FullHead();
    ASSERT_TRUE(DecodeHead(bytes, &decoded).ok());
    EXPECT_EQ(decoded, head);
  }
}

TEST(Head, OfADomainWithOneBandIsSmall) {
  Head head;
  head.applied = {1, Offset(1'000'000'000), 0};
  head.paced_until = kNow;
  head.waiting_since = kNow;
  for (int i = 0; i < 103; ++i) {
    head.bands[3].Append(12, VersionSequence::OwnerOf(1, Offset(1'000'000'000)));
  }
  head.bands[3].MoveTo(100, 5);
  head.bands[3].MarkErased(head.bands[3].first);
  head.bands[3].waiting = 200;
  std::string bytes;
  EncodeHead(head, &bytes);
  EXPECT_LE(bytes.size(), 45u);
}

TEST(Head, RefusesEveryTruncationAndWhatIsTooLong) {
  std::string bytes;
  EncodeHead(FullHead(), &bytes);
  Head decoded;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(IsPoison(DecodeHead(bytes.substr(0, size), &decoded))) << size;
  }
  EXPECT_TRUE(IsPoison(DecodeHead(bytes + '\0', &decoded)));
}

TEST(Head, OfAnotherFormatIsRefusedByName) {
  std::string bytes;
  EncodeHead(FullHead(), &bytes);
  ++bytes[0];
  Head decoded;
  EXPECT_NE(DecodeHead(bytes, &decoded).message().find("A newer version"), std::string::npos);
  bytes[0] = 1;
  EXPECT_NE(DecodeHead(bytes, &decoded).message().find("An older version"), std::string::npos);
}

TEST(Band, IsEmptyOnlyPastTheLastRequestOfTheLastChunk) {
  Band band{.first = 4, .next = 6, .last_size = 3, .waiting = 5};
  band.MoveTo(4, 128);
  EXPECT_FALSE(band.empty());
  band.MoveTo(5, 2);
  EXPECT_FALSE(band.empty());
  EXPECT_EQ(band.index, 2u);
  band.MoveTo(5, 3);
  EXPECT_TRUE(band.empty());
  EXPECT_EQ(band.first, 6u);
  EXPECT_EQ(band.index, 0u);
  EXPECT_EQ(band.waiting, 0u);
}

TEST(Band, KnowsTheWriterOfEachChunkThatIsNotErased) {
  Band band;
  for (const uint64_t writer : {5, 5, 9, 9, 9, 12}) band.Append(1, writer);
  EXPECT_EQ(band.writers.runs().size(), 3u);
  for (const uint64_t erased : {0, 1, 2, 4, 5}) {
    band.MoveTo(erased, 0);
    band.MarkErased(band.first);
    constexpr uint64_t kWriters[] = {5, 5, 9, 9, 9, 12};
    for (uint64_t n = erased; n < 6; ++n) EXPECT_EQ(band.writers.WriterOf(n), kWriters[n]) << n;
    EXPECT_EQ(band.writers.runs().front().begin, erased);
  }
  band.MoveTo(6, 0);
  EXPECT_EQ(band.writers.runs().size(), 1u);  // the last is garbage yet
  band.MarkErased(band.first);
  EXPECT_TRUE(band.writers.runs().empty());
}

TEST(Head, GivesEachWriterABucketOfItsOwn) {
  Head head;
  const uint32_t first = head.BucketFor(kNow + seconds(30), kNow, 1).id;
  const uint32_t second = head.BucketFor(kNow + seconds(30), kNow, 2).id;
  EXPECT_NE(first, second);
  EXPECT_EQ(head.BucketFor(kNow + seconds(30), kNow, 1).id, first);
  EXPECT_EQ(head.BucketFor(kNow + seconds(30), kNow, 2).id, second);
}

TEST(Band, FollowsTheScore) {
  EXPECT_EQ(BandOf(1), 0);
  EXPECT_EQ(BandOf(5), 0);
  EXPECT_EQ(BandOf(0.9F), 0);
  EXPECT_EQ(BandOf(0.5F), 4);
  EXPECT_EQ(BandOf(0), 7);
  EXPECT_EQ(BandOf(-1e30F), 7);
}

TEST(Head, PurgeLeavesOnlyGarbage) {
  Head head = FullHead();
  const uint64_t chunks = 2 + 3;  // of band 0 and of the bucket
  const uint64_t before = head.garbage_chunks();
  head.Purge();
  EXPECT_TRUE(head.empty());
  EXPECT_EQ(head.waiting(), 0u);
  EXPECT_EQ(head.garbage_chunks(), before + chunks);
}

TEST(Head, NeverUsesTheNameOfABucketAgain) {
  Head head;
  const uint32_t id = head.BucketFor(kNow + seconds(30), kNow, 1).id;
  EXPECT_EQ(head.BucketFor(kNow + seconds(30), kNow, 1).id, id);
  head.delayed.clear();
  EXPECT_NE(head.BucketFor(kNow + seconds(30), kNow, 1).id, id);
}

TEST(DueBucket, OpensWhenItsRequestsAreDueOrCloserThanItsLevel) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const WallTime now = kNow + std::chrono::milliseconds(random.Below(1 << 30));
    const WallTime due =
        now + std::chrono::milliseconds(1 + random.Below(uint64_t{1} << random.Below(41)));
    const DueBucket bucket = DueBucketOf(due, now);
    const WallTime opens = OpensAt(bucket);
    if (bucket.level == 0) {
      // Never early, and at most a second late.
      ASSERT_GE(opens, due);
      ASSERT_LE(opens, due + seconds(1));
    } else {
      ASSERT_LE(opens, due);
      ASSERT_GT(opens, now);
      // So that a request moves on at each opening.
      ASSERT_LT(DueBucketOf(std::max(due, opens + std::chrono::milliseconds(1)), opens).level,
                bucket.level);
    }
  }
}

TEST(DueBucket, ADomainHasFewHoweverFarItsRequestsAreSpread) {
  Random random(2);
  Head head;
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t reach_ms = uint64_t{1} << random.Below(41);
    head.BucketFor(kNow + std::chrono::milliseconds(1 + random.Below(reach_ms)), kNow, 1);
  }
  EXPECT_LT(head.delayed.size(), 450u);
  EXPECT_TRUE(
      std::is_sorted(head.delayed.begin(), head.delayed.end(),
                     [](const auto& a, const auto& b) { return OpensAt(a.due) < OpensAt(b.due); }));
}

}  // namespace
}  // namespace orbweaver
