#include "cli/replay/crawl_replay_arguments.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(CrawlReplayArgumentsTest, AreTakenOutOfTheOthers) {
  std::vector<std::string> args{"--budget",  "1000", "--json",  "--speed=30/min",
                                "--spiders", "4",    "--delay", "250ms",
                                "--for",     "24h",  "--seed",  "7",
                                "--work",    "/x",   "--force"};
  CrawlReplayArguments arguments;
  EXPECT_EQ(TakeCrawlReplayArguments(&args, &arguments), std::nullopt);
  EXPECT_EQ(args, std::vector<std::string>{"--json"});
  EXPECT_EQ(arguments.budget, 1000);
  EXPECT_EQ(arguments.speed, 0.5);
  EXPECT_EQ(arguments.spiders, 4);
  EXPECT_EQ(arguments.delay, std::chrono::milliseconds(250));
  EXPECT_EQ(arguments.time, std::chrono::hours(24));
  EXPECT_EQ(arguments.seed, 7);
  EXPECT_EQ(arguments.work, "/x");
  EXPECT_TRUE(arguments.force);
}

TEST(CrawlReplayArgumentsTest, AReportHasOneValueAndAFolder) {
  std::vector<std::string> args{"--value", "depth<3", "--out", "report", "--draws", "3"};
  CrawlReplayArguments arguments;
  EXPECT_EQ(TakeCrawlReplayArguments(&args, &arguments), std::nullopt);
  EXPECT_TRUE(args.empty());
  EXPECT_EQ(arguments.value, "depth<3");
  EXPECT_EQ(arguments.out, "report");
  EXPECT_EQ(arguments.draws, 3);
  args = {"--value", "depth<3", "--value-file", "scores.csv"};
  EXPECT_NE(TakeCrawlReplayArguments(&args, &arguments), std::nullopt);
  for (const std::string draws : {"0", "11", "many"}) {
    args = {"--draws", draws};
    EXPECT_NE(TakeCrawlReplayArguments(&args, &arguments), std::nullopt);
  }
}

TEST(CrawlReplayArgumentsTest, ARateHasAUnitOrNone) {
  for (const auto& [text, rate] :
       {std::pair("500/s", 500.0), {"0.5", 0.5}, {"60/min", 1.0}, {"3600/h", 1.0}}) {
    std::vector<std::string> args{"--speed", text};
    CrawlReplayArguments arguments;
    EXPECT_EQ(TakeCrawlReplayArguments(&args, &arguments), std::nullopt);
    EXPECT_EQ(arguments.speed, rate);
  }
}

TEST(CrawlReplayArgumentsTest, AValueThatMakesNoSenseIsNamed) {
  for (const auto& [name, value] : {std::pair("--budget", "0"),
                                    {"--budget", "many"},
                                    {"--speed", "0/s"},
                                    {"--speed", "nan"},
                                    {"--speed", "5/day"},
                                    {"--spiders", "0"},
                                    {"--spiders", "5000"},
                                    {"--delay", "-1s"},
                                    {"--for", "0s"},
                                    {"--seed", "x"}}) {
    std::vector<std::string> args{name, value};
    CrawlReplayArguments arguments;
    const auto mistake = TakeCrawlReplayArguments(&args, &arguments);
    ASSERT_TRUE(mistake) << name << " " << value;
    EXPECT_NE(mistake->find(std::string(name) + " " + value), std::string::npos) << *mistake;
  }
}

}  // namespace
}  // namespace orbweaver
