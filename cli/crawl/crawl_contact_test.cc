#include "cli/crawl/crawl_contact.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/runtime/admin_server.h"
#include "common/runtime/admin_site.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes(1);

TEST(CrawlContactTest, OnlyTheUserReadsTheToken) {
  const ScratchFolder folder;
  ASSERT_OK(WriteContact(folder.path(), {.address = "127.0.0.1:1", .token = "old"}));
  ASSERT_OK(WriteContact(folder.path(), {.address = "127.0.0.1:2", .token = "new"}));
  const auto contact = ReadContact(folder.path());
  ASSERT_TRUE(contact.has_value());
  EXPECT_EQ(contact->address, "127.0.0.1:2");
  EXPECT_EQ(contact->token, "new");
  const auto mode = std::filesystem::status(folder.path() / "contact").permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  RemoveContact(folder.path());
  EXPECT_FALSE(ReadContact(folder.path()).has_value());
}

TEST(CrawlContactTest, TheCrawlIsAskedWithItsTokenAndItsRefusalsComeBack) {
  const ScratchFolder folder;
  EXPECT_EQ(AskCrawl(folder.path(), "say", {}, kLong).status().code(), absl::StatusCode::kNotFound);
  AdminSite site("secret");
  const auto action =
      site.AddAction("say", "", [](const FormParams& params) -> absl::StatusOr<std::string> {
        if (!params.contains("text")) return PoisonError("say: nothing to say");
        return params.at("text");
      });
  AdminServer server({}, [&site](const AdminRequest& request) { return site.Handle(request); });
  ASSERT_OK(server.Start());
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  ASSERT_OK(WriteContact(folder.path(), {.address = address, .token = "secret"}));
  EXPECT_EQ(*AskCrawl(folder.path(), "say", {{"text", "a=b&c d\n%"}}, kLong), "a=b&c d\n%");
  EXPECT_TRUE(IsPoison(AskCrawl(folder.path(), "say", {}, kLong).status()));
  EXPECT_EQ(AskCrawl(folder.path(), "sing", {}, kLong).status().code(),
            absl::StatusCode::kNotFound);
  ASSERT_OK(WriteContact(folder.path(), {.address = address, .token = "wrong"}));
  EXPECT_TRUE(IsFatal(AskCrawl(folder.path(), "say", {}, kLong).status()));
  server.Stop();
  // Left behind by a crawl that was killed.
  const auto status = AskCrawl(folder.path(), "say", {}, kLong).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(address));
}

}  // namespace
}  // namespace orbweaver
