#include "common/politeness/politeness_options.h"

#include <string>

#include "common/config/schema.h"

namespace orbweaver {
namespace {

// Spider and queue had a section each for the same.
void DeclareOldNames(config::Schema& schema) {
  for (const char* const name :
       {"delay", "address_delay", "per_domain", "rate", "max_crawl_delay", "max_wait",
        "back_off_first", "back_off_most", "back_off_jitter", "back_off_forgiven_after"}) {
    schema.Renamed(std::string("spider.politeness.") + name, std::string("politeness.") + name);
  }
  for (const char* const name :
       {"back_off_first", "back_off_most", "back_off_jitter", "back_off_forgiven_after"}) {
    schema.Renamed(std::string("feed.") + name, std::string("politeness.") + name);
  }
  schema.Renamed("feed.min_delay", "politeness.delay");
  schema.Renamed("feed.max_delay", "politeness.max_crawl_delay");
  schema.Renamed("strategy_worker.max_retry_after", "politeness.back_off_most");
}

void DeclareDelays(config::Schema& schema, PolitenessOptions* options) {
  constexpr Duration kDay = std::chrono::hours(24);
  schema.Add("politeness.delay", &options->delay,
             {.max = kDay,
              .doc = "Least time between the end of one request to a registered domain and the "
                     "start of the next; robots.txt and the feed may ask for more. The queue "
                     "sends no more requests of a domain than that allows"});
  schema.Add("politeness.max_crawl_delay", &options->max_crawl_delay,
             {.max = 7 * kDay, .doc = "A longer Crawl-delay of a robots.txt is cut to this"});
  schema.Add("politeness.address_delay", &options->address_delay,
             {.max = kDay,
              .doc = "As politeness.delay, for an IP address, whatever domains are on it, within "
                     "one spider; 0: no delay by address"});
  schema.Add("politeness.per_domain", &options->per_domain,
             {.min = 1,
              .max = 1'000,
              .unit = "requests",
              .doc = "Requests of a spider to a registered domain at the same time"});
  schema.Add("politeness.rate", &options->rate,
             {.min = 0,
              .max = 1'000'000,
              .unit = "requests a second",
              .doc = "So many requests of one spider, to all domains together; 0: any number"});
  schema.Add("politeness.max_wait", &options->max_wait,
             {.max = std::chrono::minutes(10),
              .doc = "A request that would wait longer for its turn in a spider is handed back to "
                     "the queue"});
}

void DeclareRests(config::Schema& schema, RestOptions* options) {
  using std::chrono::milliseconds;
  constexpr Duration kDay = std::chrono::hours(24);
  schema.Add("politeness.back_off_first", &options->first,
             {.min = milliseconds(1),
              .max = 7 * kDay,
              .doc = "How long a domain rests after 429 or 503 without Retry-After; doubles with "
                     "each further one"});
  schema.Add("politeness.back_off_most", &options->most,
             {.min = milliseconds(1),
              .max = 30 * kDay,
              .doc = "The longest such rest, before the jitter; bounds Retry-After too"});
  schema.Add("politeness.back_off_jitter", &options->jitter,
             {.min = 0,
              .max = 1,
              .doc = "Up to this share is added to such a rest, so that domains that failed "
                     "together do not come back together"});
  schema.Add("politeness.back_off_forgiven_after", &options->forgiven_after,
             {.max = 7 * kDay,
              .doc = "After so long without another rest the next 429 or 503 counts as the first"});
}

}  // namespace

void DeclarePolitenessOptions(config::Schema& schema, PolitenessOptions* options) {
  DeclareDelays(schema, options);
  DeclareRests(schema, &options->back_off);
  DeclareOldNames(schema);
}

}  // namespace orbweaver
