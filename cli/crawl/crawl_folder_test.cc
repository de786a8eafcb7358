#include "cli/crawl/crawl_folder.h"

#include <fstream>
#include <sys/stat.h>

#include "cli/arguments.h"
#include "cli/crawl/newly_allowed.h"
#include "cli/product_options.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/load.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CrawlFolderTest : public testing::Test {
 protected:
  struct Loaded {
    ProductOptions options;
    config::Schema schema;

    Loaded(const std::string& kept, std::vector<std::string> sets) {
      DeclareProductOptions(schema, &options);
      EXPECT_OK(config::Load({.kept = kept, .sets = std::move(sets)}, &schema));
    }
  };

  ScratchFolder scratch_;
  CrawlFolder folder_{scratch_.path()};
};

TEST_F(CrawlFolderTest, GoesOnWithWhatWasConfiguredAndNotWithHowTheProcessRan) {
  EXPECT_EQ(folder_.options_file(), "");
  const Loaded first(
      "", {"politeness.delay=3s", "strategy.params.max_depth=2",
           "spider.fetch.headers.authorization=Basic secret", "log.level=error", "admin.port=7"});
  ASSERT_OK(folder_.KeepOptions(first.schema));
  const Loaded again(folder_.options_file(), {});
  EXPECT_EQ(again.options.spider.politeness.delay, std::chrono::seconds(3));
  EXPECT_EQ(again.options.strategy.params.at("max_depth"), "2");
  EXPECT_EQ(again.options.spider.fetch.headers.at("authorization"), "Basic secret");
  EXPECT_EQ(again.options.process.admin.port, ProductOptions().process.admin.port);
  EXPECT_THAT(ChangesBetween(first.schema, again.schema), IsEmpty());
  struct stat status{};
  ASSERT_EQ(stat(folder_.options_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u) << "a password may stand in it";
}

TEST_F(CrawlFolderTest, TellsWhatChangedAndWhatThatMeansForSites) {
  const Loaded before("", {"politeness.delay=3s", "strategy.params.max_depth=2",
                           "strategy.params.deny_urls=*/x/*", "spider.threads=2"});
  const Loaded after("",
                     {"politeness.delay=1s", "strategy.params.max_depth=9", "spider.threads=4"});
  const std::vector<OptionChange> changes = ChangesBetween(before.schema, after.schema);
  ASSERT_THAT(changes, ElementsAre(Field(&OptionChange::name, "politeness.delay"),
                                   Field(&OptionChange::name, "spider.threads"),
                                   Field(&OptionChange::name, "strategy.params.deny_urls"),
                                   Field(&OptionChange::name, "strategy.params.max_depth")));
  EXPECT_EQ(changes[0].before, "3s");
  EXPECT_EQ(changes[0].after, "1s");
  EXPECT_EQ(changes[2].after, "");
  EXPECT_EQ(WarningFor(changes[0]), "sites are asked more often");
  EXPECT_EQ(WarningFor(changes[1]), "");
  EXPECT_EQ(WarningFor(changes[2]), "other parts of the web are crawled");
  EXPECT_EQ(WarningFor(changes[3]), "more of the web is crawled");
  for (const OptionChange& change : ChangesBetween(after.schema, before.schema)) {
    EXPECT_THAT(std::string(WarningFor(change)), Not(HasSubstr("more"))) << change.name;
  }
  EXPECT_EQ(WarningFor({"strategy.params.max_depth", "3", ""}), "more of the web is crawled");
  const std::string ruder = "sites are asked more often";
  EXPECT_EQ(WarningFor({"politeness.per_domain", "1", "4"}), ruder);
  EXPECT_EQ(WarningFor({"politeness.per_domain", "4", "1"}), "");
  EXPECT_EQ(WarningFor({"politeness.rate", "5", "10"}), ruder);
  EXPECT_EQ(WarningFor({"politeness.rate", "5", "0"}), ruder);
  EXPECT_EQ(WarningFor({"politeness.rate", "0", "5"}), "");
  EXPECT_EQ(WarningFor({"spider.robots.ignore_hosts", "", "a.test"}),
            "robots.txt is not obeyed there");
  EXPECT_EQ(WarningFor({"spider.robots.ignore_hosts", "a.test", ""}), "");
}

TEST_F(CrawlFolderTest, DoesNotShowSecretsAmongTheChanges) {
  const Loaded before("", {}), after("", {"kafka.properties.sasl.password=hunter2"});
  const std::vector<OptionChange> changes = ChangesBetween(before.schema, after.schema);
  ASSERT_EQ(changes.size(), 1u);
  for (const OptionChange& change : changes) {
    EXPECT_THAT(change.after, Not(HasSubstr("hunter2")));
  }
}

TEST_F(CrawlFolderTest, KnowsTheSeedsThatItWasGiven) {
  EXPECT_THAT(folder_.Seeds(), IsEmpty());
  const std::string file = scratch_.path() / "urls";
  std::ofstream(file) << "http://b.test/\n";
  const auto of_file = ListSeeds({"http://a.test/x y"}, {file});
  const auto other = ListSeeds({"http://c.test/"}, {});
  ASSERT_OK(of_file);
  ASSERT_OK(other);
  ASSERT_OK(folder_.AddSeeds(*of_file));
  ASSERT_OK(folder_.AddSeeds(*other));
  ASSERT_OK(folder_.AddSeeds(*of_file));
  const std::vector<SeedList> seeds = folder_.Seeds();
  ASSERT_EQ(seeds.size(), 2u);
  EXPECT_EQ(seeds[0].digest, of_file->digest);
  EXPECT_EQ(seeds[0].first, "http://a.test/x y");
  EXPECT_EQ(seeds[0].more, 1u);
  EXPECT_EQ(seeds[1].first, "http://c.test/");
  std::ofstream(file, std::ios::app) << "http://d.test/\n";
  EXPECT_NE(ListSeeds({"http://a.test/x y"}, {file})->digest, of_file->digest);
  EXPECT_NE(ListSeeds({}, {"-"})->digest, ListSeeds({}, {"-"})->digest);
  EXPECT_FALSE(ListSeeds({}, {scratch_.path() / "missing"}).ok());
}

TEST_F(CrawlFolderTest, ADamagedListOfSeedsIsReadAsFarAsItGoes) {
  std::ofstream(scratch_.path() / "seeds")
      << std::string_view("\n\0\xff\nabc\nabc x\n12 1 http://a.test/\n", 34);
  const std::vector<SeedList> seeds = folder_.Seeds();
  ASSERT_EQ(seeds.size(), 1u);
  EXPECT_EQ(seeds[0].first, "http://a.test/");
}

TEST(ShellQuotedTest, IsOneWordForAShell) {
  EXPECT_EQ(ShellQuoted("crawl-data/a.b"), "crawl-data/a.b");
  EXPECT_EQ(ShellQuoted("my crawl"), "'my crawl'");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuoted(""), "''");
}

