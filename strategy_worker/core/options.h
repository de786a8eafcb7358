// The options of the strategy worker's core.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "common/base/clock.h"
#include "common/model/limits.h"

namespace orbweaver {

namespace config {
class Schema;
}

enum class OnStrategyError { kDeadLetter, kStop };

struct StrategyWorkerOptions {
  // A batch ends at the first of these bounds. A domain is put once a batch (twice where a portion
  // of a batch ends in it), and on HBase rows are what costs: large batches. On a store in the same
  // process 300 events, which stay in the CPU's caches, cost a quarter less.
  size_t batch_events = 20'000;
  size_t batch_bytes = size_t{32} << 20;
  Duration batch_time = std::chrono::milliseconds(500);
  size_t max_message_bytes = kDefaultMaxMessageBytes;
  // Each call to store or bus; what is not done by then is tried again by the next step.
  Duration store_timeout = std::chrono::seconds(10);
  Duration bus_timeout = std::chrono::seconds(10);
  // Requests carry the URL of the page whose link they were scheduled for.
  bool keep_referrers = false;
  // The share of a domain's fetches that goes to requests drawn by lot (exploration.h).
  double explore = 0;
  OnStrategyError on_strategy_error = OnStrategyError::kDeadLetter;
  // The hint in the message of a worker that stops; not an option.
  std::string_view after_strategy_error =
      "mend the strategy and start again, or set strategy_worker.on_strategy_error to "
      "`dead_letter` to keep such events there and go on";
  // How long a domain rests whose own name, or www. of it, could not be resolved.
  std::chrono::milliseconds dns_failure_rest = std::chrono::minutes(10);
  // The longest Retry-After that is believed: politeness.back_off_most, no option of its own.
  std::chrono::milliseconds max_retry_after = std::chrono::hours(24);
  // Tries after failures of requests that no strategy is asked about (scope.assets,
  // scope.sitemaps); each waits twice as long as the one before.
  uint32_t own_retries = 3;
  std::chrono::milliseconds own_retry_delay = std::chrono::minutes(1);
};

// strategy_worker.*; `options` must outlive the schema.
void DeclareStrategyWorkerOptions(config::Schema& schema, StrategyWorkerOptions* options);

}  // namespace orbweaver
