#include "spider/crawl/crawl_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareCrawlOptions(config::Schema& schema, CrawlOptions* options) {
  schema.Add("spider.threads", &options->threads,
             {.min = 1,
              .max = 256,
              .unit = "threads",
              .doc = "Threads that fetch and parse; with 1 everything is done by one thread"});
  schema.Add("spider.window", &options->window,
             {.min = 1,
              .max = 10'000'000,
              .unit = "requests",
              .doc = "Requests that the spider reads beyond what it has committed: so many may be "
                     "fetched twice when it dies. One slow request holds back the commit of all "
                     "behind it, so a small window slows a fast spider down"});
  schema.Add("spider.max_requests", &options->max_requests,
             {.min = 1,
              .max = 1'000'000,
              .unit = "requests",
              .doc = "Requests that the spider holds at a time, those that wait for their turn "
                     "included"});
  schema.Add(
      "spider.max_fetches", &options->max_fetches,
      {.min = 1, .max = 100'000, .unit = "requests", .doc = "Requests that are fetched at a time"});
  schema.AddBytes("spider.max_queued_bytes", &options->max_queued_bytes,
                  {.min = 1 << 20,
                   .max = size_t{64} << 30,
                   .doc = "When outcomes of this size wait for the spider log, no fetch begins"});
  schema.Add("spider.commit_interval", &options->commit_interval,
             {.min = std::chrono::milliseconds(10),
              .max = std::chrono::minutes(1),
              .doc = "How often the feed's offsets are committed"});
  schema.Add("spider.drain_timeout", &options->drain_timeout,
             {.max = std::chrono::minutes(10),
              .doc = "A spider that stops, or gives partitions up, waits so long for what is being "
                     "fetched, and then hands it back; shorter than `stop.deadline` and "
                     "`worker.session_timeout`"});
  schema.Add(
      "spider.bus_timeout", &options->bus_timeout,
      {.min = std::chrono::milliseconds(100),
       .max = std::chrono::minutes(5),
       .doc = "How long a commit may take before it is tried again; with one thread, fetches "
              "stand still meanwhile"});
}

}  // namespace orbweaver
