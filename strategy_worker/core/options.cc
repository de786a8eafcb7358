#include "strategy_worker/core/options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareStrategyWorkerOptions(config::Schema& schema, StrategyWorkerOptions* options) {
  schema.Add(
      "strategy_worker.batch_events", &options->batch_events,
      {.min = 1,
       .max = 100'000,
       .unit = "events",
       .doc = "How many events of the spider log are read, and processed, between two commits"});
  schema.AddBytes(
      "strategy_worker.batch_bytes", &options->batch_bytes,
      {.min = 64 << 10,
       .max = 64 << 20,
       .doc =
           "The same by their size. Scoring messages of as many bytes are written before the rest "
           "is processed"});
  schema.Add(
      "strategy_worker.batch_time", &options->batch_time,
      {.min = std::chrono::milliseconds(1),
       .max = std::chrono::seconds(10),
       .doc = "The same by the time that reading takes. A slow strategy's decisions are written "
              "as often"});
  schema.AddBytes("strategy_worker.max_message_bytes", &options->max_message_bytes,
                  {.min = 64 << 10,
                   .max = 8 << 20,
                   .doc = "A larger scoring message is split; below the brokers' "
                          "`message.max.bytes`"});
  schema.Add("strategy_worker.store_timeout", &options->store_timeout,
             {.min = std::chrono::milliseconds(100),
              .max = std::chrono::minutes(5),
              .doc = "How long one call to the store may take before it is tried again"});
  schema.Add("strategy_worker.bus_timeout", &options->bus_timeout,
             {.min = std::chrono::milliseconds(100),
              .max = std::chrono::minutes(5),
              .doc = "The same for the bus"});
  schema.Add(
      "strategy_worker.keep_referrers", &options->keep_referrers,
      {.doc = "Requests carry the URL of the page whose link they were scheduled for, so that "
              "files of failures name it: a URL more for each in the logs and in the queue. "
              "Upgrade all db workers first"});
  schema.AddShare(
      "strategy_worker.explore", &options->explore,
      {.doc = "This share of each domain's fetches goes to requests that the strategy ranks low, "
              "drawn by lot. Recordings then say what they are worth, and strategies that would "
              "fetch them can be judged"});
  schema.AddChoice(
      "strategy_worker.on_strategy_error", &options->on_strategy_error,
      {{"dead_letter", OnStrategyError::kDeadLetter}, {"stop", OnStrategyError::kStop}},
      {.doc = "When the strategy fails on an event: keep the event in `dead-letter` "
              "and go on, or stop the worker"});
  schema.Add("strategy_worker.dns_failure_rest", &options->dns_failure_rest,
             {.max = std::chrono::hours(24),
              .doc = "How long a domain rests after its name could not be resolved"});
  schema.Add("strategy_worker.own_retries", &options->own_retries,
             {.max = 1000,
              .unit = "tries",
              .doc = "Further tries of what no strategy is asked about (scope.assets, "
                     "scope.sitemaps), after failures that may pass"});
  schema.Add("strategy_worker.own_retry_delay", &options->own_retry_delay,
             {.max = std::chrono::hours(24),
              .doc = "How long the first of them waits; each further one twice as long"});
}

}  // namespace orbweaver
