#include "cli/frontier/explanation.h"

#include <functional>
#include <string>

#include "cli/frontier/explanation_view.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Where = RequestTrace::Where;

const WallTime kNow{std::chrono::hours(500'000)};

// A URL of a domain that is asked every two seconds.
UrlFacts Known(LinkStatus status) {
  UrlFacts facts{.url = "http://a.test/x",
                 .fingerprint = {},
                 .domain = {},
                 .link = {},
                 .failure = {},
                 .queued = {},
                 .page = {}};
  facts.domain.domain = "a.test";
  facts.domain.record.emplace();
  facts.domain.queue.emplace();
  facts.domain.queue->delay = milliseconds(2000);
  facts.link.emplace();
  facts.link->status = status;
  return facts;
}

struct Told {
  UrlAnswer answer;
  std::string text;
  std::optional<WallTime> soonest, likely;
};
Told Tell(const UrlFacts& facts, const std::optional<RequestTrace>& trace = std::nullopt,
          const std::string& left_out = "", std::optional<Duration> pace = std::nullopt) {
  const Explanation explanation =
      Explain(facts, {.trace = trace, .left_out = left_out, .pace = pace}, kNow);
  return {.answer = explanation.answer,
          .text = ExplanationText(facts, explanation, kNow),
          .soonest = explanation.soonest,
          .likely = explanation.likely};
}

TEST(ExplanationTest, AUrlThatNobodyKnows) {
  UrlFacts facts = Known(LinkStatus::kNotCrawled);
  facts.link.reset();
  EXPECT_EQ(Tell(facts).answer, UrlAnswer::kUnknown);
  EXPECT_THAT(Tell(facts).text, HasSubstr("no page that was read links to it"));
  facts.domain.record.reset();
  EXPECT_THAT(Tell(facts).text, HasSubstr("nor was any URL of a.test"));
  const Told told = Tell(facts, std::nullopt, "it matches --exclude '*.png'");
  EXPECT_EQ(told.answer, UrlAnswer::kLeftOut);
  EXPECT_THAT(told.text, HasSubstr("is left out: it matches --exclude '*.png'"));
}

TEST(ExplanationTest, AQueuedUrlSaysHowManyGoBeforeItAndWhenItsTurnComes) {
  UrlFacts facts = Known(LinkStatus::kQueued);
  facts.queued = QueuedRequest{
      .band = 3, .delayed_until = {}, .before = 10, .not_before = {}, .referrer = "http://a.test/"};
  Told told = Tell(facts);
  EXPECT_EQ(told.answer, UrlAnswer::kQueued);
  EXPECT_EQ(told.soonest, kNow + seconds(20));
  EXPECT_THAT(told.text,
              AllOf(HasSubstr("band 3 of 0 to 7: 10 requests of a.test are fetched before"),
                    HasSubstr("in 20 s at the soonest"), HasSubstr("every 2000 ms"),
                    HasSubstr("linked from http://a.test/\n")));
  facts.queued->before = 0;
  facts.domain.queue->paced_until = kNow + seconds(1);
  told = Tell(facts);
  EXPECT_EQ(told.soonest, kNow + seconds(1));
  EXPECT_THAT(told.text, HasSubstr("it is the domain's next"));
}

TEST(ExplanationTest, AQueuedUrlSaysWhenItIsFetchedAtThePaceOfItsDomain) {
  UrlFacts facts = Known(LinkStatus::kQueued);
  facts.queued =
      QueuedRequest{.band = 3, .delayed_until = {}, .before = 10, .not_before = {}, .referrer = {}};
  Told told = Tell(facts, std::nullopt, "", seconds(6));
  EXPECT_EQ(told.soonest, kNow + seconds(20));
  EXPECT_EQ(told.likely, kNow + seconds(66));  // the eleventh
  EXPECT_THAT(told.text, HasSubstr("was lately asked every 6 s: at that pace it is fetched in "
                                   "about 1 min 6 s"));
  // As fast as its delay allows: nothing more is to be said.
  told = Tell(facts, std::nullopt, "", milliseconds(1500));
  EXPECT_EQ(told.likely, std::nullopt);
  EXPECT_THAT(told.text, Not(HasSubstr("lately")));
  // A block says more than a pace.
  facts.domain.queue->blocked_until = kNow + std::chrono::minutes(5);
  EXPECT_EQ(Tell(facts, std::nullopt, "", seconds(60)).likely, std::nullopt);
}

TEST(ExplanationTest, ABlockedDomainSaysUntilWhen) {
  UrlFacts facts = Known(LinkStatus::kQueued);
  facts.queued =
      QueuedRequest{.band = 0, .delayed_until = {}, .before = 1, .not_before = {}, .referrer = {}};
  facts.domain.queue->blocked_until = kNow + std::chrono::minutes(5);
  const Told told = Tell(facts);
  EXPECT_EQ(told.answer, UrlAnswer::kBlocked);
  EXPECT_EQ(told.soonest, kNow + std::chrono::minutes(5) + seconds(2));
  EXPECT_THAT(told.text, HasSubstr("a.test is not asked until 20"));
}

TEST(ExplanationTest, ARequestForLaterSaysWhenAndWhatWentWrong) {
  UrlFacts facts = Known(LinkStatus::kQueued);
  facts.queued = QueuedRequest{.delayed_until = kNow + seconds(30),
                               .attempt = 1,
                               .not_before = kNow + seconds(40),
                               .referrer = {}};
  facts.failure = LastFailure{.cause = FailureCause::kRefused,
                              .message = "connection refused",
                              .failed_at = kNow - seconds(20),
                              .referrer = {}};
  const Told told = Tell(facts);
  EXPECT_EQ(told.answer, UrlAnswer::kLater);
  EXPECT_EQ(told.soonest, kNow + seconds(40));
  EXPECT_THAT(told.text,
              AllOf(HasSubstr("this is attempt 2"), HasSubstr("it failed 20 s ago: refused")));
}

TEST(ExplanationTest, ARequestBetweenTwoWorkersSaysWhere) {
  const UrlFacts facts = Known(LinkStatus::kQueued);
  EXPECT_TRUE(WantsTrace(facts));
  const auto tell = [&](Where where) {
    return Tell(facts, RequestTrace{.where = where, .before = 7});
  };
  EXPECT_EQ(tell(Where::kOutbox).answer, UrlAnswer::kOnItsWay);
  EXPECT_THAT(tell(Where::kOutbox).text, HasSubstr("strategy worker is about to tell the queue"));
  EXPECT_EQ(tell(Where::kScoringLog).answer, UrlAnswer::kOnItsWay);
  EXPECT_THAT(tell(Where::kScoringLog).text, HasSubstr("scoring log, behind 7 messages"));
  EXPECT_EQ(tell(Where::kFeed).answer, UrlAnswer::kFed);
  EXPECT_THAT(tell(Where::kFeed).text, HasSubstr("spider feed, behind 7 messages"));
  EXPECT_EQ(tell(Where::kSpiderLog).answer, UrlAnswer::kWithSpider);
  EXPECT_THAT(tell(Where::kSpiderLog).text, HasSubstr("outcome stands in the spider log"));
  EXPECT_EQ(tell(Where::kHandedBack).answer, UrlAnswer::kOnItsWay);
  EXPECT_THAT(tell(Where::kHandedBack).text,
              AllOf(HasSubstr("handed back by a spider, unfetched"), HasSubstr("7 messages")));
  EXPECT_EQ(tell(Where::kNowhere).answer, UrlAnswer::kWithSpider);
  EXPECT_THAT(tell(Where::kNowhere).text, HasSubstr("a spider has it"));
  EXPECT_THAT(Tell(facts, RequestTrace{.is_complete = false}).text, HasSubstr("further back"));
}

TEST(ExplanationTest, AFetchedUrl) {
  UrlFacts facts = Known(LinkStatus::kCrawled);
  facts.link->fetches = 2;
  facts.link->http_status = 200;
  facts.link->fetched_at = kNow - std::chrono::hours(2);
  facts.link->due_at = kNow + std::chrono::hours(22);
  facts.page = PageFacts{.final_url = "http://a.test/y",
                         .fetched_at = {},
                         .content_hash = {},
                         .content_type = {},
                         .title = {}};
  const Told told = Tell(facts);
  EXPECT_EQ(told.answer, UrlAnswer::kFetched);
  EXPECT_THAT(told.text,
              AllOf(HasSubstr("was fetched 2 h 0 min ago for the 2. time, with status 200"),
                    HasSubstr("it led to http://a.test/y"), HasSubstr("has it due in 22 h 0 min")));
  EXPECT_FALSE(WantsTrace(facts));
}

TEST(ExplanationTest, ThePageThatLedToAUrlIsToldWhereItIsKept) {
  UrlFacts facts = Known(LinkStatus::kCrawled);
  const auto json = [&] { return ExplanationJson(facts, Explain(facts, {}, kNow)); };
  EXPECT_THAT(Tell(facts).text, Not(HasSubstr("linked from")));
  EXPECT_THAT(json(), HasSubstr(R"("linked_from":null)"));
  facts.page.emplace();
  facts.page->referrer = "http://a.test/page";
  EXPECT_THAT(Tell(facts).text, HasSubstr("linked from http://a.test/page\n"));
  facts.failure.emplace();
  facts.failure->referrer = "http://a.test/failed";
  EXPECT_THAT(json(), HasSubstr(R"("linked_from":"http://a.test/failed")"));
  facts.queued.emplace();
  facts.queued->referrer = "http://a.test/queued";
  EXPECT_THAT(json(), HasSubstr(R"("linked_from":"http://a.test/queued")"));
}

TEST(ExplanationTest, AFailedUrlSaysWhyAndHowToTryItAgain) {
  UrlFacts facts = Known(LinkStatus::kGone);
  facts.failure = LastFailure{.cause = FailureCause::kHttp4xx,
                              .message = {},
                              .status = 404,
                              .failed_at = kNow - seconds(5),
                              .referrer = "http://a.test/"};
  Told told = Tell(facts);
  EXPECT_EQ(told.answer, UrlAnswer::kGone);
  EXPECT_THAT(told.text, AllOf(HasSubstr("is gone after 1 attempt: "), HasSubstr("status 404"),
                               HasSubstr("asked 5 s ago; `orbweaver requeue` tries it again"),
                               HasSubstr("linked from http://a.test/\n")));
  facts.link->status = LinkStatus::kError;
  facts.failure->attempt = 3;
  told = Tell(facts);
  EXPECT_EQ(told.answer, UrlAnswer::kFailed);
  EXPECT_THAT(told.text, HasSubstr("is given up after 4 attempts"));
  facts.failure = LastFailure{
      .cause = FailureCause::kRobots, .message = "line 3: /x", .failed_at = kNow, .referrer = {}};
  told = Tell(facts);
  EXPECT_EQ(told.answer, UrlAnswer::kForbidden);
  EXPECT_THAT(told.text, HasSubstr("is forbidden by robots.txt, line 3: /x"));
  facts.failure.reset();
  facts.link->errors = 1;
  EXPECT_THAT(Tell(facts).text, HasSubstr("failed 1 time, and is tried no more"));
}

TEST(ExplanationTest, AKnownUrlThatTheStrategyLeftAlone) {
  EXPECT_EQ(Tell(Known(LinkStatus::kNotCrawled)).answer, UrlAnswer::kNotScheduled);
}

}  // namespace
}  // namespace orbweaver
