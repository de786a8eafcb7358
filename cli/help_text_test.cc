#include "cli/help_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace orbweaver {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

auto OptionIs(std::string_view name, std::string_view value, std::string_view doc) {
  return AllOf(Field("name", &HelpText::Option::name, name),
               Field("value", &HelpText::Option::value, value),
               Field("doc", &HelpText::Option::doc, doc));
}

constexpr char kHelp[] = R"(usage: orbweaver log dump TOPIC [OPTIONS]
       orbweaver log export TOPIC DIR [--json] [--at TIME]

Prints `--nothing` of what is no option's line.

scope:
  --data DIR        the folder
                    that --it made
  -q, --quiet       say nothing
  --scope host|all  how far
  --very-long-name NAME=VALUE
                    on a line of its own
  --limit=N         stop after N
  --                what follows are URLs
  --help            this text
)";

TEST(HelpText, AnOptionIsEachLineThatBeginsWithOne) {
  EXPECT_THAT(
      ReadHelp(kHelp).options,
      ElementsAre(OptionIs("--data", "DIR", "the folder"), OptionIs("--quiet", "", "say nothing"),
                  OptionIs("--scope", "host|all", "how far"),
                  OptionIs("--very-long-name", "NAME=VALUE", "on a line of its own"),
                  OptionIs("--limit", "N", "stop after N"), OptionIs("--help", "", "this text"),
                  // Those that only the usage has.
                  OptionIs("--json", "", ""), OptionIs("--at", "TIME", "")));
}

TEST(HelpText, OperandsAreThoseOfEachUsageLine) {
  EXPECT_THAT(ReadHelp(kHelp).operands,
              ElementsAre(ElementsAre("dump", "TOPIC"), ElementsAre("export", "TOPIC", "DIR")));
  EXPECT_THAT(ReadHelp("usage: orbweaver strategy describe [NAME | FILE.so] [OPTIONS]\n").operands,
              ElementsAre(ElementsAre("describe", "[NAME|FILE.so]")));
  EXPECT_THAT(ReadHelp("usage: orbweaver block DOMAIN --for TIME [OPTIONS]\n").operands,
              ElementsAre(ElementsAre("DOMAIN")));
  EXPECT_THAT(ReadHelp("usage: orbweaver version\n").operands, ElementsAre(IsEmpty()));
}

TEST(HelpText, AMisspelledOptionIsGuessed) {
  EXPECT_EQ("option '--queit' is unknown (did you mean --quiet?)", WrongOption(kHelp, "--queit"));
  EXPECT_EQ("option '--scoope=host' is unknown (did you mean --scope?)",
            WrongOption(kHelp, "--scoope=host"));
  EXPECT_EQ("option '--elephant' is unknown", WrongOption(kHelp, "--elephant"));
}

TEST(HelpText, AWordThatIsNoOptionIsOneTooMany) {
  EXPECT_EQ("'data' is one operand too many", WrongOption(kHelp, "data"));
}

TEST(HelpText, AnOptionThatIsKnownLacksItsValue) {
  EXPECT_EQ("option '--data' lacks its value: DIR", WrongOption(kHelp, "--data"));
}

}  // namespace
}  // namespace orbweaver
