#include "cli/crawl/order_journal.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

TEST(OrderJournalTest, EachOrderIsALineWhateverIsInIt) {
  const ScratchFolder folder;
  const std::string many(100'000, 'x');
  ASSERT_OK(Journal(folder.path(), {.time = WallTime(std::chrono::hours(1)),
                                    .action = "block",
                                    .parameters = "domain=a\n\"b",
                                    .is_done = true,
                                    .answer = "order written"}));
  ASSERT_OK(Journal(folder.path(), {.action = "add-seeds", .parameters = many, .answer = many}));
  std::ifstream stream(folder.path() / "orders.jsonl");
  std::string first, second, none;
  ASSERT_TRUE(std::getline(stream, first));
  ASSERT_TRUE(std::getline(stream, second));
  EXPECT_FALSE(std::getline(stream, none));
  EXPECT_EQ(first,
            R"({"time":"1970-01-01T01:00:00.000Z","action":"block","parameters":"domain=a\n\"b",)"
            R"("done":true,"answer":"order written"})");
  EXPECT_LT(second.size(), 1200u);
  EXPECT_THAT(second, HasSubstr(R"("done":false)"));
  const auto mode = std::filesystem::status(folder.path() / "orders.jsonl").permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(OrderJournalTest, AFolderThatCannotBeWrittenToIsNamed) {
  const auto status = Journal("/nowhere/at/all", {});
  EXPECT_TRUE(IsFatal(status));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("/nowhere/at/all/orders.jsonl"));
}

}  // namespace
}  // namespace orbweaver
