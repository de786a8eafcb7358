#include "cli/console/console_access.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/runtime/form.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kRead[] = "read-token-read-token";
constexpr char kAdmin[] = "admin-token-admin-token";

std::string HeaderOf(const AdminResponse& response, std::string_view name) {
  const auto found =
      std::ranges::find(response.headers, name, &std::pair<std::string, std::string>::first);
  return found == response.headers.end() ? "" : found->second;
}

std::string Between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t begin = text.find(before);
  if (begin == text.npos) return {};
  const size_t from = begin + before.size();
  return text.substr(from, text.find(after, from) - from);
}

// A browser that has logged in.
struct Browser {
  std::string cookie;
  std::string csrf;
};

class ConsoleAccessTest : public ::testing::Test {
 protected:
  void Use(AccessOptions options) { access_.emplace(std::move(options), clock_); }

  AdminRequest Request(std::string_view method, std::string_view target) const {
    return {.method = method, .target = target, .host = "127.0.0.1:9600", .peer = "192.0.2.1"};
  }
  AdminResponse Login(std::string_view token, std::string_view peer = "192.0.2.1") {
    body_ = EncodeForm({{"token", std::string(token)}});
    AdminRequest request = Request("POST", "/api/v1/login");
    request.body = body_;
    request.peer = peer;
    return access_->Handle(request, "[]");
  }
  Browser LoggedIn(std::string_view token) {
    const AdminResponse answer = Login(token);
    EXPECT_EQ(answer.status, 200) << answer.body;
    const std::string cookie = HeaderOf(answer, "Set-Cookie");
    return {.cookie = cookie.substr(0, cookie.find(';')),
            .csrf = Between(answer.body, "\"csrf\":\"", "\"")};
  }
  int Act(const AdminRequest& request) {
    const auto refusal = access_->RefuseAct(request, &caller_);
    return refusal.has_value() ? refusal->status : 200;
  }
  int Read(const AdminRequest& request) {
    const auto refusal = access_->RefuseRead(request);
    return refusal.has_value() ? refusal->status : 200;
  }
  AdminRequest Order(const Browser& browser) const {
    AdminRequest request = Request("POST", "/api/v1/orders/purge");
    request.cookie = browser.cookie;
    request.csrf = browser.csrf;
    return request;
  }
  AdminRequest Bearer(std::string_view authorization) const {
    AdminRequest request = Request("POST", "/api/v1/orders/purge");
    request.authorization = authorization;
    return request;
  }

  ManualClock clock_;
  std::optional<ConsoleAccess> access_;
  std::string body_;
  ConsoleAccess::Caller caller_;
};

TEST_F(ConsoleAccessTest, WithoutAReadTokenEverybodyMayReadAndNobodyAct) {
  Use({});
  EXPECT_EQ(Read(Request("GET", "/api/v1/overview")), 200);
  EXPECT_EQ(Act(Request("POST", "/x")), 401);
  EXPECT_EQ(Act(Bearer("Bearer ")), 401);
  EXPECT_EQ(Login("").status, 401);
}

TEST_F(ConsoleAccessTest, TokensOfProgramsLetReadAndActAsTheySay) {
  Use({.read_token = kRead, .admin_token = kAdmin});
  EXPECT_EQ(Read(Request("GET", "/x")), 401);
  EXPECT_EQ(Read(Bearer(std::string("Bearer ") + kRead)), 200);
  EXPECT_EQ(Read(Bearer(std::string("Bearer ") + kAdmin)), 200);
  EXPECT_EQ(Act(Bearer(std::string("Bearer ") + kRead)), 401);
  EXPECT_EQ(Act(Bearer(std::string("Bearer ") + kAdmin)), 200);
  EXPECT_EQ(caller_.by, "admin");
  EXPECT_EQ(Act(Bearer(std::string("Bearer ") + kAdmin + "x")), 401);
}

