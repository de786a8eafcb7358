#include "cli/frontier/recent_outcomes.h"

#include "fmt/format.h"
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

void AddPage(RecentOutcomes& recent, const std::string& domain, size_t n) {
  const std::string url = fmt::format("http://{}/{}", domain, n);
  recent.Add(
      {.domain = domain,
       .event = PageFetched{
           .request = {.url = url}, .status = 200, .fetched_at = WallTime(milliseconds(n))}});
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

}  // namespace
}  // namespace orbweaver
