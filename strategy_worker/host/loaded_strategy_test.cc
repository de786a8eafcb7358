#include "strategy_worker/host/loaded_strategy.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/base/utf8.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/host/testdata/one_link.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::unique_ptr<Strategy> Misbehaving(const std::string& flaw) {
  auto strategy = LoadStrategy(
      {.name = "misbehaving", .directory = ORBWEAVER_TESTDATA, .params = {{"flaw", flaw}}}, 1);
  EXPECT_OK(strategy);
  return *std::move(strategy);
}

std::string FailureOf(const std::string& flaw) {
  OneLink links;
  const absl::Status status = links.GiveTo(*Misbehaving(flaw));
  if (status.ok()) return "it succeeds";
  EXPECT_TRUE(IsPoison(status)) << status;
  return std::string(MessageOf(status));
}

TEST(LoadedStrategyTest, ADecisionReachesTheCaller) {
  OneLink links;
  ASSERT_OK(links.GiveTo(*Misbehaving("")));
  EXPECT_EQ(ORBWEAVER_SCHEDULE, links.decision.action);
  EXPECT_EQ(0.5f, links.decision.score);
}

TEST(LoadedStrategyTest, AFailureNamesTheStrategyAndTheEvent) {
  EXPECT_EQ(
      "strategy 'misbehaving' failed in OnLinks for 1 link to example.com from "
      "https://example.org/page: out of cheese",
      FailureOf("message"));
}

TEST(LoadedStrategyTest, AnExceptionThatCrossesTheBoundaryIsCaught) {
  EXPECT_THAT(FailureOf("throw"), EndsWith("it throws: out of cheese"));
  EXPECT_THAT(FailureOf("throw a number"), EndsWith("it throws what is not a std::exception"));
}

TEST(LoadedStrategyTest, AnExceptionOfAWrappedStrategyBecomesItsMessage) {
  // discovery's data of this domain are fine, but the event is of no known kind.
  auto strategy = LoadStrategy({.name = "discovery"}, 1);
  ASSERT_OK(strategy);
  OneLink links;
  links.event.kind = 77;
  const absl::Status status = links.GiveTo(**strategy);
  EXPECT_TRUE(IsPoison(status));
  EXPECT_THAT(MessageOf(status), EndsWith(": event of an unknown kind"));
}

TEST(LoadedStrategyTest, AFailureWithoutAMessageSaysSo) {
  EXPECT_THAT(FailureOf("silent"), EndsWith("it fails without a message"));
}

TEST(LoadedStrategyTest, AMessageBeyondTheBufferIsCut) {
  EXPECT_LT(FailureOf("long message").size(), 1200u);
}

TEST(LoadedStrategyTest, AMessageWhoseBufferTheLibraryHasRewrittenIsReadFromTheHostsOwn) {
  const std::string cut = FailureOf("message beyond the buffer");
  EXPECT_THAT(cut, EndsWith("xxxx"));
  EXPECT_LT(cut.size(), 1200u);
  EXPECT_THAT(FailureOf("message elsewhere"), EndsWith(": out of cheese"));
}

TEST(LoadedStrategyTest, AMessageOfAnyBytesIsText) {
  EXPECT_TRUE(IsValidUtf8(FailureOf("not utf8")));
}

TEST(LoadedStrategyTest, DecisionsThatNoMessageCanCarryAreRefused) {
  const std::pair<const char*, const char*> flaws[] = {
      {"action", "an action that does not exist"},
      {"score", "a score that is not a finite number"},
      {"status", "a status that does not exist"},
      {"not before", "a not-before time"},
      {"due", "a due time"},
      {"null meta", "meta entries that are null"},
      {"much meta", "more than 16 meta entries"},
      {"long meta", "a meta entry beyond"},
      {"meta key", "a meta key that is not UTF-8"},
      {"null requests", "requests that are null"},
      {"many requests", "more than 10,000 requests"},
      {"request: long url", "a request whose URL"},
      {"request: left alone", "a request that neither schedules nor raises"},
      {"domain data", "more than 64 KB of domain data"},
      {"block", "a block until a time"}};
  for (const auto& [flaw, message] : flaws) {
    EXPECT_THAT(FailureOf(flaw), HasSubstr(std::string("it decided ") + message)) << flaw;
  }
  EXPECT_EQ("it succeeds", FailureOf("request"));
}

