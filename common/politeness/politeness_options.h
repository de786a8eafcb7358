// The options of when a site is asked: for the spider, which keeps to them, and for the queue and
// the strategy worker, which go by the same.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "common/base/clock.h"
#include "common/politeness/rest.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct PolitenessOptions {
  // Least time between the end of one request and the start of the next, of a registered domain
  // and of an IP address. An address without delay may be asked by several domains at once.
  Duration delay = std::chrono::seconds(1);
  Duration address_delay{};
  // Requests of a domain at the same time; the delay is then also kept between two starts.
  uint32_t per_domain = 1;
  // All requests of a spider, by the second; 0: as many as there are.
  double rate = 0;
  // The longest Crawl-delay that a robots.txt may ask for.
  Duration max_crawl_delay = std::chrono::hours(1);
  // A request that would wait longer for its turn is handed back to the queue.
  Duration max_wait = std::chrono::seconds(30);
  RestOptions back_off;
};

// The delay between two requests to a domain whose robots.txt asks for `crawl_delay`; 0: it asks
// for none.
inline Duration DomainDelay(const PolitenessOptions& options, Duration crawl_delay) {
  return std::max(options.delay, std::min(crawl_delay, options.max_crawl_delay));
}

// politeness.*; `options` must outlive the schema.
void DeclarePolitenessOptions(config::Schema& schema, PolitenessOptions* options);

}  // namespace orbweaver
