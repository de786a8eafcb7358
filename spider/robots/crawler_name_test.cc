#include "spider/robots/crawler_name.h"

#include <string>

#include "gtest/gtest.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

std::string NameIn(const char* agent, const char* chosen = "") {
  const absl::StatusOr<std::string> name = CrawlerName(agent, chosen);
  return name.ok() ? *name : std::string("refused: ").append(MessageOf(name.status()));
}

TEST(CrawlerNameTest, IsTheFirstProductOfTheAgent) {
  EXPECT_EQ(NameIn("mybot"), "mybot");
  EXPECT_EQ(NameIn("mybot (+https://example.org/bot)"), "mybot");
  EXPECT_EQ(NameIn("  My-Bot/2.1 libfoo/3"), "My-Bot");
  EXPECT_EQ(NameIn("bot2000/1.0"), "bot2000");
  EXPECT_EQ(NameIn("mybot(x)"), "mybot");
}

TEST(CrawlerNameTest, IsNotTheBrowserThatTheAgentClaimsToBe) {
  EXPECT_EQ(NameIn("Mozilla/5.0 (compatible; mybot/1.0; +https://example.org/)"), "mybot");
  EXPECT_EQ(NameIn("mozilla/5.0 (Compatible;mybot)"), "mybot");
}

TEST(CrawlerNameTest, RefusesAnAgentWithoutAName) {
  for (const char* const agent : {"", "   ", "(+https://example.org/)", "/1.0", "99/1",
                                  "Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (compatible;"}) {
    EXPECT_TRUE(NameIn(agent).starts_with("refused: user agent")) << agent;
  }
}

TEST(CrawlerNameTest, RefusesAChosenNameThatTheAgentDoesNotShow) {
  EXPECT_EQ(NameIn("Mozilla/5.0 (X11; mybot)", "MyBot"), "MyBot");
  EXPECT_EQ(NameIn("mybot/1.0 (+https://example.org/)", "orbweaver"),
            "refused: spider.robots.product_token 'orbweaver': does not stand in the user agent "
            "'mybot/1.0 (+https://example.org/)'. Site owners write the name that they see: leave "
            "the option out, or change the user agent");
  EXPECT_TRUE(NameIn("my bot", "my bot").starts_with("refused: spider.robots.product_token"));
}

}  // namespace
}  // namespace orbweaver
