#include "cli/orders/order_journal.h"

#include <cstdlib>
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
  const std::filesystem::path file = JournalFile({}, folder.path());
  const std::string many(100'000, 'x');
  ASSERT_OK(Journal(file, {.time = WallTime(std::chrono::hours(1)),
                           .action = "block",
                           .parameters = "domain=a\n\"b",
                           .by = "admin",
                           .from = "::1",
                           .is_done = true,
                           .answer = "order written"}));
  ASSERT_OK(Journal(file, {.action = "add-seeds", .parameters = many, .answer = many}));
  std::ifstream stream(folder.path() / "orders.jsonl");
  std::string first, second, none;
  ASSERT_TRUE(std::getline(stream, first));
  ASSERT_TRUE(std::getline(stream, second));
  EXPECT_FALSE(std::getline(stream, none));
  EXPECT_EQ(first,
            R"({"time":"1970-01-01T01:00:00.000Z","action":"block","parameters":"domain=a\n\"b",)"
            R"("by":"admin","from":"::1","done":true,"answer":"order written"})");
  EXPECT_LT(second.size(), 1200u);
  EXPECT_THAT(second, HasSubstr(R"("done":false)"));
  const auto mode = std::filesystem::status(file).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(OrderJournalTest, TheNewestAreReadFirstAndWhatIsNoLineIsPassedOver) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "a" / "orders.jsonl";
  ASSERT_OK(ReadJournal(file, 10).status());
  EXPECT_TRUE(ReadJournal(file, 10)->empty());
  // As an older release wrote it.
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << R"({"time":"2026-01-31T12:00:00.000Z","action":"purge",)"
                      << R"("parameters":"domain=a.test","done":true,"answer":"x"})" << "\n"
                      << "{\"time\":\"2026-01-3\nnonsense\n{}\n";
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(Journal(file, {.time = WallTime(std::chrono::seconds(i)),
                             .action = "block",
                             .parameters = "domain=b%C3%BCcher.de&for=1h",
                             .by = "user me",
                             .is_done = i == 4,
                             .answer = "said\n"}));
  }
  const auto all = *ReadJournal(file, 10);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].time_ms, 4000);
  EXPECT_TRUE(all[0].is_done);
  EXPECT_FALSE(all[1].is_done);
  EXPECT_EQ(all[0].by, "user me");
  EXPECT_EQ(all[0].answer, "said\n");
  EXPECT_EQ(all[0].parameters, (FormParams{{"domain", "bücher.de"}, {"for", "1h"}}));
  EXPECT_EQ(all[5].action, "purge");
  EXPECT_EQ(ReadJournal(file, 2)->size(), 2u);
}

TEST(OrderJournalTest, OfALargeFileTheEndIsReadAndNoParameterIsCutInTheMiddleOfAnEscape) {
  const ScratchFolder folder;
  const std::filesystem::path file = JournalFile({}, folder.path());
  std::ofstream(file) << std::string(3 << 20, 'x') << "\n";
  std::string url(499, 'u');
  ASSERT_OK(Journal(file, {.action = "add-seeds", .parameters = "urls=" + url + "%0Ax"}));
  for (size_t length = 490; length < 500; ++length) {
    const std::string form = "urls=" + std::string(length - 5, 'u') + "%0Ax%0Ax%0Ax%0Ax";
    ASSERT_OK(Journal(file, {.action = "add-seeds", .parameters = form}));
    EXPECT_FALSE(ReadJournal(file, 1)->front().parameters.empty()) << length;
  }
  EXPECT_EQ(ReadJournal(file, 100)->size(), 11u);
}

TEST(OrderJournalTest, AFolderThatCannotBeWrittenToIsNamed) {
  const auto status = Journal("/proc/nowhere/orders.jsonl", {});
  EXPECT_TRUE(IsFatal(status));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("/proc/nowhere/orders.jsonl"));
}

TEST(OrderJournalTest, AClustersOrdersAreKeptWhereTheOptionOrTheUsersHomeSays) {
  ConsoleOptions options;
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(JournalFile(options, std::nullopt), "/state/orbweaver/orders.jsonl");
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(JournalFile(options, std::nullopt), "/home/me/.local/state/orbweaver/orders.jsonl");
  options.journal = "/var/log/orders";
  EXPECT_EQ(JournalFile(options, std::nullopt), "/var/log/orders");
  EXPECT_EQ(JournalFile(options, "data"), "data/orders.jsonl");
}

}  // namespace
}  // namespace orbweaver
