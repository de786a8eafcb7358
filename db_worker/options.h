// The options of the db worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/politeness/politeness_options.h"

namespace orbweaver {

namespace config {
class Schema;
}

// How requests leave the queue; docs/queue.md explains it to users.
struct FeedOptions {
  int64_t low_lag = 2048;
  int64_t target_lag = 4096;
  int64_t max_backlog = 100'000;
  uint32_t max_per_domain = 64;
  uint32_t min_domains = 128;
  std::chrono::milliseconds window = std::chrono::seconds(10);
  std::chrono::milliseconds interval = std::chrono::milliseconds(200);
};

struct DbWorkerOptions {
  std::vector<std::string> roles{"enqueue", "dequeue", "pages"};  // roles.h
  FeedOptions feed;
  PolitenessOptions politeness;  // as the spiders'; declared by its own room
  std::chrono::milliseconds call_timeout = std::chrono::seconds(20);
  std::chrono::milliseconds checkpoint_interval = std::chrono::seconds(5);
  int64_t checkpoint_requests = 50'000;
  int64_t chunk_cache_bytes = int64_t{128} << 20;
  int64_t index_bytes = int64_t{1} << 30;
};

// feed.* and db_worker.*; `options` must outlive the schema.
void DeclareDbWorkerOptions(config::Schema& schema, DbWorkerOptions* options);

}  // namespace orbweaver
