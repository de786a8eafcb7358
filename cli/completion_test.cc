#include "cli/completion.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

int Nothing(std::span<const std::string> /*args*/) { return kExitOk; }

constexpr char kCrawlHelp[] = R"(usage: orbweaver crawl SEED… [OPTIONS]

  --data DIR         that folder
  --seeds FILE|-     a URL a line
  --strategy NAME    what to crawl
  --scope host|all   how far
  --json             as JSON
)";
constexpr char kLogHelp[] = R"(usage: orbweaver log dump TOPIC [OPTIONS]
       orbweaver log export TOPIC DIR [OPTIONS]
       orbweaver log show|hide FILE… [OPTIONS]

  --limit N  stop after N
)";

class CompletionTest : public ::testing::Test {
 protected:
  // Their texts; ":files" and ":folders" for paths.
  static std::vector<std::string> Offered(const std::vector<std::string>& line) {
    const Command commands[] = {
        {.name = "complete", .summary = nullptr, .help = "", .run = Nothing},
        {.name = "crawl", .summary = "Crawl", .help = kCrawlHelp, .run = Nothing},
        {.name = "log", .summary = "Print", .help = kLogHelp, .run = Nothing},
    };
    const Completion completion = Complete(
        line, commands, [](std::string_view command, std::string_view name, std::string_view) {
          return command == "crawl" && name == "--strategy"
                     ? std::vector<Completion::Word>{{"deep", ""}, {"wide", ""}}
                     : std::vector<Completion::Word>{};
        });
    std::vector<std::string> texts;
    for (const Completion::Word& word : completion.words) texts.push_back(word.text);
    if (completion.paths == Completion::Paths::kFiles) texts.emplace_back(":files");
    if (completion.paths == Completion::Paths::kFolders) texts.emplace_back(":folders");
    return texts;
  }
};

TEST_F(CompletionTest, TheFirstWordIsACommandForPeople) {
  EXPECT_THAT(Offered({""}), ElementsAre("crawl", "log", "help"));
  EXPECT_THAT(Offered({"cr"}), ElementsAre("crawl"));
  EXPECT_THAT(Offered({"-"}), ElementsAre("--help", "--version"));
  EXPECT_THAT(Offered({"help", "l"}), ElementsAre("log"));
  EXPECT_THAT(Offered({"help", "log", ""}), IsEmpty());
  EXPECT_THAT(Offered({"nonsense", ""}), IsEmpty());
}

TEST_F(CompletionTest, ADashIsCompletedToTheCommandsOptions) {
  EXPECT_THAT(Offered({"crawl", "--s"}), ElementsAre("--seeds", "--strategy", "--scope"));
  EXPECT_THAT(Offered({"crawl", "http://a/", "--js"}), ElementsAre("--json"));
  EXPECT_THAT(Offered({"crawl", "--", "--js"}), IsEmpty());
}

TEST_F(CompletionTest, AnOptionsValueIsOfItsKind) {
  EXPECT_THAT(Offered({"crawl", "--data", ""}), ElementsAre(":folders"));
  EXPECT_THAT(Offered({"crawl", "--seeds", ""}), ElementsAre(":files"));
  EXPECT_THAT(Offered({"crawl", "--scope", ""}), ElementsAre("host", "all"));
  EXPECT_THAT(Offered({"crawl", "--scope=h"}), ElementsAre("--scope=host"));
  EXPECT_THAT(Offered({"crawl", "--strategy", "w"}), ElementsAre("wide"));
  EXPECT_THAT(Offered({"crawl", "--strategy=w"}), ElementsAre("--strategy=wide"));
  EXPECT_THAT(Offered({"crawl", "--scope", "-"}), IsEmpty());
  EXPECT_THAT(Offered({"log", "dump", "--limit", ""}), IsEmpty());
}

TEST_F(CompletionTest, OperandsGoByTheUsageLineThatFits) {
  EXPECT_THAT(Offered({"log", ""}), ElementsAre("dump", "export", "show", "hide"));
  EXPECT_THAT(Offered({"log", "dump", ""}), IsEmpty());
  EXPECT_THAT(Offered({"log", "export", "spider-log", ""}), ElementsAre(":folders"));
  EXPECT_THAT(Offered({"log", "export", "--limit", "3", "spider-log", ""}),
              ElementsAre(":folders"));
  EXPECT_THAT(Offered({"log", "export", "spider-log", "folder", ""}), IsEmpty());
  EXPECT_THAT(Offered({"log", "hide", "a", "b", ""}), ElementsAre(":files"));
}

}  // namespace
}  // namespace orbweaver
