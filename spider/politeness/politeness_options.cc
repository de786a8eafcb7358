#include "spider/politeness/politeness_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclarePolitenessOptions(config::Schema& schema, PolitenessOptions* options) {
  constexpr Duration kDay = std::chrono::hours(24);
  schema.Add("spider.politeness.delay", &options->delay,
             {.max = kDay,
              .doc = "Least time between the end of one request to a registered domain and the "
                     "start of the next; robots.txt and the feed may ask for more"});
  schema.Add(
      "spider.politeness.address_delay", &options->address_delay,
      {.max = kDay,
       .doc = "The same for an IP address, whatever domains are on it, within one spider; 0: "
              "addresses are not minded"});
  schema.Add("spider.politeness.per_domain", &options->per_domain,
             {.min = 1,
              .max = 1'000,
              .unit = "requests",
              .doc = "Requests to a registered domain at the same time"});
  schema.Add("spider.politeness.rate", &options->rate,
             {.min = 0,
              .max = 1'000'000,
              .unit = "requests a second",
              .doc = "So many requests of one spider, to all domains together; 0: any number"});
  schema.Add("spider.politeness.max_crawl_delay", &options->max_crawl_delay,
             {.max = kDay, .doc = "A longer crawl-delay of a robots.txt is cut to this"});
  schema.Add("spider.politeness.max_wait", &options->max_wait,
             {.max = std::chrono::minutes(10),
              .doc = "A request that would wait longer for its turn is handed back to the queue"});
  schema.Add("spider.politeness.back_off_first", &options->back_off.first,
             {.max = kDay,
              .doc = "How long a domain rests after 429 or 503 without Retry-After; doubles with "
                     "each further one"});
  schema.Add("spider.politeness.back_off_most", &options->back_off.most,
             {.max = kDay, .doc = "The longest such rest; bounds Retry-After too"});
  schema.Add("spider.politeness.back_off_jitter", &options->back_off.jitter,
             {.min = 0,
              .max = 1,
              .doc = "Up to this share is added to a rest, so that domains that failed together do "
                     "not come back together"});
  schema.Add("spider.politeness.back_off_forgiven_after", &options->back_off.forgiven_after,
             {.max = kDay,
              .doc = "After so long without another 429 or 503 the next one counts as the first"});
}

}  // namespace orbweaver
