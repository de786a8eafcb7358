#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct RobotsOptions {
  // The name of this crawler in robots.txt files (crawler_name.h). Empty, as an option: the name
  // that the user agent shows; to RobotsCache: no name, so the rules for all crawlers hold.
  std::string product_token;
  // RFC 9309, section 2.4: not more than a day.
  std::chrono::milliseconds max_age = std::chrono::hours(24);
  // When a robots.txt cannot be had: how soon it is asked for again, doubling to how late.
  std::chrono::milliseconds retry_min = std::chrono::minutes(1);
  std::chrono::milliseconds retry_max = std::chrono::hours(1);
  // Hosts, HOST or HOST:PORT, whose robots.txt forbids nothing.
  std::vector<std::string> ignore_hosts;
  size_t cache_bytes = size_t{64} << 20;
  // A host whose robots.txt names no sitemap is said to have /sitemap.xml. No option of its own:
  // scope.sitemaps says whether anybody wants to know.
  bool guess_sitemaps = false;
};

// The options `spider.robots.*`. `options` must outlive the schema.
void DeclareRobotsOptions(config::Schema& schema, RobotsOptions* options);

// Fatal for a host that is none, or a pattern of hosts: one's own sites can be named.
absl::Status CheckRobotsOptions(const RobotsOptions& options);

}  // namespace orbweaver