TEST_F(ConsoleAccessTest, ABrowsersOrderNeedsItsCookieAndTheTokenOfItsPage) {
  Use({.read_token = kRead, .admin_token = kAdmin});
  const Browser browser = LoggedIn(kAdmin);
  ASSERT_EQ(browser.csrf.size(), 32u);
  EXPECT_EQ(Act(Order(browser)), 200);
  EXPECT_EQ(Act(Order({.cookie = browser.cookie, .csrf = ""})), 403);
  EXPECT_EQ(Act(Order({.cookie = browser.cookie, .csrf = browser.csrf.substr(1)})), 403);
  EXPECT_EQ(Act(Order({.cookie = browser.cookie, .csrf = LoggedIn(kAdmin).csrf})), 403);
  EXPECT_EQ(Act(Order({.cookie = "", .csrf = browser.csrf})), 401);
  EXPECT_EQ(Act(Order({.cookie = "a=b; " + browser.cookie + "; c=d", .csrf = browser.csrf})), 200);
  EXPECT_EQ(Act(Order({.cookie = "orbweaver-9600=x", .csrf = browser.csrf})), 401);
}

TEST_F(ConsoleAccessTest, TheCookieIsForThisServersPagesAlone) {
  Use({.admin_token = kAdmin});
  const std::string cookie = HeaderOf(Login(kAdmin), "Set-Cookie");
  EXPECT_THAT(cookie, HasSubstr("orbweaver-9600="));
  EXPECT_THAT(cookie, HasSubstr("; Path=/; HttpOnly; SameSite=Strict"));
  EXPECT_THAT(cookie, Not(HasSubstr("Secure")));
  Use({.admin_token = kAdmin, .is_tls = true});
  const std::string secure = HeaderOf(Login(kAdmin), "Set-Cookie");
  EXPECT_THAT(secure, HasSubstr("__Host-orbweaver-9600="));
  EXPECT_THAT(secure, HasSubstr("; Secure"));
}

TEST_F(ConsoleAccessTest, AnotherSitesPageMayNeitherActNorLogIn) {
  Use({.admin_token = kAdmin});
  const Browser browser = LoggedIn(kAdmin);
  AdminRequest request = Order(browser);
  for (const char* const origin : {"http://evil.test", "null", "http://127.0.0.1:9601",
                                   "http://127.0.0.1", "127.0.0.1:9600"}) {
    request.origin = origin;
    EXPECT_EQ(Act(request), 403) << origin;
  }
  request.origin = "http://127.0.0.1:9600";
  EXPECT_EQ(Act(request), 200);
  for (const char* const site : {"cross-site", "same-site", "anything"}) {
    request.fetch_site = site;
    EXPECT_EQ(Act(request), 403) << site;
  }
  request.fetch_site = "same-origin";
  EXPECT_EQ(Act(request), 200);
  AdminRequest login = Request("POST", "/api/v1/login");
  const std::string form = EncodeForm({{"token", kAdmin}});
  login.body = form;
  login.origin = "http://evil.test";
  EXPECT_EQ(access_->Handle(login, "[]").status, 403);
}

TEST_F(ConsoleAccessTest, AReadersLoginMayNotAct) {
  Use({.read_token = kRead, .admin_token = kAdmin});
  const Browser reader = LoggedIn(kRead);
  EXPECT_EQ(Read(Order(reader)), 200);
  EXPECT_EQ(Act(Order(reader)), 403);
}

TEST_F(ConsoleAccessTest, AReadOnlyConsoleTakesNoOrderFromAnybody) {
  Use({.admin_token = kAdmin, .read_only = true});
  const Browser browser = LoggedIn(kAdmin);
  EXPECT_EQ(Act(Order(browser)), 403);
  EXPECT_EQ(Act(Bearer(std::string("Bearer ") + kAdmin)), 403);
}

