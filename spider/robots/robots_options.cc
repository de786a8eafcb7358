#include "spider/robots/robots_options.h"

#include "common/base/status.h"
#include "common/config/schema.h"

namespace orbweaver {

void DeclareRobotsOptions(config::Schema& schema, RobotsOptions* options) {
  using std::chrono::hours;
  using std::chrono::seconds;
  schema.Add(
      "spider.robots.product_token", &options->product_token,
      {.doc = "The name of this crawler in robots.txt files, `<meta name=NAME>` and `X-Robots-Tag: "
              "NAME: …`: letters, `-` and `_`. Empty: the product that "
              "`spider.fetch.user_agent` names first; another one must stand in it"});
  schema.Add("spider.robots.max_age", &options->max_age,
             {.min = seconds(1),
              .max = hours(24),
              .doc = "After this a robots.txt is fetched again; RFC 9309 allows a day"});
  schema.Add("spider.robots.retry_min", &options->retry_min,
             {.min = seconds(1),
              .max = hours(24),
              .doc = "When a robots.txt cannot be had (5xx, timeout), it is asked for again after "
                     "this, then after twice as long, and so on; meanwhile nothing is fetched"});
  schema.Add("spider.robots.retry_max", &options->retry_max,
             {.min = seconds(1), .max = hours(24), .doc = "At the latest after this"});
  schema.Add("spider.robots.ignore_hosts", &options->ignore_hosts,
             {.doc = "For sites of one's own: hosts, as `example.org` or `localhost:8000`, whose "
                     "robots.txt forbids nothing. It is fetched all the same, its Crawl-delay is "
                     "kept and its sitemaps are told. Each start warns of them"});
  schema.AddBytes("spider.robots.cache_bytes", &options->cache_bytes,
                  {.min = 1 << 20,
                   .doc = "How much the rules of all hosts may take in memory; those that were not "
                          "asked for the longest are forgotten"});
}

absl::Status CheckRobotsOptions(const RobotsOptions& options) {
  for (const std::string& host : options.ignore_hosts) {
    if (host.empty() || host.find_first_of("*/@?#\\ ") != std::string::npos) {
      return FatalError("spider.robots.ignore_hosts '{}': no host. Write HOST or HOST:PORT.", host);
    }
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
