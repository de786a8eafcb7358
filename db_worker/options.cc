#include "db_worker/options.h"

#include "common/config/schema.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

void DeclareFeedOptions(config::Schema& schema, FeedOptions* options) {
  schema.Add("feed.low_lag", &options->low_lag,
             {.min = 1,
              .max = int64_t{1} << 32,
              .unit = "requests",
              .doc = "A partition of the feed is filled up when its spiders have fewer requests "
                     "than this left to finish"});
  schema.Add("feed.target_lag", &options->target_lag,
             {.min = 1,
              .max = int64_t{1} << 20,
              .unit = "requests",
              .doc = "How far a partition of the feed is filled up, and never further. Requests in "
                     "the feed keep their order: more makes better requests that come later wait"});
  schema.Add(
      "feed.max_backlog", &options->max_backlog,
      {.min = 1,
       .max = int64_t{1} << 40,
       .unit = "messages",
       .doc = "A partition of the feed is not filled up while the strategy workers have more "
              "messages than this left to read of its spider log, some ten a page: pages are "
              "not fetched much faster than what they lead to is decided"});
  schema.Add("feed.max_per_domain", &options->max_per_domain,
             {.min = 1,
              .max = 1 << 20,
              .unit = "requests",
              .doc = "How many requests one domain has in a batch at most"});
  schema.Add("feed.min_domains", &options->min_domains,
             {.min = 1,
              .max = 1 << 20,
              .unit = "domains",
              .doc = "How many domains a batch should have. Where that many are ready, no domain "
                     "gets more than its share; where fewer are, they fill the batch"});
  schema.Add("feed.window", &options->window,
             {.max = std::chrono::hours(1),
              .doc = "How long a batch is meant to last: a domain gets as many requests in it as "
                     "can be fetched in this time at its delay, and one more"});
  schema.Add("feed.interval", &options->interval,
             {.min = milliseconds(1),
              .max = std::chrono::hours(1),
              .doc = "The least time between two batches of a partition, and between two looks at "
                     "the spiders' progress"});
}

}  // namespace

void DeclareDbWorkerOptions(config::Schema& schema, DbWorkerOptions* options) {
  DeclareFeedOptions(schema, &options->feed);
  schema.Add(
      "db_worker.roles", &options->roles,
      {.doc = "The work of this worker: `enqueue` and `dequeue`, which go together since both "
              "write a domain's queue, `pages`, or all of them"});
  schema.Add("db_worker.call_timeout", &options->call_timeout,
             {.min = milliseconds(100),
              .max = std::chrono::minutes(5),
              .doc = "How long one call to store or bus may take before it is tried again"});
  schema.Add(
      "db_worker.checkpoint_interval", &options->checkpoint_interval,
      {.max = std::chrono::hours(1),
       .doc = "How often a partition's progress is written down. The partition's next owner reads "
              "requests that were sent since back from the feed; 0: after each batch"});
  schema.Add("db_worker.checkpoint_requests", &options->checkpoint_requests,
             {.min = 1,
              .max = int64_t{1} << 32,
              .unit = "requests",
              .doc = "The same by requests sent in a partition, whichever comes first"});
  schema.AddBytes("db_worker.chunk_cache_bytes", &options->chunk_cache_bytes,
                  {.min = 0,
                   .max = int64_t{1} << 40,
                   .doc = "Memory for requests that were written or read and will leave soon"});
  schema.AddBytes(
      "db_worker.index_bytes", &options->index_bytes,
      {.min = int64_t{1} << 20,
       .max = int64_t{1} << 40,
       .doc = "Memory for the domains that are known, some 170 bytes each. Beyond it domains "
              "without requests are forgotten, and read again when they get some"});
}

}  // namespace orbweaver
