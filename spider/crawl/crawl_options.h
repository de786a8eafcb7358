#pragma once

#include <chrono>
#include <cstddef>

namespace orbweaver {

namespace config {
class Schema;
}

struct CrawlOptions {
  // Threads that fetch and parse; 1: the core's own.
  int threads = 1;
  // Requests read from the feed beyond its committed offsets: what may be fetched twice when the
  // spider dies. One that takes a minute holds back the commit of those behind it, so this bounds
  // how many of those there can be.
  size_t window = 50'000;
  // Requests held at a time whose outcome is not in the log yet, and how many of them are fetched
  // at the same time.
  size_t max_requests = 5'000;
  size_t max_fetches = 1'000;
  // Outcomes that wait for the log; beyond it no fetch begins.
  size_t max_queued_bytes = size_t{64} << 20;
  std::chrono::milliseconds commit_interval = std::chrono::seconds(1);
  // How long a spider that stops, or gives partitions up, waits for what is being fetched.
  std::chrono::milliseconds drain_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds bus_timeout = std::chrono::seconds(2);
};

// spider.threads, spider.window and the like; `options` must outlive the schema.
void DeclareCrawlOptions(config::Schema& schema, CrawlOptions* options);

}  // namespace orbweaver
