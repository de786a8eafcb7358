#include "strategy_worker/host/loader.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/config/schema.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

StrategyOptions Testdata(const std::string& name) {
  return {.name = name, .directory = ORBWEAVER_TESTDATA};
}

std::string PathOf(const std::string& name) {
  return std::string(ORBWEAVER_TESTDATA) + "/" + name + ".so";
}

// The message with which `options` are refused.
std::string Refusal(const StrategyOptions& options) {
  const auto strategy = LoadStrategy(options, 1);
  if (strategy.ok()) return "it was loaded";
  EXPECT_TRUE(IsFatal(strategy.status()));
  return std::string(MessageOf(strategy.status()));
}

TEST(LoaderTest, ABuiltInIsFoundByItsNameAlone) {
  const auto strategy = LoadStrategy({.name = "breadth_first"}, 1);
  ASSERT_OK(strategy);
  EXPECT_EQ("breadth_first", (*strategy)->name());
}

TEST(LoaderTest, EveryBuiltInIsListedAndLoads) {
  const std::vector<std::string> names = ListStrategies({});
  EXPECT_THAT(names, ::testing::IsSupersetOf({"breadth_first", "depth_first", "discovery",
                                              "indegree", "keyword", "larger_sites_first", "opic",
                                              "python", "random", "recrawl"}));
  for (const std::string& name : names) {
    StrategyOptions options{.name = name};
    if (name == "keyword") options.params["terms"] = "crawler";
    if (name == "python") options.params["module"] = ORBWEAVER_EXAMPLES "/opic.py";
    EXPECT_OK(LoadStrategy(options, 1)) << name;
  }
}

TEST(LoaderTest, APathIsLoadedWhateverTheName) {
  const auto strategy = LoadStrategy({.name = "nonsense", .path = PathOf("plain_c")}, 1);
  ASSERT_OK(strategy);
  EXPECT_EQ("plain_c", (*strategy)->name());
  EXPECT_EQ(7u, (*strategy)->version());
}

TEST(LoaderTest, AMisspelledNameIsToldTheNearestOne) {
  EXPECT_THAT(Refusal({.name = "depth_frist"}),
              AllOf(StartsWith("load strategy 'depth_frist': none of this name in "),
                    EndsWith("Did you mean 'depth_first'?")));
}

TEST(LoaderTest, ANameIsNoPath) {
  // A file of that path exists, but names are words of the list.
  EXPECT_THAT(Refusal(Testdata("../testdata/plain_c")), HasSubstr("none of this name"));
}

TEST(LoaderTest, AMissingFileIsRefusedByItsPath) {
  EXPECT_THAT(Refusal({.path = "/nowhere/mine.so"}),
              "load strategy (/nowhere/mine.so): no such file. Check strategy.path and "
              "strategy.directory");
}

TEST(LoaderTest, AFolderIsNoLibrary) {
  EXPECT_THAT(Refusal({.path = ORBWEAVER_TESTDATA}), HasSubstr("not a file"));
}

TEST(LoaderTest, AFileThatIsNoLibraryIsRefused) {
  const ScratchFolder scratch;
  const std::string path = scratch.path() / "mine.so";
  std::ofstream(path)
      << "#!/bin/sh\necho a script of more than sixty-four bytes, the size of a header\n";
  EXPECT_THAT(Refusal({.path = path}), HasSubstr("not a shared library. Build it with"));
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_THAT(Refusal({.path = path}), HasSubstr("not a shared library"));
}

TEST(LoaderTest, ACutOffLibraryIsRefusedAndDoesNotKillTheWorker) {
  const ScratchFolder scratch;
  const std::string path = scratch.path() / "mine.so";
  const auto whole = std::filesystem::file_size(PathOf("plain_c"));
  for (const uintmax_t size : {uintmax_t{100}, uintmax_t{1000}, whole / 4, whole / 2}) {
    std::filesystem::copy_file(PathOf("plain_c"), path,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, size);
    EXPECT_THAT(Refusal({.path = path}), HasSubstr("the file is cut off")) << size;
  }
}

TEST(LoaderTest, ALibraryWithoutTheSymbolIsRefused) {
  EXPECT_THAT(Refusal(Testdata("no_symbol")), AllOf(HasSubstr("no symbol orbweaver_strategy_v1"),
                                                    HasSubstr("ORBWEAVER_STRATEGY(")));
}

