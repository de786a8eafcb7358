#include "cli/replay/strategy_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const lab::RecordingOrigin kOrigin{
    .source = "cluster kafka:9092",
    .strategy = "opic",
    .configuration = {
        {"strategy.name", "opic"}, {"strategy.params.max_pages", "7"}, {"scope.kind", "host"}}};

struct Loaded {
  std::vector<ListedStrategy> list;
  std::vector<std::string> args;
  ProductOptions options;
};

absl::StatusOr<Loaded> Load(std::vector<std::string> args) {
  Loaded loaded{.list = {}, .args = std::move(args), .options = {}};
  config::Schema schema;
  auto list = LoadStrategyList(kOrigin, &loaded.args, schema, &loaded.options);
  if (!list.ok()) return list.status();
  loaded.list = *std::move(list);
  return loaded;
}

TEST(StrategyListTest, WithoutAStrategyItIsTheRecordedOneWithItsParameters) {
  const auto loaded = Load({"--param", "max_depth=3", "rest"});
  ASSERT_OK(loaded);
  ASSERT_EQ(loaded->list.size(), 1u);
  EXPECT_EQ(loaded->list[0].name, "opic");
  EXPECT_TRUE(loaded->list[0].is_recorded);
  EXPECT_THAT(loaded->list[0].options.params,
              ElementsAre(Pair("max_depth", "3"), Pair("max_pages", "7")));
  EXPECT_THAT(loaded->args, ElementsAre("rest"));
}

TEST(StrategyListTest, OneStrategyHasTheParametersOfTheCommandLine) {
  const auto loaded = Load({"--strategy", "breadth_first:max_pages=2", "--param=max_depth=3"});
  ASSERT_OK(loaded);
  ASSERT_EQ(loaded->list.size(), 1u);
  EXPECT_EQ(loaded->list[0].name, "breadth_first:max_pages=2");
  EXPECT_FALSE(loaded->list[0].is_recorded);
  EXPECT_EQ(loaded->list[0].options.name, "breadth_first");
  EXPECT_THAT(loaded->list[0].options.params,
              ElementsAre(Pair("max_depth", "3"), Pair("max_pages", "2")));
}

TEST(StrategyListTest, EachOfSeveralHasItsOwnParametersAndAllShareTheRest) {
  const auto loaded = Load({"--strategy", "opic:max_pages=1", "--json", "--strategy=./a.so#b",
                            "--strategy", "opic:max_pages=1", "--set", "scope.kind=domain"});
  ASSERT_OK(loaded);
  ASSERT_EQ(loaded->list.size(), 3u);
  EXPECT_EQ(loaded->list[0].name, "opic:max_pages=1");
  EXPECT_EQ(loaded->list[1].name, "./a.so#b");
  EXPECT_EQ(loaded->list[2].name, "opic:max_pages=1 (2)");
  EXPECT_THAT(loaded->list[0].options.params, ElementsAre(Pair("max_pages", "1")));
  EXPECT_THAT(loaded->list[1].options.params, IsEmpty());
  EXPECT_THAT(loaded->list[1].options.path, HasSubstr("/a.so#b"));
  EXPECT_THAT(loaded->args, ElementsAre("--json"));
  EXPECT_EQ(loaded->options.spider.scope.kind, ScopeKind::kDomain);
}

TEST(StrategyListTest, AParameterOfNoOneStrategyIsRefused) {
  const auto loaded = Load({"--strategy", "opic", "--strategy", "random", "--param", "a=1"});
  EXPECT_THAT(loaded.status().message(), HasSubstr("it is not clear whose"));
  EXPECT_THAT(Load({"--strategy", "opic:x"}).status().message(),
              HasSubstr("--strategy: opic:x: expected PARAMETER=VALUE"));
}

}  // namespace
}  // namespace orbweaver
