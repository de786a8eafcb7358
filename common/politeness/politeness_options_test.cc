#include "common/politeness/politeness_options.h"

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/config/load.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(PolitenessOptions, ARobotsTxtAsksForNoLessThanTheDelayAndNoMoreThanItsBound) {
  const PolitenessOptions options{.delay = seconds(2), .max_crawl_delay = minutes(1)};
  EXPECT_EQ(DomainDelay(options, {}), seconds(2));
  EXPECT_EQ(DomainDelay(options, milliseconds(1)), seconds(2));
  EXPECT_EQ(DomainDelay(options, seconds(30)), seconds(30));
  EXPECT_EQ(DomainDelay(options, hours(5)), minutes(1));
  EXPECT_EQ(DomainDelay(options, -seconds(1)), seconds(2));
  // One's own delay counts, however little a robots.txt may ask for.
  EXPECT_EQ(DomainDelay({.delay = minutes(5), .max_crawl_delay = minutes(1)}, hours(5)),
            minutes(5));
}

TEST(PolitenessOptions, AnyDelayIsWithinItsBounds) {
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    const PolitenessOptions options{.delay = Duration(random.Below(uint64_t{1} << 50)),
                                    .max_crawl_delay = Duration(random.Below(uint64_t{1} << 50))};
    const Duration asked(random.Below(uint64_t{1} << 62));
    const Duration delay = DomainDelay(options, asked);
    ASSERT_GE(delay, options.delay);
    ASSERT_GE(delay, std::min(asked, options.max_crawl_delay));
    ASSERT_LE(delay, std::max(options.delay, options.max_crawl_delay));
  }
}

TEST(PolitenessOptions, OldNamesAreRefusedWithTheNewOne) {
  const std::pair<std::string, std::string> renamed[] = {
      {"feed.min_delay=2s", "politeness.delay"},
      {"feed.max_delay=2s", "politeness.max_crawl_delay"},
      {"feed.back_off_first=2s", "politeness.back_off_first"},
      {"spider.politeness.delay=2s", "politeness.delay"},
      {"spider.politeness.back_off_most=2s", "politeness.back_off_most"},
      {"spider.politeness.rate=2", "politeness.rate"},
      {"strategy_worker.max_retry_after=2s", "politeness.back_off_most"},
  };
  for (const auto& [set, name] : renamed) {
    config::Schema schema;
    PolitenessOptions options;
    DeclarePolitenessOptions(schema, &options);
    const absl::Status status = config::Load({.sets = {set}}, &schema);
    EXPECT_TRUE(status.message().find("Did you mean " + name + "?") != std::string::npos) << status;
  }
}

}  // namespace
}  // namespace orbweaver
