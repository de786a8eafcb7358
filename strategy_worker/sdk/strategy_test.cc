#include "orbweaver/strategy.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orbweaver/test_driver.h"

namespace orbweaver::sdk {
namespace {

using ::testing::ElementsAre;

// A strategy whose handlers each test sets.
struct Script {
  std::function<void(Seeds&)> seeds;
  std::function<void(Page&)> page;
  std::function<void(Links&)> links;
};
Script& script() {
  static Script one;
  return one;
}

class Scripted final : public Strategy {
  NeedsBody body_{this};
  Integer depth_{this, "depth", 3, 0, 10, "How deep"};
  Number share_{this, "share", 0.25, 0, 1, "How much"};
  Flag quick_{this, "quick", true, "Whether"};
  String word_{this, "word", "tea", "Which"};
  List words_{this, "words", "a, b", "Which all"};

  void Start(uint64_t seed) override {
    if (seed == 13) throw std::invalid_argument("an unlucky seed");
    if (word_.value() == "number") throw 42;
  }
  void OnSeeds(Seeds& seeds) override {
    if (script().seeds) return script().seeds(seeds);
    Strategy::OnSeeds(seeds);
  }
  void OnPage(Page& page) override { script().page(page); }
  void OnLinks(Links& links) override { script().links(links); }
  bool Finished() override { return quick_ && depth_ == 3 && share_ == 0.25; }
  std::string Adopt(std::string_view name, uint32_t version, std::string_view data) override {
    return std::string(name) + std::to_string(version) + std::string(data);
  }
};

const orbweaver_strategy* Strategy1() {
  return internal::Exported<Scripted>::Describe("scripted", 1, "A test");
}
const orbweaver_strategy* Strategy2() {
  static const orbweaver_strategy strategy = [] {
    orbweaver_strategy other = *Strategy1();
    other.version = 2;
    return other;
  }();
  return &strategy;
}

class StrategyTest : public ::testing::Test {
 protected:
  StrategyTest() { script() = {}; }
};

TEST_F(StrategyTest, ParametersAreDeclaredInTheOrderOfTheirMembers) {
  std::vector<std::string> declared;
  for (size_t i = 0; i < Strategy1()->parameter_count; ++i) {
    const orbweaver_parameter& parameter = Strategy1()->parameters[i];
    declared.push_back(std::string(parameter.name) + " " + parameter.type + " " +
                       parameter.default_value);
  }
  EXPECT_THAT(declared, ElementsAre("depth integer 3", "share number 0.25", "quick bool true",
                                    "word text tea", "words list a, b"));
  EXPECT_EQ(1, Strategy1()->needs_body);
  EXPECT_EQ(uint64_t{ORBWEAVER_NEEDS_BODY}, Strategy1()->needs);
}

TEST_F(StrategyTest, ValuesReachTheMembers) {
  EXPECT_TRUE(TestDriver(Strategy1()).Finished());
  EXPECT_FALSE(TestDriver(Strategy1(), {{"depth", "4"}}).Finished());
  EXPECT_FALSE(TestDriver(Strategy1(), {{"share", "1e-1"}}).Finished());
  EXPECT_FALSE(TestDriver(Strategy1(), {{"quick", "false"}}).Finished());
}

// Runs `make` and returns what it throws.
template <typename Function>
std::string Thrown(Function make) {
  try {
    make();
  } catch (const std::exception& exception) {
    return exception.what();
  }
  return "nothing";
}

TEST_F(StrategyTest, ARefusalToStartIsAMessage) {
  EXPECT_EQ("an unlucky seed", Thrown([] { TestDriver(Strategy1(), {}, 13); }));
  EXPECT_EQ("parameter 'depth': not an integer",
            Thrown([] { TestDriver(Strategy1(), {{"depth", "3x"}}); }));
  EXPECT_EQ("an exception that is not a std::exception",
            Thrown([] { TestDriver(Strategy1(), {{"word", "number"}}); }));
}

TEST_F(StrategyTest, AnExceptionOfAHandlerIsAMessageAndDecidesNothing) {
  script().seeds = [](Seeds& seeds) {
    seeds[0].Schedule(1);
    throw std::runtime_error("out of cheese");
  };
  TestDriver crawl(Strategy1());
  EXPECT_EQ("out of cheese", Thrown([&] { crawl.Seeds({"https://a.com/"}); }));
  EXPECT_TRUE(crawl.queue().empty());
}

TEST_F(StrategyTest, WithoutAHandlerNewSeedsAreScheduledOnce) {
  TestDriver crawl(Strategy1());
  TestLink scored("https://a.com/2");
  scored.score = 0.5f;
  crawl.Seeds({"https://a.com/1", scored});
  crawl.Seeds({"https://a.com/1"});
  ASSERT_EQ(2u, crawl.queue().size());
  EXPECT_EQ(1.0f, crawl.queue()[0].score);
  EXPECT_EQ(0.5f, crawl.queue()[1].score);
}

TEST_F(StrategyTest, ManyRequestsOfAnEventKeepTheirTexts) {
  script().seeds = [](Seeds& seeds) {
    for (int i = 0; i < 1000; ++i) {
      seeds.Request("https://a.com/" + std::to_string(i), 0.5f, {.depth = 4});
    }
    EXPECT_EQ(1000u, seeds.scheduled());
  };
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  ASSERT_EQ(1000u, crawl.queue().size());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ("https://a.com/" + std::to_string(i), crawl.queue()[static_cast<size_t>(i)].url);
  }
  EXPECT_EQ(4u, crawl.queue()[0].depth);
}

TEST_F(StrategyTest, RequestsOfOneEventDoNotComeBackWithTheNext) {
  script().seeds = [](Seeds& seeds) {
    if (seeds[0].url() == "https://a.com/") seeds.Request("https://a.com/x", 0.5f);
  };
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  crawl.Seeds({"https://b.com/"});
  EXPECT_EQ(1u, crawl.queue().size());
}

TEST_F(StrategyTest, AKnownUrlIsRequestedOnlyWhenAsked) {
  bool even_if_known = false;
  script().seeds = [&](Seeds& seeds) {
    seeds.Request("https://a.com/x", 0.5f, {.even_if_known = even_if_known});
  };
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  crawl.Seeds({"https://a.com/"});
  EXPECT_EQ(1u, crawl.queue().size());
  even_if_known = true;
  crawl.Seeds({"https://a.com/"});
  EXPECT_EQ(2u, crawl.queue().size());
}

TEST_F(StrategyTest, DataOfAUrlAndOfADomainComeBack) {
  struct Pair {
    uint16_t a;
    uint32_t b;
  };
  script().seeds = [](Seeds& seeds) {
    for (Link seed : seeds) {
      seed.SetData(Pair{7, 8});
      seed.SetDue(99);
      seed.SetStatus(Status::kCrawled);
    }
    EXPECT_EQ(0u, seeds.domain().DataAs<uint64_t>());
    seeds.KeepDomainDataAs(uint64_t{12345});
  };
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  EXPECT_EQ(ORBWEAVER_CRAWLED, crawl.State("https://a.com/")->status);
  script().seeds = [](Seeds& seeds) {
    EXPECT_EQ(7, seeds[0].DataAs<Pair>().a);
    EXPECT_EQ(8u, seeds[0].DataAs<Pair>().b);
    EXPECT_EQ(99, seeds[0].due_at_ms());
    EXPECT_FALSE(seeds[0].IsNew());
    EXPECT_EQ(12345u, seeds.domain().DataAs<uint64_t>());
    EXPECT_EQ(0u, seeds.domain().DataAs<uint32_t>()) << "another size is not ours";
  };
  crawl.Seeds({"https://a.com/"});
}

TEST_F(StrategyTest, ASeedThatFailedIsShownAsNewAndKeepsItsData) {
  script().seeds = [](Seeds& seeds) {
    seeds[0].SetData(uint32_t{7});
    seeds[0].SetStatus(Status::kGone);
  };
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  script().seeds = [](Seeds& seeds) {
    EXPECT_TRUE(seeds[0].IsNew());
    EXPECT_EQ(7u, seeds[0].DataAs<uint32_t>());
  };
  crawl.Seeds({"https://a.com/"});
}

TEST_F(StrategyTest, DomainBytesThatAreKeptAlreadyAreNotWrittenAgain) {
  orbweaver_output output{};
  internal::Kept kept;
  orbweaver_domain domain{};
  domain.data_view = internal::Text("same");
  orbweaver_event event{};
  event.domain_view = &domain;
  Event wrapped(&event, &output, &kept);
  wrapped.KeepDomainData("same");
  EXPECT_EQ(0, output.set_domain_data);
  wrapped.KeepDomainData("other");
  EXPECT_EQ(1, output.set_domain_data);
}

TEST_F(StrategyTest, AnotherVersionsDomainBytesAreAdopted) {
  script().seeds = [](Seeds& seeds) { seeds.KeepDomainData("old"); };
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  crawl.Swap(Strategy2());
  std::string seen;
  script().seeds = [&](Seeds& seeds) { seen = seeds.domain().data(); };
  crawl.Seeds({"https://a.com/"});
  EXPECT_EQ("scripted1old", seen);
}

TEST_F(StrategyTest, ALinkScheduledTwiceInOneEventIsCountedOnce) {
  script().seeds = [](Seeds& seeds) {
    seeds[0].Schedule(0.5f);
    seeds[0].Schedule(0.75f);
    EXPECT_EQ(1u, seeds.scheduled());
  };
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  EXPECT_EQ(0.75f, crawl.queue().at(0).score);
}

TEST_F(StrategyTest, RaisingWhatWaitsMovesItsRequestAndCountsNone) {
  TestDriver crawl(Strategy1());
  TestLink seed("https://a.com/");
  seed.score = 0.25f;
  crawl.Seeds({seed});
  script().seeds = [](Seeds& seeds) {
    seeds[0].Raise(0.5f);
    EXPECT_EQ(0u, seeds.scheduled());
  };
  crawl.Seeds({seed});
  ASSERT_EQ(1u, crawl.queue().size());
  EXPECT_EQ(0.5f, crawl.queue()[0].score);
  EXPECT_EQ(1u, crawl.Domain("a.com").scheduled);
}

TEST_F(StrategyTest, RaisingWhatWasHandedOutSchedulesNothing) {
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  ASSERT_TRUE(crawl.Next().has_value());
  script().seeds = [](Seeds& seeds) { seeds[0].Raise(0.5f); };
  crawl.Seeds({"https://a.com/"});
  EXPECT_TRUE(crawl.queue().empty());
  EXPECT_EQ(ORBWEAVER_QUEUED, crawl.State("https://a.com/")->status);
  EXPECT_EQ(1u, crawl.Domain("a.com").scheduled);
}

TEST_F(StrategyTest, ADroppedUrlIsWhatItWasAndAnUnknownOneStaysUnknown) {
  TestDriver crawl(Strategy1());
  crawl.Seeds({"https://a.com/"});
  script().seeds = [](Seeds& seeds) {
    for (Link seed : seeds) seed.Drop();
  };
  crawl.Seeds({"https://a.com/", "https://a.com/never"});
  EXPECT_TRUE(crawl.queue().empty());
  EXPECT_EQ(ORBWEAVER_NOT_CRAWLED, crawl.State("https://a.com/")->status);
  EXPECT_EQ(nullptr, crawl.State("https://a.com/never"));
  EXPECT_EQ(1u, crawl.Domain("a.com").known_urls);
}

TEST_F(StrategyTest, MetaOfADecisionStandsUntilTheNextCall) {
  orbweaver_decision decision{};
  orbweaver_output output{};
  internal::Kept kept;
  orbweaver_event event{};
  orbweaver_link link{};
  orbweaver_state state{};
  Seeds seeds(&event, &link, &state, 1, &decision, &output, &kept);
  seeds[0].SetMeta({{"job", "42"}, {"by", std::string("somebody who was a temporary text")}});
  ASSERT_EQ(2u, decision.meta_count);
  EXPECT_EQ("by", internal::View(decision.meta_kept[1].key));
  EXPECT_EQ("somebody who was a temporary text", internal::View(decision.meta_kept[1].value));
}

TEST_F(StrategyTest, MetaOfARequestIsFoundByItsKey) {
  const orbweaver_meta meta[] = {{{"job", 3}, {"42", 2}}};
  orbweaver_event event{};
  event.meta_view = meta;
  event.meta_count = 1;
  EXPECT_EQ("42", EventView(&event).meta("job"));
  EXPECT_EQ("", EventView(&event).meta("jo"));
}

}  // namespace
}  // namespace orbweaver::sdk
