#include "common/runtime/admin_message.h"

#include "gtest/gtest.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(AdminMessageTest, ATargetIsCutAtItsFirstQuestionMark) {
  const AdminRequest request{.method = "GET", .target = "/a/b?c=d?e"};
  EXPECT_EQ(request.path(), "/a/b");
  EXPECT_EQ(request.query(), "c=d?e");
  EXPECT_EQ(AdminRequest{.target = "/a"}.path(), "/a");
  EXPECT_EQ(AdminRequest{.target = "/a"}.query(), "");
  EXPECT_EQ(AdminRequest{.target = "/a?"}.query(), "");
  EXPECT_EQ(AdminRequest{}.path(), "");
  EXPECT_EQ(AdminRequest{}.query(), "");
}

TEST(AdminMessageTest, ParametersOfQueryAndBodyAreOneForm) {
  EXPECT_EQ((AdminRequest{.target = "/a?b=c", .body = "d=e"}.form()), "b=c&d=e");
  EXPECT_EQ((AdminRequest{.target = "/a?b=c"}.form()), "b=c");
  EXPECT_EQ((AdminRequest{.target = "/a", .body = "d=e"}.form()), "d=e");
  EXPECT_EQ(AdminRequest{.target = "/a"}.form(), "");
}

TEST(AdminMessageTest, AProxysFormOfATargetLosesItsAuthority) {
  EXPECT_EQ(OriginForm("http://127.0.0.1:9600/a?b=http://c/d"), "/a?b=http://c/d");
  EXPECT_EQ(OriginForm("https://a.test/"), "/");
  EXPECT_EQ(OriginForm("http://a.test"), "/");
  EXPECT_EQ(OriginForm("http://"), "/");
  EXPECT_EQ(OriginForm("http://a.test?b=/c"), "?b=/c");
  for (const char* const origin : {"/a?b=c", "/http://a.test/b", "*", "", "a.test:80"}) {
    EXPECT_EQ(OriginForm(origin), origin);
  }
}

TEST(AdminMessageTest, AnErrorsKindIsItsHttpStatus) {
  EXPECT_EQ(HttpStatusOf(absl::NotFoundError("gone")), 404);
  EXPECT_EQ(HttpStatusOf(PoisonError("wrong")), 400);
  EXPECT_EQ(HttpStatusOf(RetryError("away")), 503);
  EXPECT_EQ(HttpStatusOf(FatalError("broken")), 500);
}

}  // namespace
}  // namespace orbweaver
