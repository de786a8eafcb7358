#include "lab/crawl/recorded_web.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

using std::chrono::milliseconds;

class RecordedWebTest : public RecordedLogs {
 protected:
  void SendPage(int32_t partition, const std::string& url, const std::string& domain,
                std::string_view title) {
    SendEntry(partition,
              {.domain = domain,
               .event = PageFetched{.request = {.url = url, .domain = domain, .depth = 3},
                                    .status = 200,
                                    .total = milliseconds(40),
                                    .title = title,
                                    .body = "left out"},
               .time = clock_.Wall()});
  }
  void SendLinks(int32_t partition, const std::string& source, const std::string& domain,
                 std::string_view target, WallTime at) {
    const Link link{.url = target};
    SendEntry(partition,
              {.domain = domain,
               .event = LinksFound{.source = {.url = source, .link_count = 1}, .links = {&link, 1}},
               .time = at});
  }
  void SendFailure(int32_t partition, const FetchFailed& failed) {
    SendEntry(partition, {.domain = failed.request.domain, .event = failed, .time = clock_.Wall()});
  }

  absl::StatusOr<std::unique_ptr<RecordedWeb>> Read() {
    EXPECT_OK(RecordAll());
    const auto recording = Recording::Open(folder());
    EXPECT_OK(recording.status());
    return RecordedWeb::Read(**recording, scratch_.path(), [](uint64_t) { return true; });
  }
};

TEST_F(RecordedWebTest, EachVisitHasItsOwnPageAndLinks) {
  const std::string url = "https://a.example/";
  const WallTime first = clock_.Wall();
  SendPage(1, url, "a.example", "one");
  SendLinks(1, url, "a.example", "https://a.example/1", first);
  clock_.Advance(std::chrono::hours(1));
  const WallTime second = clock_.Wall();
  // Of another partition, whose record is read before that of the page.
  SendLinks(0, url, "b.example", "https://b.example/2", second + milliseconds(1));
  clock_.Advance(-milliseconds(7));
  SendPage(1, url, "a.example", "two");
  const auto read = Read();
  ASSERT_OK(read);
  const auto& web = *read;

  ASSERT_EQ(web->urls(), 1);
  EXPECT_EQ(web->UrlOf(0), url);
  EXPECT_EQ(web->DomainOf(0), "a.example");
  EXPECT_EQ(web->links(), 2);
  ASSERT_EQ(web->VisitsOf(0).size(), 2);
  EXPECT_EQ(web->VisitsOf(0)[1].at, second);
  EXPECT_EQ(web->VisitsOf(0)[0].took_ms, 40);
  EXPECT_EQ(web->VisitsOf(0)[0].depth, 3);
  RecordedAnswer answer;
  EXPECT_OK(web->ReadVisit(0, 0, &answer));
  EXPECT_EQ(std::get<PageFetched>(answer.outcome.event).title, "one");
  EXPECT_EQ(std::get<PageFetched>(answer.outcome.event).body, "");
  ASSERT_EQ(answer.links.size(), 1);
  EXPECT_EQ(std::get<LinksFound>(answer.links[0].event).links[0].url, "https://a.example/1");
  EXPECT_OK(web->ReadVisit(0, 1, &answer));
  EXPECT_EQ(std::get<PageFetched>(answer.outcome.event).title, "two");
  ASSERT_EQ(answer.links.size(), 1);
  EXPECT_EQ(answer.links[0].domain, "b.example");
}