TEST_F(ConsoleAccessTest, WrongTokensAreHeldBackHoweverTheyCome) {
  Use({.read_token = kRead, .admin_token = kAdmin});
  for (int i = 0; i < LoginLimit::kMostByAddress; ++i) EXPECT_EQ(Login("wrong").status, 401);
  EXPECT_EQ(Login("wrong").status, 429);
  // Else guesses would go on, one of which is right.
  EXPECT_EQ(Login(kAdmin).status, 429);
  EXPECT_EQ(Act(Bearer(std::string("Bearer ") + kAdmin)), 429);
  EXPECT_EQ(Read(Bearer(std::string("Bearer ") + kRead)), 429);
  EXPECT_EQ(Login(kAdmin, "192.0.2.2").status, 200);
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(Login(kAdmin).status, 200);

  for (int i = 0; i < LoginLimit::kMostByAddress; ++i) EXPECT_EQ(Act(Bearer("Bearer x")), 401);
  EXPECT_EQ(Login(kAdmin).status, 429);
}

TEST_F(ConsoleAccessTest, ALoginLinkLetsOneBrowserInAlthoughSomebodyElseGuesses) {
  Use({.admin_token = kAdmin});
  for (int i = 0; i < LoginLimit::kMostByAddress; ++i) Login("wrong");
  const std::string link = access_->LoginLink();
  ASSERT_THAT(link, ::testing::StartsWith("#login="));
  const std::string code = link.substr(7);
  EXPECT_EQ(Act(Order(LoggedIn(code))), 200);
  EXPECT_EQ(caller_.by, "login link");
  EXPECT_EQ(Login(code).status, 429);
}

TEST_F(ConsoleAccessTest, OnlyAProgramWithTheTokenIsGivenALink) {
  Use({.admin_token = kAdmin});
  const auto ask = [this](AdminRequest request) {
    request.target = "/api/v1/login-codes";
    return access_->Handle(request, "[]");
  };
  EXPECT_EQ(ask(Request("POST", "")).status, 401);
  EXPECT_EQ(ask(Order(LoggedIn(kAdmin))).status, 403);
  const AdminResponse link = ask(Bearer(std::string("Bearer ") + kAdmin));
  ASSERT_EQ(link.status, 200);
  EXPECT_EQ(Login(Between(link.body, "#login=", "\"")).status, 200);
}

TEST_F(ConsoleAccessTest, LogoutEndsTheSession) {
  Use({.admin_token = kAdmin});
  const Browser browser = LoggedIn(kAdmin);
  AdminRequest logout = Order(browser);
  logout.target = "/api/v1/logout";
  EXPECT_THAT(HeaderOf(access_->Handle(logout, "[]"), "Set-Cookie"), HasSubstr("Max-Age=0"));
  EXPECT_EQ(Act(Order(browser)), 401);
}

TEST_F(ConsoleAccessTest, TheSessionSaysWhatTheCallerMayDoAndNoSecretToOthers) {
  Use({.read_token = kRead, .admin_token = kAdmin});
  AdminRequest request = Request("GET", "/api/v1/session");
  EXPECT_EQ(access_->Handle(request, "[1]").body,
            R"({"may_read":false,"may_act":false,"needs_login":true,"read_only":false,)"
            R"("is_logged_in":false,"csrf":null,"orders":[1]})");
  const Browser browser = LoggedIn(kAdmin);
  request.cookie = browser.cookie;
  const std::string known = access_->Handle(request, "[]").body;
  EXPECT_THAT(known, HasSubstr(R"("may_read":true,"may_act":true,"needs_login":false)"));
  EXPECT_THAT(known, HasSubstr(browser.csrf));
}

TEST_F(ConsoleAccessTest, ASessionWorksForTheUserWhoBeganItOnly) {
  std::optional<uint32_t> user = 1000;
  Use({.admin_token = kAdmin,
       .user_of = [&user](std::string_view, std::string_view) { return user; }});
  const Browser browser = LoggedIn(kAdmin);
  EXPECT_EQ(Act(Order(browser)), 200);
  // Another user's server on another port of this address was sent the cookie too.
  user = 1001;
  EXPECT_EQ(Act(Order(browser)), 401);
  AdminRequest session = Order(browser);
  session.method = "GET";
  session.target = "/api/v1/session";
  EXPECT_THAT(access_->Handle(session, "[]").body, Not(HasSubstr(browser.csrf)));
  user = std::nullopt;
  EXPECT_EQ(Act(Order(browser)), 401);
}

}  // namespace
}  // namespace orbweaver