TEST(LoadedStrategyTest, AFilterDropsLinksAndMayFail) {
  OneLink links;
  ASSERT_OK(Misbehaving("drop all")->Filter(links.event, {&links.link, 1}, {&links.keep, 1}));
  EXPECT_EQ(0, links.keep);
  const absl::Status status =
      Misbehaving("throw in filter")->Filter(links.event, {&links.link, 1}, {&links.keep, 1});
  EXPECT_TRUE(IsPoison(status));
  EXPECT_THAT(MessageOf(status), HasSubstr("failed in Filter for 1 link to example.com from "));
}

TEST(LoadedStrategyTest, OptionalFunctionsMayBeMissing) {
  auto strategy = LoadStrategy({.name = "plain_c", .directory = ORBWEAVER_TESTDATA}, 1);
  ASSERT_OK(strategy);
  OneLink links;
  EXPECT_OK((*strategy)->Filter(links.event, {&links.link, 1}, {&links.keep, 1}));
  EXPECT_EQ(1, links.keep);
  const auto adopted = (*strategy)->Adopt("other", 1, "bytes");
  ASSERT_OK(adopted);
  EXPECT_EQ("", *adopted);
  EXPECT_EQ(false, (*strategy)->Finished().value());
}

TEST(LoadedStrategyTest, AdoptedBytesAreBounded) {
  EXPECT_EQ("bytes", Misbehaving("")->Adopt("other", 3, "bytes").value());
  EXPECT_THAT(MessageOf(Misbehaving("adopt fails")->Adopt("other", 3, "bytes").status()),
              AllOf(HasSubstr("of strategy 'other' version 3"), EndsWith("unknown bytes")));
  EXPECT_TRUE(IsPoison(Misbehaving("adopt too much")->Adopt("other", 3, "bytes").status()));
}

// Logs for a page of so many bytes that comes with `body`, given twice, and returns the log's text.
std::string LogOfPage(const std::string& strategy_name, const std::string& body,
                      uint64_t body_bytes) {
  auto strategy = LoadStrategy(
      {.name = strategy_name,
       .params = {strategy_name == "keyword" ? std::map<std::string, std::string>{{"terms", "x"}}
                                             : std::map<std::string, std::string>{}}},
      1);
  EXPECT_OK(strategy);
  OneLink links;
  orbweaver_page page{};
  page.body_view = {body.data(), body.size()};
  page.body_bytes = body_bytes;
  links.event.kind = ORBWEAVER_PAGE;
  links.event.source_view = nullptr;
  links.event.page_view = &page;
  testing::internal::CaptureStderr();
  EXPECT_OK(links.GiveTo(**strategy));
  EXPECT_OK(links.GiveTo(**strategy));
  return testing::internal::GetCapturedStderr();
}

TEST(LoadedStrategyTest, AStrategyThatWorksOnBodiesSaysOnceThatThereAreNoneAndWhatToSet) {
  const std::string log = LogOfPage("keyword", "", 5000);
  EXPECT_THAT(log, HasSubstr("'keyword'"));
  const size_t at = log.find("spider.publish.log_body");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(log.find("spider.publish.log_body", at + 1), std::string::npos);
  EXPECT_EQ(LogOfPage("keyword", "body", 4), "");
  EXPECT_EQ(LogOfPage("keyword", "", 0), "") << "an empty page has no body to miss";
  EXPECT_EQ(LogOfPage("breadth_first", "", 5000), "");
}

TEST(LoadedStrategyTest, TheAimOfACrawlIsAsked) {
  EXPECT_EQ(true, Misbehaving("")->Finished().value());
  EXPECT_TRUE(IsPoison(Misbehaving("throw in finished")->Finished().status()));
}

TEST(LoadedStrategyTest, DestroyingMayThrow) { Misbehaving("throw in destroy").reset(); }

}  // namespace
}  // namespace orbweaver
