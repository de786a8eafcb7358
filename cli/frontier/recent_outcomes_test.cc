#include "cli/frontier/recent_outcomes.h"

#include "cli/frontier/kept_file.h"
#include "cli/frontier/outcomes_file.h"
#include "fmt/format.h"
#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

void AddPage(RecentOutcomes& recent, const std::string& domain, const std::string& path, size_t n) {
  const std::string url = fmt::format("http://{}/{}", domain, path);
  recent.Add(
      {.domain = domain,
       .event = PageFetched{
           .request = {.url = url}, .status = 200, .fetched_at = WallTime(milliseconds(n))}});
}

void AddFailure(RecentOutcomes& recent, const std::string& domain, size_t n) {
  const std::string url = fmt::format("http://{}/{}", domain, n);
  recent.Add({.domain = domain,
              .event = FetchFailed{.request = {.url = url},
                                   .cause = FailureCause::kHttp4xx,
                                   .failed_at = WallTime(milliseconds(n))}});
}

void AddPage(RecentOutcomes& recent, const std::string& domain, size_t n) {
  AddPage(recent, domain, std::to_string(n), n);
}

TEST(RecentOutcomesTest, ADomainsLastTheNewestFirst) {
  RecentOutcomes recent;
  for (size_t n = 1; n <= 3; ++n) {
    AddPage(recent, "a.test", n);
    AddPage(recent, "b.test", n);
  }
  recent.Add({.domain = "a.test", .event = LinksFound{}});
  const DomainOutcomes all = recent.Of("a.test", 50);
  ASSERT_EQ(all.outcomes.size(), 3u);
  EXPECT_EQ(all.outcomes[0].url, "http://a.test/3");
  EXPECT_EQ(all.outcomes[2].url, "http://a.test/1");
  EXPECT_EQ(all.read_back_to, WallTime());
  const DomainOutcomes two = recent.Of("a.test", 2);
  ASSERT_EQ(two.outcomes.size(), 2u);
  EXPECT_EQ(two.read_back_to, WallTime(milliseconds(2)));
}

TEST(RecentOutcomesTest, OldOnesGoAndAreSaidToHaveGone) {
  RecentOutcomes recent;
  AddPage(recent, "a.test", 7);
  for (size_t n = 0; n < RecentOutcomes::kMost; ++n) AddPage(recent, "b.test", 100 + n);
  EXPECT_TRUE(recent.Of("a.test", 50).outcomes.empty());
  EXPECT_EQ(recent.Of("a.test", 50).read_back_to, WallTime(milliseconds(7)));
  EXPECT_EQ(recent.Of("b.test", RecentOutcomes::kMost).outcomes.back().time,
            WallTime(milliseconds(100)));
}

TEST(RecentOutcomesTest, TheLastFailureOfEachDomainThatIsAskedFor) {
  const ScratchFolder folder;
  RecentOutcomes recent;
  AddFailure(recent, "a.test", 1);
  AddFailure(recent, "a.test", 2);
  AddPage(recent, "a.test", 3);
  AddFailure(recent, "b.test", 4);
  AddFailure(recent, "c.test", 5);
  AddPage(recent, "d.test", 6);
  const std::vector<std::string> asked{"d.test", "a.test", "never.test", "b.test"};
  ASSERT_OK(KeepOutcomes(OutcomesFile(folder.path()), recent));
  for (const auto& last : {recent.LastFailures(asked), KeptFailures(folder.path(), asked)}) {
    ASSERT_EQ(last.size(), asked.size());
    EXPECT_FALSE(last[0].has_value());
    EXPECT_EQ(last[1]->url, "http://a.test/2");
    EXPECT_EQ(last[1]->cause, FailureCause::kHttp4xx);
    EXPECT_FALSE(last[2].has_value());
    EXPECT_EQ(last[3]->url, "http://b.test/4");
  }
  const ScratchFolder empty;
  for (const auto& last : KeptFailures(empty.path(), asked)) EXPECT_FALSE(last.has_value());
}