TEST(LoaderTest, AnUndefinedSymbolShowsAtLoadingAndNotInTheMiddleOfACrawl) {
  EXPECT_THAT(Refusal(Testdata("undefined_symbol")), HasSubstr("NowhereDefined"));
}

TEST(LoaderTest, AnotherAbiIsRefusedWithBothVersions) {
  EXPECT_EQ("load strategy 'abi' (" + PathOf("abi") + "): ABI 2, host 1. Rebuild against SDK 1",
            Refusal(Testdata("abi")));
}

TEST(LoaderTest, ALibraryOfSeveralStrategiesIsAskedForOneByName) {
  const std::string path = PathOf("two_in_one");
  const auto wide = LoadStrategy({.path = path + "#wide", .params = {{"width", "3"}}}, 1);
  ASSERT_OK(wide);
  EXPECT_EQ("wide", (*wide)->name());
  const auto deep = OpenStrategy({.path = path + "#deep"});
  ASSERT_OK(deep);
  EXPECT_EQ(3u, deep->strategy().version);
  EXPECT_STREQ("depth", deep->strategy().parameters[0].name);
  EXPECT_EQ(uint64_t{ORBWEAVER_NEEDS_BODY}, deep->strategy().needs);
  EXPECT_EQ("load strategy (" + path +
                "): it holds 2 strategies: wide, deep. Name one of them, as " + path + "#wide",
            Refusal({.path = path}));
  EXPECT_THAT(Refusal({.path = path + "#depe"}),
              EndsWith("it holds no strategy 'depe', but: wide, deep"));
  EXPECT_THAT(Refusal({.path = PathOf("plain_c") + "#other"}),
              EndsWith("it holds no strategy 'other', but: plain_c"));
  EXPECT_OK(LoadStrategy({.path = PathOf("plain_c") + "#plain_c"}, 1));
}

TEST(LoaderTest, AFileWhoseNameHasTheMarkIsThatFile) {
  const ScratchFolder scratch;
  const std::string path = scratch.path() / "two.so#wide";
  std::filesystem::copy_file(PathOf("plain_c"), path);
  const auto strategy = LoadStrategy({.path = path}, 1);
  ASSERT_OK(strategy);
  EXPECT_EQ("plain_c", (*strategy)->name());
}

TEST(LoaderTest, ADescriptionMayDependOnWhatIsConfigured) {
  const std::string path = PathOf("by_parameters");
  const auto strategy = LoadStrategy({.path = path, .params = {{"script", "a"}, {"of_a", "5"}}}, 1);
  ASSERT_OK(strategy);
  EXPECT_EQ("script_a", (*strategy)->name());
  EXPECT_THAT(Refusal({.path = path, .params = {{"script", "b"}, {"of_a", "5"}}}),
              EndsWith("parameter 'of_a' is unknown. Did you mean 'of_b'?"));
  EXPECT_THAT(Refusal({.path = path}),
              EndsWith("it refuses what is configured: no script is set."));
}

TEST(LoaderTest, ANeedThatTheHostDoesNotKnowIsRefused) {
  EXPECT_THAT(Refusal(Testdata("needs")),
              EndsWith("it needs what this host does not have (needs 0x8000). Upgrade the worker"));
}

TEST(LoaderTest, AnotherSizeOfAStructIsRefusedByItsName) {
  EXPECT_THAT(Refusal(Testdata("size")),
              AllOf(HasSubstr("its orbweaver_decision has"), HasSubstr("Rebuild")));
  EXPECT_THAT(Refusal(Testdata("newer")),
              AllOf(HasSubstr("its orbweaver_state has"), HasSubstr("Upgrade the worker")));
}

TEST(LoaderTest, AStrategyThatLacksAPartIsRefused) {
  EXPECT_THAT(Refusal(Testdata("no_handler")), HasSubstr("no `on_event`"));
  EXPECT_THAT(Refusal(Testdata("no_name")), HasSubstr("no `name`"));
  EXPECT_THAT(Refusal(Testdata("null")), HasSubstr("returns null"));
}

