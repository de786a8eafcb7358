#include "spider/crawl/crawl_metrics.h"

#include <string>
#include <string_view>

#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

constexpr std::string_view kReasons[] = {"unspecified", "politeness", "back_off", "shutdown"};

}  // namespace

CrawlMetrics::CrawlMetrics(MetricRegistry& registry)
    : pages(registry.AddCounter("orbweaver_spider_pages_total",
                                "Requests answered by a page, or by 304")),
      redirects_away(registry.AddCounter("orbweaver_spider_redirects_away_total",
                                         "Requests answered by a redirect that was not followed")),
      robots_fetches(
          registry.AddCounter("orbweaver_spider_robots_fetches_total", "Requests for robots.txt")),
      late_answers(registry.AddCounter(
          "orbweaver_spider_late_answers_total",
          "Answers that came after their request was handed back or its partition was gone")),
      log_entries(registry.AddCounter("orbweaver_spider_log_entries_total",
                                      "Entries made for the spider log")),
      log_bytes(registry.AddCounter("orbweaver_spider_log_bytes_total", "Their size")),
      feed_requests(registry.AddCounter("orbweaver_spider_feed_requests_total",
                                        "Requests taken from the feed")),
      feed_lost(registry.AddCounter("orbweaver_spider_feed_lost_total",
                                    "Requests deleted by retention before they were read")),
      feed_of_old_epochs(
          registry.AddCounter("orbweaver_spider_feed_of_old_epochs_total",
                              "Requests of db workers that had been replaced, passed over")),
      dead_letters(registry.AddCounter("orbweaver_spider_dead_letters_total",
                                       "Feed entries that could not be read, and were kept")),
      commits(registry.AddCounter("orbweaver_spider_commits_total", "Commits of feed offsets")),
      partitions(registry.AddGauge("orbweaver_spider_partitions", "Partitions of the feed")),
      held(registry.AddGauge("orbweaver_spider_held_requests",
                             "Requests whose outcome is not in the log yet")),
      waiting(registry.AddGauge("orbweaver_spider_waiting_requests",
                                "Requests that wait for their turn, robots.txt included")),
      fetching(registry.AddGauge("orbweaver_spider_fetching_requests",
                                 "Requests being fetched, robots.txt included")),
      most_fetches(registry.AddGauge("orbweaver_spider_most_fetches",
                                     "Requests that may be fetched at once: spider.max_fetches")),
      threads(registry.AddGauge("orbweaver_spider_threads",
                                "Threads that fetch and parse: spider.threads")),
      queued_bytes(registry.AddGauge("orbweaver_spider_queued_bytes",
                                     "Outcomes that the log has not taken yet")),
      robots_hosts(
          registry.AddGauge("orbweaver_spider_robots_hosts", "Hosts whose robots.txt is known")),
      fetch_seconds(registry.AddHistogram("orbweaver_spider_fetch_seconds",
                                          "From a request's start to its end",
                                          ExponentialBounds(0.001, 2, 18))),
      stage(registry, "spider"),
      fetchers(registry) {
  static_assert(std::size(kReasons) == std::tuple_size_v<decltype(deferred)>);
  for (size_t i = 0; i < failures.size(); ++i) {
    failures[i] = &registry.AddCounter(
        "orbweaver_spider_failures_total", "Requests that failed, by cause",
        {{"cause", std::string(FailureCauseName(static_cast<FailureCause>(i)))}});
  }
  for (size_t i = 0; i < ways_out_closed.size(); ++i) {
    ways_out_closed[i] = &registry.AddGauge(
        "orbweaver_spider_no_way_out",
        "1 while nothing is fetched because our own side fails: no network, no name server that "
        "answers, no proxy",
        {{"side", std::string(OwnSideName(static_cast<OwnSide>(i)))}});
  }
  for (size_t i = 0; i < deferred.size(); ++i) {
    deferred[i] = &registry.AddCounter("orbweaver_spider_handed_back_total",
                                       "Requests that were handed back, by reason",
                                       {{"reason", std::string(kReasons[i])}});
  }
}

}  // namespace orbweaver
