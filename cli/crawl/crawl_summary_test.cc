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
       {"Ended: nothing is left.", "1 pages and 1 failures", "200", "tls_certificate",
        "verify_certificates", "http://a.test/x: certificate: expired", "a.test",
        "Pages are in out"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("To go on")));
}

TEST(CrawlSummaryTest, WhatIsLeftIsCountedAndTheCommandThatGoesOnIsNamed) {
  CrawlEnd end{.why = "it was stopped", .data = "crawl-data"};
  end.last.queued = 1200;
  end.last.delayed = 34;
  const std::string text = SummaryText(end, CrawlTally());
  EXPECT_THAT(text, HasSubstr("1,234 requests are still in the queue, 34 of them for later"));
  EXPECT_THAT(text, HasSubstr("orbweaver crawl --data crawl-data"));
}

TEST(CrawlSummaryTest, JsonHasTheSameNumbers) {
  EXPECT_EQ(
      SummaryJson({.why = "nothing is left", .finished = true, .data = "d"}, SomeTally()),
      "{\"ended\":\"nothing is left\",\"finished\":true,\"seconds\":0,\"pages\":1,"
      "\"failed\":1,\"received_bytes\":1000,\"links\":0,\"domains\":1,\"queued\":0,"
      "\"delayed\":0,\"by_status\":{\"200\":1},\"failures\":{\"tls_certificate\":{\"count\":1,"
      "\"examples\":[\"http://a.test/x\"]}},\"data\":\"d\"}");
}

}  // namespace
}  // namespace orbweaver