TEST(LoaderTest, AnEntryPointThatThrowsIsRefusedWithItsText) {
  EXPECT_THAT(Refusal(Testdata("throwing_entry")), HasSubstr("throws: not today"));
}

TEST(LoaderTest, BrokenDeclarationsAreRefused) {
  EXPECT_THAT(Refusal(Testdata("bad_default")),
              HasSubstr("parameter 'depth': its default '11' is not an integer from 0 to 10"));
  EXPECT_THAT(Refusal(Testdata("bad_type")), HasSubstr("'share' is of type 'fraction'"));
  EXPECT_THAT(Refusal(Testdata("twice")), HasSubstr("'depth' is declared twice"));
  EXPECT_THAT(Refusal(Testdata("parameter_name")), HasSubstr("'Any Number'"));
}

TEST(LoaderTest, AStrategyThatRefusesToStartIsQuoted) {
  EXPECT_THAT(Refusal(Testdata("create_fails")),
              EndsWith("create_fails.so): it refuses to start: no licence"));
  StrategyOptions options = Testdata("misbehaving");
  options.params = {{"flaw", "throw in create"}};
  EXPECT_THAT(Refusal(options), EndsWith("it refuses to start: it throws: out of cheese"));
}

TEST(LoaderTest, AnUnknownParameterIsToldTheNearestOne) {
  StrategyOptions options = Testdata("plain_c");
  options.params = {{"dept", "3"}};
  EXPECT_THAT(Refusal(options), EndsWith("parameter 'dept' is unknown. Did you mean 'depth'?"));
  options.params = {{"gravitation", "3"}};
  EXPECT_THAT(Refusal(options), HasSubstr("`orbweaver strategy describe` lists"));
}

TEST(LoaderTest, AParameterOutsideItsBoundsIsToldThem) {
  const std::map<std::string, std::map<std::string, std::string>> bad = {
      {"depth",
       {{"11", "an integer from 0 to 10"},
        {"-1", "an integer from 0 to 10"},
        {"2.5", "an integer from 0 to 10"},
        {"", "an integer from 0 to 10"},
        {"99999999999999999999", "an integer from 0 to 10"}}},
      {"share",
       {{"1.01", "a number from 0 to 1"}, {"nan", "a number from 0 to 1"}, {"half", "a number"}}},
      {"quick", {{"yes", "true or false"}}},
      {"any_number", {{"some", "an integer"}}}};
  for (const auto& [name, texts] : bad) {
    for (const auto& [text, expected] : texts) {
      StrategyOptions options = Testdata("plain_c");
      options.params = {{name, text}};
      EXPECT_THAT(Refusal(options),
                  HasSubstr("parameter '" + name + "': '" + text + "' is not " + expected));
    }
  }
}

TEST(LoaderTest, ParametersAtTheirBoundsAreTaken) {
  StrategyOptions options = Testdata("plain_c");
  options.params = {{"depth", "10"},
                    {"share", "0"},
                    {"quick", "false"},
                    {"word", ""},
                    {"any_number", "-9223372036854775808"}};
  EXPECT_OK(LoadStrategy(options, 1));
}

TEST(LoaderTest, AWrappedStrategyRefusesParametersThatDoNotFitTogether) {
  StrategyOptions options{.name = "recrawl"};
  options.params = {{"min_interval_s", "100"}, {"max_interval_s", "10"}};
  EXPECT_THAT(Refusal(options),
              EndsWith("it refuses to start: min_interval_s is greater than max_interval_s"));
}

TEST(LoaderTest, AFolderWithoutStrategiesListsNone) {
  const ScratchFolder scratch;
  EXPECT_TRUE(ListStrategies({.directory = scratch.path()}).empty());
  EXPECT_TRUE(ListStrategies({.directory = scratch.path() / "none"}).empty());
}

TEST(LoaderTest, TheOptionsAreDeclared) {
  config::Schema schema;
  StrategyOptions options;
  DeclareStrategyOptions(schema, &options);
  std::vector<std::string> names;
  for (const config::Option& option : schema.options()) names.push_back(option.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("strategy.directory", "strategy.name", "strategy.params",
                                     "strategy.path", "strategy.time_limit"));
}

}  // namespace
}  // namespace orbweaver
