#include "common/config/log_options.h"

#include <gtest/gtest.h>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/config/load.h"

namespace orbweaver {
namespace {

TEST(LogOptionsTest, EveryFieldCanBeConfigured) {
  config::Schema schema;
  LogOptions options;
  DeclareLogOptions(schema, &options);
  ASSERT_TRUE(config::Load({.sets = {"log.format=json", "log.level=error", "log.levels.bus=debug",
                                     "log.repeats=3"}},
                           &schema)
                  .ok());
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.level, LogLevel::kError);
  EXPECT_EQ(options.module_levels.at("bus"), LogLevel::kDebug);
  EXPECT_EQ(options.repeats_per_ten_seconds, 3);
}

}  // namespace
}  // namespace orbweaver
