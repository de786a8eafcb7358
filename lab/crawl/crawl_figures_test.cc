#include "lab/crawl/crawl_figures.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

class CrawlFiguresTest : public RecordedLogs {
 protected:
  CrawlFiguresTest() {
    SendOutcome("https://a.example/1", "a.example", 200);
    SendOutcome("https://a.example/2", "a.example", 206);
    SendOutcome("https://b.example/", "b.example", 500);
    EXPECT_OK(RecordAll());
    const auto recording = Recording::Open(folder());
    EXPECT_OK(recording.status());
    web_ = *RecordedWeb::Read(**recording, scratch_.path(), [](uint64_t) { return true; });
    trace_.unknown = {{.url = "https://c.example/", .domain = "c.example"}};
  }

  void SendOutcome(const std::string& url, const std::string& domain, uint32_t status) {
    const Request request{.url = url, .domain = domain};
    SpiderLogEntry entry{.domain = domain, .event = {}, .time = clock_.Wall()};
    if (status < 400) {
      entry.event = PageFetched{.request = request, .status = status};
    } else {
      entry.event = FetchFailed{.request = request, .status = status};
    }
    SendEntry(0, entry);
  }
  void Fetch(const std::string& url, FetchOutcome outcome) {
    const auto known = web_->Find(url);
    trace_.fetches.push_back({.url = known.value_or(web_->urls()), .outcome = outcome});
  }
  CrawlFigures Figures() { return FiguresOf(*web_, trace_); }

  std::unique_ptr<RecordedWeb> web_;
  CrawlTrace trace_;
};

TEST_F(CrawlFiguresTest, CountFetchesByTheirOutcomeAndUrlsOnce) {
  for (int i = 0; i < 2; ++i) Fetch("https://a.example/1", FetchOutcome::kPage);
  Fetch("https://a.example/1", FetchOutcome::kNotModified);
  Fetch("https://a.example/2", FetchOutcome::kPage);
  Fetch("https://b.example/", FetchOutcome::kFailed);
  const CrawlFigures figures = Figures();
  EXPECT_EQ(figures.fetches, 5);
  EXPECT_EQ(figures.pages, 3);
  EXPECT_EQ(figures.not_modified, 1);
  EXPECT_EQ(figures.failed, 1);
  EXPECT_EQ(figures.known_urls, 3);
  EXPECT_EQ(figures.domains, 2);
}

TEST_F(CrawlFiguresTest, CountUnknownOnesByTheirDomains) {
  Fetch("https://a.example/1", FetchOutcome::kPage);
  for (int i = 0; i < 3; ++i) Fetch("https://c.example/", FetchOutcome::kUnknown);
  // Known, but not as it was asked for.
  Fetch("https://a.example/1", FetchOutcome::kUnknown);
  const CrawlFigures figures = Figures();
  EXPECT_EQ(figures.unknown, 4);
  EXPECT_EQ(figures.domains, 2);
  const auto domains = UnknownDomains(*web_, trace_, 5);
  ASSERT_EQ(domains.size(), 2);
  EXPECT_EQ(domains[0], (std::pair<std::string, uint64_t>("c.example", 3)));
}

}  // namespace
}  // namespace orbweaver::lab
