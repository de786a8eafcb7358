#include "db_worker/roles.h"

#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

TEST(Roles, QueueAndPagesMayBeTogetherOrApart) {
  EXPECT_EQ(*ParseRoles({"enqueue", "dequeue", "pages"}), (Roles{.queue = true, .pages = true}));
  EXPECT_EQ(*ParseRoles({"dequeue", "enqueue"}), (Roles{.queue = true}));
  EXPECT_EQ(*ParseRoles({"pages"}), (Roles{.pages = true}));
}

TEST(Roles, TwoWritersOfOneQueueAreRefused) {
  EXPECT_FALSE(ParseRoles({"enqueue"}).ok());
  EXPECT_FALSE(ParseRoles({"dequeue", "pages"}).ok());
}

TEST(Roles, AMisspelledRoleIsNotLeftOut) {
  EXPECT_FALSE(ParseRoles({"enqueue", "dequeue", "page"}).ok());
  EXPECT_FALSE(ParseRoles({}).ok());
}

}  // namespace
}  // namespace orbweaver
