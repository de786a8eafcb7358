#include "cli/strategy_argument.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

auto Settings(std::string_view argument) {
  const auto settings = StrategySettings(argument);
  EXPECT_TRUE(settings.ok()) << settings.status();
  return settings.value_or(std::vector<std::pair<std::string, std::string>>());
}
std::string Refusal(std::string_view argument) {
  return std::string(StrategySettings(argument).status().message());
}
auto Path(std::string_view file) {
  return Pair("strategy.path", std::filesystem::absolute(file).string());
}

TEST(StrategyArgumentTest, ANameOrALibrary) {
  EXPECT_THAT(Settings("opic"),
              ElementsAre(Pair("strategy.path", ""), Pair("strategy.name", "opic")));
  EXPECT_THAT(Settings("mine.so"), ElementsAre(Path("mine.so")));
  EXPECT_THAT(Settings("./mine.so#deep"), ElementsAre(Path("./mine.so#deep")));
}

TEST(StrategyArgumentTest, AFileOfPython) {
  const auto module =
      Pair("strategy.params.module", std::filesystem::absolute("./mine.py").string());
  EXPECT_THAT(Settings("./mine.py"),
              ElementsAre(Pair("strategy.path", ""), Pair("strategy.name", "python"), module));
  EXPECT_THAT(
      Settings("./mine.py#Deep:max_pages=5"),
      ElementsAre(Pair("strategy.path", ""), Pair("strategy.name", "python"), module,
                  Pair("strategy.params.class", "Deep"), Pair("strategy.params.max_pages", "5")));
}

TEST(StrategyArgumentTest, ParametersStandBehindAColon) {
  EXPECT_THAT(
      Settings("opic:max_pages=5,max_depth=2"),
      ElementsAre(Pair("strategy.path", ""), Pair("strategy.name", "opic"),
                  Pair("strategy.params.max_pages", "5"), Pair("strategy.params.max_depth", "2")));
  EXPECT_THAT(Settings("./a:b.so#deep:max_pages=5"),
              ElementsAre(Path("./a:b.so#deep"), Pair("strategy.params.max_pages", "5")));
  EXPECT_THAT(Settings("./mine.so:x="),
              ElementsAre(Path("./mine.so"), Pair("strategy.params.x", "")));
}

TEST(StrategyArgumentTest, AListKeepsItsCommasAndAnUrlItsColons) {
  EXPECT_THAT(Settings("./s.so:deny_urls=http://a/*,*?b=1,*/c,max_pages=5"),
              ElementsAre(Path("./s.so"), Pair("strategy.params.deny_urls", "http://a/*,*?b=1,*/c"),
                          Pair("strategy.params.max_pages", "5")));
}

TEST(StrategyArgumentTest, AValueInQuotesHoldsAnything) {
  EXPECT_THAT(Settings("./s.so:a=\"x,y=1:z=2\",b=\"say \"\"ho\"\"\",c=\"\",d=\\,"),
              ElementsAre(Path("./s.so"), Pair("strategy.params.a", "x,y=1:z=2"),
                          Pair("strategy.params.b", "say \"ho\""), Pair("strategy.params.c", ""),
                          Pair("strategy.params.d", "\\,")));
}

TEST(StrategyArgumentTest, WrongOnesAreRefusedWithTheReason) {
  EXPECT_THAT(Refusal(""), HasSubstr("expected NAME, FILE.py or FILE.so"));
  EXPECT_THAT(Refusal(":max_pages=5"), HasSubstr("expected NAME, FILE.py or FILE.so"));
  EXPECT_THAT(Refusal("opic:max_pages"), HasSubstr("expected PARAMETER=VALUE"));
  EXPECT_THAT(Refusal("opic:"), HasSubstr("expected PARAMETER=VALUE"));
  EXPECT_THAT(Refusal("opic:a=1,a=2"), HasSubstr("'a' is given twice"));
  EXPECT_THAT(Refusal("opic:a=\"1"), HasSubstr("closing quote"));
  EXPECT_THAT(Refusal("opic:a=\"1\"b=2x"), HasSubstr("not 'b=2x'"));
  EXPECT_THAT(Refusal("opic:a=\"1\","), HasSubstr("not ','"));
}

}  // namespace
}  // namespace orbweaver