TEST_F(RecordedWebTest, OnlyWhatWasAskedIsKnown) {
  SendPage(0, "https://a.example/", "a.example", "");
  SendLinks(0, "https://a.example/", "a.example", "https://a.example/linked", clock_.Wall());
  Send(kSpiderLogTopic, 0, "a.example", "no entry");
  SendLinks(0, "https://gone.example/", "a.example", "https://a.example/", clock_.Wall());
  SendEntry(0,
            {.domain = "a.example",
             .event = Deferred{.request = {.url = "https://a.example/late", .domain = "a.example"},
                               .reason = DeferReason::kPoliteness},
             .time = clock_.Wall()});
  const auto read = Read();
  ASSERT_OK(read);
  const auto& web = *read;
  EXPECT_EQ(web->urls(), 1);
  EXPECT_EQ(web->unreadable(), 1);
  EXPECT_TRUE(web->Find("https://a.example/"));
  EXPECT_FALSE(web->Find("https://a.example/linked"));
  EXPECT_FALSE(web->Find("https://a.example/late"));
  EXPECT_FALSE(web->Find("https://gone.example/"));
}

TEST_F(RecordedWebTest, UrlsOfADomainStandBehindOneAnother) {
  for (const char* const name : {"1", "2", "3"}) {
    SendPage(0, std::string("https://a.example/") + name, "a.example", "");
    SendPage(1, std::string("https://b.example/") + name, "b.example", "");
  }
  const auto read = Read();
  ASSERT_OK(read);
  const auto& web = *read;
  for (const char* const domain : {"a.example", "b.example"}) {
    const auto range = web->UrlsOf(domain);
    EXPECT_EQ(range.end - range.first, 3);
    for (uint32_t url = range.first; url < range.end; ++url) {
      EXPECT_EQ(web->DomainOf(url), domain);
      EXPECT_EQ(web->Find(web->UrlOf(url)), url);
    }
  }
  const auto none = web->UrlsOf("c.example");
  EXPECT_EQ(none.first, none.end);
}

TEST_F(RecordedWebTest, RulesOfRobotsTxtAreThoseThatForbadeSomething) {
  const Request request{.url = "https://a.example/private/1", .domain = "a.example"};
  SendFailure(0,
              {.request = request, .cause = FailureCause::kRobots, .message = "line 2: /private/"});
  SendFailure(0, {.request = {.url = "https://a.example/x", .domain = "a.example"},
                  .cause = FailureCause::kHttp4xx,
                  .status = 404});
  SendFailure(0, {.request = {.url = "https://a.example/unsaid", .domain = "a.example"},
                  .cause = FailureCause::kRobots});
  SendPage(0, "https://a.example/private/allowed", "a.example", "");
  SendEntry(0, {.domain = "a.example",
                .event = HostFacts{.host = "a.example",
                                   .robots = RobotsOutcome::kRules,
                                   .robots_status = 200,
                                   .crawl_delay = milliseconds(2500)},
                .time = clock_.Wall()});
  const auto read = Read();
  ASSERT_OK(read);
  const auto& web = *read;
  const RecordedRobots robots = web->hosts().RobotsOf("a.example", WallTime());
  EXPECT_EQ(robots.status, 200);
  const RobotsRules rules = RobotsRules::Parse(robots.body, "orbweaver");
  EXPECT_FALSE(rules.Decide("/private/1").allowed);
  EXPECT_FALSE(rules.Decide("/private/2").allowed);
  EXPECT_TRUE(rules.Decide("/private/allowed").allowed);
  EXPECT_FALSE(rules.Decide("/private/allowed/not").allowed);
  EXPECT_FALSE(rules.Decide("/unsaid").allowed);
  EXPECT_TRUE(rules.Decide("/unsaid/2").allowed);
  EXPECT_TRUE(rules.Decide("/x").allowed);
  // They were not asked.
  EXPECT_FALSE(web->Find("https://a.example/private/1"));
  EXPECT_EQ(rules.crawl_delay(), milliseconds(2500));
  EXPECT_EQ(web->hosts().RobotsOf("b.example", WallTime()).status, 404);
}

TEST_F(RecordedWebTest, ARecordingWithoutPagesIsRefused) {
  SendEntry(0, {.domain = "a.example",
                .event = HostFacts{.host = "a.example", .robots = RobotsOutcome::kAllowAll},
                .time = clock_.Wall()});
  const auto web = Read();
  EXPECT_TRUE(IsFatal(web.status())) << web.status();
}

}  // namespace
}  // namespace orbweaver::lab
