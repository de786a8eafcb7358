#include "cli/crawl/crawl_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CrawlTally SomeTally() {
  CrawlTally tally;
  tally.Add({.domain = "a.test", .event = PageFetched{.status = 200, .received_bytes = 1000}});
  tally.Add({.domain = "a.test",
             .event = FetchFailed{.request = {.url = "http://a.test/x"},
                                  .cause = FailureCause::kTlsCertificate,
                                  .message = "certificate: expired"}});
  return tally;
}

TEST(CrawlSummaryTest, SaysWhatCameWhatFailedAndWhatToDo) {
  const std::string text =
      SummaryText({.why = "nothing is left", .finished = true, .files = "out"}, SomeTally());
  for (const char* const part :
       {"Ended: nothing is left.", "1 page and 1 failure in 0 s", "200", "tls_certificate",
        "verify_certificates", "http://a.test/x: certificate: expired", "a.test",
        "Pages are in out"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text,
              HasSubstr("a.test                                            1  and 1 failure\n"));
  EXPECT_THAT(text, Not(HasSubstr("To go on")));
}

TEST(CrawlSummaryTest, WithoutAPageThereAreNoFilesAndNoDomainsWithMostPages) {
  CrawlTally tally;
  tally.Add({.domain = "a.test", .event = FetchFailed{.cause = FailureCause::kProxy}});
  const std::string text = SummaryText({.files = "out"}, tally);
  EXPECT_THAT(text, Not(HasSubstr("Pages are in")));
  EXPECT_THAT(text, Not(HasSubstr("most pages")));
}

TEST(CrawlSummaryTest, SaysFirstThatNothingCameAndWhy) {
  CrawlTally tally;
  tally.Add({.domain = "a.test",
             .event = FetchFailed{.request = {.url = "http://a.test/"},
                                  .cause = FailureCause::kRefused,
                                  .message = "connect to 127.0.0.50:8001: connection refused"}});
  EXPECT_THAT(
      SummaryText(
          {.why = "nothing is left", .finished = true, .outcome = CrawlOutcome::kNothingFetched},
          tally),
      testing::StartsWith("No page could be fetched: http://a.test/, connect to "
                          "127.0.0.50:8001: connection refused. Ended: nothing is left.\n"));
}

TEST(CrawlSummaryTest, SaysWhatLeftTheScopeAndWhichOptionWouldLetItIn) {
  CrawlEnd end{.why = "nothing is left",
               .finished = true,
               .scope = ScopeKind::kDomain,
               .out_of_scope = {.beyond_seeds = 1234, .not_included = 5, .excluded = 1}};
  const std::string text = SummaryText(end, SomeTally());
  EXPECT_THAT(text, HasSubstr("1,234 links left the seeds' domains and were not followed."));
  EXPECT_THAT(text, HasSubstr("--scope everything"));
  EXPECT_THAT(text, HasSubstr("5 links matched no --include."));
  EXPECT_THAT(text, HasSubstr("1 link matched an --exclude."));
  EXPECT_THAT(SummaryJson(end, SomeTally()),
              HasSubstr(R"("scope":"domain","out_of_scope":{"beyond_seeds":1234,"not_included":5,)"
                        R"("excluded":1,"by_sitemaps":0})"));
  end.scope = ScopeKind::kHost;
  EXPECT_THAT(SummaryText(end, SomeTally()), HasSubstr("--scope domain is the next wider"));
  end.scope = ScopeKind::kPath;
  EXPECT_THAT(SummaryText(end, SomeTally()), HasSubstr("--scope host is the next wider"));
  end.out_of_scope = {.by_sitemaps = 2};
  end.sitemaps = SitemapUse::kOnly;
  EXPECT_THAT(SummaryText(end, SomeTally()),
              HasSubstr("2 links stood on pages and in no sitemap (--sitemaps only).\n"));
  end.sitemaps = SitemapUse::kNo;
  EXPECT_THAT(SummaryText(end, SomeTally()), HasSubstr("2 sitemaps left out (--sitemaps no).\n"));
  EXPECT_THAT(SummaryText({}, SomeTally()), Not(HasSubstr("--scope")));
}

TEST(CrawlSummaryTest, ASeedThatOnlyRedirectsIsNoPageAndSaidWhereItLeads) {
  CrawlTally tally;
  const Redirect away{.url = "https://b.test/", .status = 301};
  tally.Add({.domain = "a.test",
             .event = PageFetched{
                 .request = {.url = "http://a.test/"}, .redirects = {&away, 1}, .status = 301}});
  const std::string text = SummaryText(
      {.why = "nothing is left", .finished = true, .outcome = CrawlOutcome::kNothingFetched},
      tally);
  EXPECT_THAT(text, testing::StartsWith("No page could be fetched: http://a.test/ redirects to "
                                        "https://b.test/. Ended: nothing is left.\n"));
  EXPECT_THAT(text, HasSubstr("Redirects that ended as links: 1, of seeds\n      http://a.test/ "
                              "leads to https://b.test/\n"));
}

TEST(CrawlSummaryTest, WhatWaitsForOtherOptionsIsToldWithTheCommandThatFetchesIt) {
  CrawlEnd end{.why = "nothing is left", .finished = true};
  end.put_by.urls = 15;
  end.put_by.by_cause = {
      {FailureCause::kPort, 12}, {FailureCause::kPrivateAddress, 1}, {FailureCause::kProxy, 2}};
  end.put_by.refused_ports = {81, 8081};
  end.allowed_ports = {"80", "443"};
  end.data = "my data";
  const std::string text = SummaryText(end, CrawlTally());
  EXPECT_THAT(text, HasSubstr("12 URLs wait because their port is not allowed. To fetch them: "
                              "orbweaver crawl --data 'my data' --ports 80,443,81,8081\n"));
  EXPECT_THAT(text, HasSubstr("1 URL waits because its address is not public."));
  EXPECT_THAT(text, HasSubstr("2 URLs wait because the proxy refused or failed."));
  EXPECT_THAT(SummaryJson(end, CrawlTally()), HasSubstr("\"put_by\":15"));
  end.put_by.is_exact = false;
  EXPECT_THAT(SummaryText(end, CrawlTally()), HasSubstr("At least 12 URLs wait"));
}

TEST(CrawlSummaryTest, AHostThatIsNotPublicIsNamedInTheOptionThatAllowsItBesideThoseThatAre) {
  CrawlTally tally;
  for (const char* const url :
       {"http://wiki.corp/a", "http://wiki.corp/b", "http://localhost:3000/"}) {
    tally.Add(
        {.domain = "wiki.corp",
         .event = FetchFailed{.request = {.url = url}, .cause = FailureCause::kPrivateAddress}});
  }
  CrawlEnd end{.why = "nothing is left", .finished = true, .allowed_hosts = {"localhost:8000"}};
  end.put_by.by_cause = {{FailureCause::kPrivateAddress, 3}};
  end.data = "d";
  EXPECT_THAT(SummaryText(end, tally),
              HasSubstr("orbweaver crawl --data d --set "
                        "network.allow_hosts=localhost:8000,wiki.corp,localhost:3000,"));
}

TEST(CrawlSummaryTest, HintsGoByTheAnswersThatCame) {
  const auto hint_of = [](uint32_t status) {
    CrawlTally tally;
    tally.Add({.domain = "a.test",
               .event = FetchFailed{.request = {.url = "http://a.test/"},
                                    .cause = FailureCause::kHttp4xx,
                                    .status = status}});
    return SummaryText({.finished = true}, tally);
  };
  EXPECT_THAT(hint_of(404), HasSubstr("links that are broken"));
  EXPECT_THAT(hint_of(403), HasSubstr("--cookies"));
  EXPECT_THAT(hint_of(429), HasSubstr("--delay"));
}

TEST(CrawlSummaryTest, ARunWithNothingToDoSaysHowFailuresAreTriedAgain) {
  EXPECT_THAT(SummaryText({.finished = true, .data = "my data"}, CrawlTally()),
              HasSubstr("`orbweaver requeue --data 'my data'`"));
  EXPECT_THAT(SummaryText({.finished = true}, SomeTally()), Not(HasSubstr("requeue")));
}

TEST(CrawlSummaryTest, WhatFailedMostComesFirst) {
  CrawlTally tally = SomeTally();
  for (int i = 0; i < 2; ++i) {
    tally.Add({.domain = "a.test", .event = FetchFailed{.cause = FailureCause::kRobots}});
    tally.Add({.domain = "b.test", .event = PageFetched{.status = 200}});
  }
  const std::string text = SummaryText({}, tally);
  EXPECT_LT(text.find("their robots.txt"), text.find("tls_certificate"));
  // A domain that never failed says nothing of failures.
  EXPECT_THAT(text, HasSubstr("b.test                                            2\n"));
}

TEST(CrawlSummaryTest, WhatIsLeftIsCountedAndTheCommandThatGoesOnIsNamed) {
  CrawlEnd end{.why = "it was stopped", .data = "crawl-data"};
  end.last.queued = 1200;
  end.last.delayed = 34;
  const std::string text = SummaryText(end, CrawlTally());
  EXPECT_THAT(text, HasSubstr("In the queue: 1,234 requests, 34 of them for later.\nTo go on: "
                              "orbweaver crawl --data crawl-data\n"));
  EXPECT_THAT(text, Not(HasSubstr("Handed to the spider")));
  end.handed_out = 1;
  EXPECT_THAT(SummaryText(end, CrawlTally()),
              HasSubstr("Handed to the spider and not fetched: 1 request.\nTo go on: "));
  end.queue_is_exact = false;
  EXPECT_THAT(SummaryText(end, CrawlTally()), HasSubstr("In the queue: about 1,234 requests"));
  // Entries on their way between the workers are not in the queue.
  end.last.queued = end.last.delayed = 0;
  EXPECT_THAT(SummaryText(end, CrawlTally()), Not(HasSubstr("In the queue")));
  EXPECT_THAT(SummaryText(end, CrawlTally()), HasSubstr("To go on: "));
}

TEST(CrawlSummaryTest, SaysWhenTheFirstOfWhatIsForLaterIsDue) {
  CrawlEnd end{.why = "nothing is due for longer than --max-wait"};
  end.last.delayed = 2;
  end.last.at = WallTime(std::chrono::hours(1000));
  end.last.next_due = end.last.at + std::chrono::hours(3);
  EXPECT_THAT(SummaryText(end, CrawlTally()),
              HasSubstr("2 requests, 2 of them for later, the first due in 3 h 0 min or later."));
  EXPECT_THAT(SummaryJson(end, CrawlTally()), HasSubstr("\"next_due_in_s\":10800,"));
  // Late already: it may leave at once.
  end.last.next_due = end.last.at - std::chrono::hours(3);
  EXPECT_THAT(SummaryText(end, CrawlTally()), Not(HasSubstr("the first due")));
  EXPECT_THAT(SummaryJson(end, CrawlTally()), HasSubstr("\"next_due_in_s\":0,"));
}

TEST(CrawlSummaryTest, DeadLettersAreToldWithTheirCausesAndWhatToDo) {
  CrawlEnd end{.why = "nothing is left", .finished = true, .data = "my crawl"};
  EXPECT_THAT(SummaryText(end, CrawlTally()), Not(HasSubstr("ead letter")));
  end.last.dead_letters = 2;
  end.dead_letter_causes = {"strategy 'x' failed in OnPage for https://a.test/: boom"};
  EXPECT_THAT(SummaryText(end, CrawlTally()),
              HasSubstr("Dead letters: 2 events could not be processed\n"
                        "      strategy 'x' failed in OnPage for https://a.test/: boom\n"
                        "  To see them: orbweaver log dead-letter --data 'my crawl'\n"
                        "  To put them back: orbweaver log requeue dead-letter --data 'my "
                        "crawl'\n"));
  EXPECT_THAT(SummaryJson(end, CrawlTally()),
              HasSubstr("\"dead_letters\":2,\"dead_letter_causes\":[\"strategy 'x' failed"));
}

TEST(CrawlSummaryTest, JsonHasTheSameNumbers) {
  EXPECT_EQ(SummaryJson({.why = "nothing is left",
                         .finished = true,
                         .outcome = CrawlOutcome::kComplete,
                         .data = "d"},
                        SomeTally()),
            "{\"ended\":\"nothing is "
            "left\",\"finished\":true,\"outcome\":\"complete\",\"seconds\":0,\"pages\":1,"
            "\"assets\":0,\"sitemaps\":0,\"failed\":1,\"redirects\":0,\"put_by\":0,\"received_"
            "bytes\":1000,"
            "\"links\":0,\"domains\":1,"
            "\"queued\":0,"
            "\"delayed\":0,\"handed_out\":0,\"queue_is_exact\":true,\"next_due_in_s\":null,"
            "\"scope\":\"everything\",\"out_of_scope\":{\"beyond_seeds\":0,\"not_included\":0,"
            "\"excluded\":0,\"by_sitemaps\":0},\"by_status\":{\"200\":1},\"failures\":{\"tls_"
            "certificate\":{\"count\":1,"
            "\"examples\":[\"http://a.test/x\"]}},\"dead_letters\":0,\"dead_letter_causes\":[],"
            "\"robots_ignored_on\":[],\"data\":\"d\"}");
}

}  // namespace
}  // namespace orbweaver