TEST(OutcomesFileTest, TheNextRunAndWhoeverLooksAtTheFolderKnowThem) {
  const ScratchFolder folder;
  const auto file = OutcomesFile(folder.path());
  RecentOutcomes before;
  AddPage(before, "a.test", 1);
  before.Add({.domain = "a.test",
              .event = FetchFailed{.request = {.url = "http://a.test/2"},
                                   .cause = FailureCause::kTimeoutTotal,
                                   .failed_at = WallTime(milliseconds(2)),
                                   .total = milliseconds(30'000)}});
  AddPage(before, "b.test", 3);
  ASSERT_OK(KeepOutcomes(file, before));
  RecentOutcomes next;
  ASSERT_OK(ReadOutcomes(file, &next));
  EXPECT_EQ(next.added(), 0u);
  AddPage(next, "a.test", 4);
  EXPECT_EQ(next.Of("a.test", 50).outcomes.size(), 3u);
  const DomainOutcomes kept = KeptOutcomes(folder.path(), "a.test", WallTime(milliseconds(9)));
  ASSERT_EQ(kept.outcomes.size(), 2u);
  EXPECT_EQ(kept.outcomes[0].url, "http://a.test/2");
  EXPECT_EQ(kept.outcomes[0].cause, FailureCause::kTimeoutTotal);
  EXPECT_EQ(kept.outcomes[0].status, 0u);
  EXPECT_EQ(kept.outcomes[0].latency, milliseconds(30'000));
  EXPECT_EQ(kept.outcomes[1].status, 200u);
  EXPECT_EQ(kept.outcomes[1].cause, std::nullopt);
  EXPECT_EQ(kept.outcomes[1].time, WallTime(milliseconds(1)));
  EXPECT_EQ(kept.read_back_to, WallTime());
}

TEST(OutcomesFileTest, ADamagedFileIsPassedOverAndSaysThatNothingIsKnown) {
  const ScratchFolder folder;
  RecentOutcomes some;
  AddPage(some, "a.test", 1);
  AddPage(some, "a.test", 2);
  const std::string whole = some.Encode();
  RecentOutcomes read;
  AddPage(read, "a.test", 7);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read.Decode(whole.substr(0, size)).ok()) << size;
    std::string flipped = whole;
    flipped[size] ^= 0x40;
    EXPECT_FALSE(read.Decode(flipped).ok()) << size;
  }
  EXPECT_EQ(read.Of("a.test", 50).outcomes.size(), 1u);
  const WallTime now(milliseconds(9));
  EXPECT_EQ(KeptOutcomes(folder.path(), "a.test", now).read_back_to, now);
  ASSERT_OK(KeepFile(OutcomesFile(folder.path()), whole.substr(1)));
  EXPECT_EQ(KeptOutcomes(folder.path(), "a.test", now).read_back_to, now);
  EXPECT_TRUE(KeptOutcomes(folder.path(), "a.test", now).outcomes.empty());
  EXPECT_FALSE(ReadOutcomes(OutcomesFile(folder.path()), &read).ok());
  EXPECT_OK(ReadOutcomes(folder.path() / "none", &read));
}

TEST(OutcomesFileTest, LongUrlsMakeItShorterAndNotLonger) {
  RecentOutcomes many;
  const std::string path(2000, 'x');
  for (size_t n = 0; n < RecentOutcomes::kMost; ++n) AddPage(many, "a.test", path, n);
  const std::string bytes = many.Encode();
  EXPECT_LE(bytes.size(), RecentOutcomes::kMostBytes);
  RecentOutcomes read;
  ASSERT_OK(read.Decode(bytes));
  const DomainOutcomes last = read.Of("a.test", RecentOutcomes::kMost);
  EXPECT_GT(last.outcomes.size(), 4000u);
  EXPECT_EQ(last.outcomes.front().time, WallTime(milliseconds(RecentOutcomes::kMost - 1)));
  // The one that had no room.
  EXPECT_EQ(last.read_back_to, last.outcomes.back().time - milliseconds(1));
}

}  // namespace
}  // namespace orbweaver
