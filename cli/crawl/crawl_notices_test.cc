#include "cli/crawl/crawl_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CrawlNoticesTest, AHostThatCannotBeReachedIsToldOnce) {
  CrawlNotices notices;
  CrawlSnapshot look;
  look.unreachable = {{"http://a.test", "refused"}};
  EXPECT_THAT(notices.NewsOf(look, std::nullopt),
              ElementsAre("http://a.test cannot be reached: refused"));
  EXPECT_THAT(notices.NewsOf(look, std::nullopt), IsEmpty());
}

TEST(CrawlNoticesTest, ThousandsOfDeadHostsDoNotFillTheTerminal) {
  CrawlNotices notices;
  CrawlSnapshot look;
  for (int i = 0; i < 1000; ++i) look.unreachable.emplace_back(std::to_string(i), "refused");
  EXPECT_LE(notices.NewsOf(look, std::nullopt).size(), 20u);
}

TEST(CrawlNoticesTest, AWayOutThatIsNotThereIsToldWithTheOptionAndItsReturnToo) {
  CrawlNotices notices;
  const WayOut::Closed closed{.side = OwnSide::kProxy, .message = "connect: refused", .since = {}};
  EXPECT_THAT(notices.NewsOf({}, closed),
              ElementsAre(testing::AllOf(HasSubstr("connect: refused"), HasSubstr("--proxy"))));
  EXPECT_THAT(notices.NewsOf({}, closed), IsEmpty());
  EXPECT_THAT(notices.NewsOf({}, std::nullopt), ElementsAre(HasSubstr("goes on")));
}

TEST(CrawlNoticesTest, AWaitIsToldOnlyWhileNothingGoesOnAndOncePerWait) {
  CrawlNotices notices;
  CrawlSnapshot look;
  look.delayed = 1;
  look.at = WallTime(seconds(1000));
  look.next_due = look.at + seconds(30);
  EXPECT_THAT(notices.NewsOf(look, std::nullopt), IsEmpty());
  look.is_idle = true;
  EXPECT_THAT(notices.NewsOf(look, std::nullopt), ElementsAre(HasSubstr("due in 30 s")));
  EXPECT_THAT(notices.NewsOf(look, std::nullopt), IsEmpty());
  look.next_due = look.at + seconds(1);
  EXPECT_THAT(notices.NewsOf(look, std::nullopt), IsEmpty()) << "between two requests";
  look.next_due = look.at + seconds(60);
  EXPECT_THAT(notices.NewsOf(look, std::nullopt),
              ElementsAre(HasSubstr("due in 1 min 0 s or later")));
}

TEST(CrawlNoticesTest, ACrawlWithoutAPageGivesUpSoonerThanOneThatHasSome) {
  EXPECT_FALSE(GivesUpWaiting(seconds(59), 0, hours(1)));
  EXPECT_TRUE(GivesUpWaiting(seconds(60), 0, hours(1)));
  EXPECT_TRUE(GivesUpWaiting(seconds(2), 0, seconds(2)));
  EXPECT_FALSE(GivesUpWaiting(seconds(3599), 1, hours(1)));
  EXPECT_TRUE(GivesUpWaiting(hours(1), 1, hours(1)));
}

}  // namespace
}  // namespace orbweaver
