#include "common/runtime/admin_site.h"

#include <atomic>
#include <optional>
#include <thread>

#include "absl/synchronization/notification.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

AdminResponse Get(const AdminSite& site, std::string_view target) {
  return site.Handle({.method = "GET", .target = target});
}

AdminResponse Post(const AdminSite& site, std::string_view target, std::string_view authorization,
                   std::string_view body = "") {
  return site.Handle(
      {.method = "POST", .target = target, .authorization = authorization, .body = body});
}

TEST(AdminSiteTest, IsHealthyWhileNotReady) {
  AdminSite site("");
  const auto kafka = site.AddCondition("kafka", [] { return "connecting"; });
  const auto hbase = site.AddCondition("hbase", [] { return ""; });
  EXPECT_EQ(Get(site, "/healthz").status, 200);
  EXPECT_EQ(Get(site, "/readyz").status, 503);
  EXPECT_EQ(Get(site, "/readyz").body, "kafka: connecting\n");
}

TEST(AdminSiteTest, IsReadyOnceAllConditionsHold) {
  AdminSite site("");
  std::string why = "loading 3 partitions";
  const auto condition = site.AddCondition("states", [&why] { return why; });
  EXPECT_EQ(Get(site, "/readyz").status, 503);
  why.clear();
  EXPECT_EQ(Get(site, "/readyz").status, 200);
  EXPECT_EQ(Get(site, "/readyz").body, "ready\n");
}

TEST(AdminSiteTest, StatusHasAMemberForEachPart) {
  AdminSite site("");
  const auto feed = site.AddStatus("feed", [](JsonWriter& json) { json.Value(3); });
  const auto fetch = site.AddStatus(
      "fetch", [](JsonWriter& json) { json.BeginObject().Key("open").Value(7).EndObject(); });
  const AdminResponse response = Get(site, "/status?pretty");
  EXPECT_EQ(response.body, "{\"feed\":3,\"fetch\":{\"open\":7}}\n");
  EXPECT_EQ(response.content_type, "application/json");
}

TEST(AdminSiteTest, WhatAPartAddedGoesWithThePart) {
  AdminSite site("");
  std::optional<AdminSite::Registration> page =
      site.AddPage("/metrics", "text/plain", [] { return "x"; });
  EXPECT_EQ(Get(site, "/metrics").status, 200);
  EXPECT_THAT(Get(site, "/").body, HasSubstr("/metrics\n"));
  AdminSite::Registration moved = *std::move(page);
  page.reset();  // NOLINT(bugprone-use-after-move): what was moved from must end without effect
  EXPECT_EQ(Get(site, "/metrics").status, 200);
  moved = AdminSite::Registration();
  EXPECT_EQ(Get(site, "/metrics").status, 404);
  const auto again = site.AddPage("/metrics", "text/plain", [] { return "y"; });
  EXPECT_EQ(Get(site, "/metrics").body, "y\n");
}

TEST(AdminSiteTest, TellsAWrongMethodFromAnUnknownPage) {
  AdminSite site("");
  const auto action = site.AddAction("pause", "Pause", [](const FormParams&) { return "paused"; });
  EXPECT_EQ(Get(site, "/nothing").status, 404);
  EXPECT_EQ(Post(site, "/nothing", "").status, 404);
  EXPECT_EQ(Get(site, "/actions/nothing").status, 404);
  EXPECT_EQ(Get(site, "").status, 404);
  EXPECT_EQ(Get(site, "*").status, 404);
  const AdminResponse post = Post(site, "/healthz", "");
  EXPECT_EQ(post.status, 405);
  EXPECT_THAT(post.headers, ElementsAre(Pair("Allow", "GET, HEAD")));
  const AdminResponse get = Get(site, "/actions/pause");
  EXPECT_EQ(get.status, 405);
  EXPECT_THAT(get.headers, ElementsAre(Pair("Allow", "POST")));
  EXPECT_EQ(site.Handle({.method = "HEAD", .target = "/healthz"}).status, 200);
}

class ActionTest : public ::testing::Test {
 protected:
  explicit ActionTest(std::string token = "s3cret") : site_(std::move(token)) {
    registration_ = site_.AddAction("block", "Block a domain", [this](const FormParams& params) {
      ++calls_;
      params_ = params;
      return result_;
    });
  }

  AdminSite site_;
  AdminSite::Registration registration_;
  int calls_ = 0;
  FormParams params_;
  absl::StatusOr<std::string> result_ = "blocked";
};