TEST_F(CrawlFolderTest, ACrawlThatBeginsAnewDoesSoOnce) {
  EXPECT_FALSE(folder_.HasSeedTexts());
  EXPECT_FALSE(folder_.begins_anew());
  ASSERT_OK(folder_.BeginAnew());
  EXPECT_TRUE(CrawlFolder(scratch_.path()).begins_anew());
  ASSERT_OK(folder_.BegunAnew());
  EXPECT_FALSE(folder_.begins_anew());
}

TEST(NewlyAllowedTest, WhatMayBeAllowedNowGoesByTheOptionThatHasChanged) {
  using ::testing::UnorderedElementsAre;
  EXPECT_THAT(CausesOf({{"spider.threads", "1", "2"}}), IsEmpty());
  EXPECT_THAT(CausesOf({{"network.ports", "80", "80,81"}}),
              UnorderedElementsAre(FailureCause::kPort));
  EXPECT_THAT(CausesOf({{"network.allow_private", "false", "true"}}),
              UnorderedElementsAre(FailureCause::kPrivateAddress));
  EXPECT_THAT(CausesOf({{"network.proxy", "", "http://p:1"}}),
              UnorderedElementsAre(FailureCause::kPrivateAddress, FailureCause::kProxy));
}

}  // namespace
}  // namespace orbweaver