TEST_F(ActionTest, NothingHappensWithoutTheRightToken) {
  for (const char* authorization :
       {"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3crets", "Bearer s3crets3cret",
        "Bearer S3CRET", "Bearer  s3cret", "Basic s3cret", "s3cret"}) {
    const AdminResponse response = Post(site_, "/actions/block", authorization);
    EXPECT_EQ(response.status, 401) << authorization;
    EXPECT_THAT(response.headers, ElementsAre(Pair("WWW-Authenticate", "Bearer")));
  }
  EXPECT_EQ(calls_, 0);
}

TEST_F(ActionTest, TheTokenLetsItHappenWithParametersOfQueryAndBody) {
  const AdminResponse response =
      Post(site_, "/actions/block?domain=b%C3%BCcher.de", "bearer s3cret", "for=1h");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "blocked\n");
  EXPECT_EQ(params_, (FormParams{{"domain", "bücher.de"}, {"for", "1h"}}));
}

TEST_F(ActionTest, BadParametersAreRefusedBeforeAnythingHappens) {
  EXPECT_EQ(Post(site_, "/actions/block?domain=%", "Bearer s3cret").status, 400);
  EXPECT_EQ(Post(site_, "/actions/block?domain=a", "Bearer s3cret", "domain=b").status, 400);
  EXPECT_EQ(calls_, 0);
}

TEST_F(ActionTest, TheKindOfErrorBecomesTheHttpStatus) {
  const auto status = [this](absl::Status error) {
    result_ = std::move(error);
    return Post(site_, "/actions/block", "Bearer s3cret").status;
  };
  EXPECT_EQ(status(PoisonError("domain: missing")), 400);
  EXPECT_EQ(status(absl::NotFoundError("no such domain")), 404);
  EXPECT_EQ(status(RetryError("not the owner yet")), 503);
  EXPECT_EQ(status(FatalError("disk full")), 500);
}

TEST_F(ActionTest, PagesAreServedWhileAnActionRunsAndItStaysUntilItHasEnded) {
  absl::Notification entered;
  absl::Notification leave;
  std::atomic<bool> left = false;
  std::optional<AdminSite::Registration> slow =
      site_.AddAction("slow", "Take long", [&](const FormParams&) {
        entered.Notify();
        leave.WaitForNotification();
        left = true;
        return "done";
      });
  const auto condition = site_.AddCondition("kafka", [] { return ""; });
  std::thread action(
      [this] { EXPECT_EQ(Post(site_, "/actions/slow", "Bearer s3cret").status, 200); });
  entered.WaitForNotification();
  for (const char* const page : {"/healthz", "/readyz", "/status", "/actions"}) {
    EXPECT_EQ(Get(site_, page).status, 200) << page;
  }
  EXPECT_EQ(Post(site_, "/actions/block", "Bearer wrong").status, 401);
  EXPECT_EQ(Post(site_, "/actions/none", "Bearer s3cret").status, 404);
  std::thread remover([&] {
    slow.reset();
    EXPECT_TRUE(left);
  });
  leave.Notify();
  action.join();
  remover.join();
  EXPECT_EQ(Post(site_, "/actions/slow", "Bearer s3cret").status, 404);
}

class NoTokenTest : public ActionTest {
 protected:
  NoTokenTest() : ActionTest("") {}
};

TEST_F(NoTokenTest, WithoutAConfiguredTokenNobodyMayChangeAnything) {
  for (const char* authorization : {"", "Bearer", "Bearer ", "Bearer x"}) {
    const AdminResponse response = Post(site_, "/actions/block", authorization);
    EXPECT_EQ(response.status, 403);
    EXPECT_THAT(response.body, HasSubstr("admin.token"));
  }
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(Get(site_, "/actions").body, "[{\"name\":\"block\",\"doc\":\"Block a domain\"}]\n");
}

TEST(AdminSiteTest, PartsMayComeAndGoWhileItIsAsked) {
  AdminSite site("");
  std::thread parts([&site] {
    for (int i = 0; i < 500; ++i) {
      int local = i;
      const auto status = site.AddStatus("part", [&local](JsonWriter& json) { json.Value(local); });
    }
  });
  for (int i = 0; i < 500; ++i) EXPECT_EQ(Get(site, "/status").status, 200);
  parts.join();
  EXPECT_EQ(Get(site, "/status").body, "{}\n");
}

TEST(AdminSiteDeathTest, ANameTwiceIsABug) {
  AdminSite site("");
  const auto first = site.AddCondition("kafka", [] { return ""; });
  EXPECT_DEATH((void)site.AddCondition("kafka", [] { return ""; }), "invariant");
  EXPECT_DEATH((void)site.AddPage("/status", "text/plain", [] { return ""; }), "invariant");
}

}  // namespace
}  // namespace orbweaver
