#include "cli/console/console_gate.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr char kRead[] = "Bearer read-token-read-token";
constexpr char kAdmin[] = "Bearer admin-token-admin-token";
// Of a store that is away: the request has come through.
constexpr int kThrough = 503;

class ConsoleGateTest : public ::testing::Test {
 protected:
  explicit ConsoleGateTest(std::string read_token = kRead + 7)
      : access_({.read_token = std::move(read_token), .admin_token = kAdmin + 7}, clock_) {
    const auto away = []() -> absl::StatusOr<OpenCrawl> { return RetryError("away"); };
    desk_.emplace(options_, *suffixes_, clock_, OrderSubject{.look = away, .open = away});
    action_ = admin_.AddAction("purge", "", [](const FormParams&) { return "purged"; });
    page_ = admin_.AddPage("/metrics", "text/plain", [] { return "x 1"; });
  }

  AdminResponse Ask(std::string_view method, std::string_view target,
                    std::string_view authorization = "", std::string_view body = "") {
    return gate_.Handle({.method = method,
                         .target = target,
                         .authorization = authorization,
                         .body = body,
                         .host = "127.0.0.1:9600",
                         .peer = "192.0.2.1"});
  }
  int Get(std::string_view target, std::string_view authorization = "") {
    return Ask("GET", target, authorization).status;
  }

  const ScratchFolder folder_;
  const ProductOptions options_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = *PublicSuffixes::Load({});
  ManualClock clock_;
  AdminSite admin_{kAdmin + 7};
  AdminSite::Registration action_, page_;
  ConsoleApi api_{
      options_, *suffixes_, clock_,
      ConsoleSubject{.kind = "folder",
                     .name = "data",
                     .look = []() -> absl::StatusOr<const Frontier*> { return RetryError("away"); },
                     .queue = {},
                     .write_run = {}}};
  std::optional<OrderDesk> desk_;
  ConsoleAccess access_;
  OrderApi orders_{*desk_, access_, clock_, folder_.path() / "orders.jsonl"};
  const ConsoleSite site_{api_, admin_};
  const ConsoleGate gate_{access_, orders_, site_, admin_};
};

TEST_F(ConsoleGateTest, WithoutATokenOnlyThePageAndProbesAreServed) {
  for (const char* const open : {"/", "/healthz", "/readyz", "/api/v1/session"}) {
    EXPECT_EQ(Get(open), 200) << open;
  }
  for (const char* const closed : {"/api/v1/overview", "/api/v1/openapi.json", "/api/v1/orders",
                                   "/api/", "/metrics", "/status", "/metrics?x", "/actions",
                                   "/actions/purge", "http://127.0.0.1/metrics", "*", ""}) {
    EXPECT_EQ(Get(closed), 401) << closed;
  }
  EXPECT_EQ(Get("/no-such-thing"), 404);
}

TEST_F(ConsoleGateTest, AReaderReadsAllAndGivesNoOrder) {
  EXPECT_EQ(Get("/api/v1/overview", kRead), kThrough);
  EXPECT_EQ(Get("/metrics", kRead), 200);
  EXPECT_EQ(Get("/api/v1/orders", kRead), 200);
  EXPECT_EQ(Ask("POST", "/api/v1/orders/purge", kRead, "domain=a.test").status, 401);
  EXPECT_EQ(Ask("POST", "/actions/purge", kRead).status, 401);
  EXPECT_EQ(Ask("DELETE", "/api/v1/overview", kRead).status, 405);
  EXPECT_EQ(Ask("DELETE", "/api/v1/overview").status, 401);
  EXPECT_EQ(Ask("DELETE", "/metrics", kRead).status, 401);
}

TEST_F(ConsoleGateTest, AnAdminsOrdersComeThroughAndAreKept) {
  EXPECT_EQ(Ask("POST", "/api/v1/orders/purge?preview=1", kAdmin, "domain=a.test").status,
            kThrough);
  EXPECT_THAT(Ask("GET", "/api/v1/orders", kAdmin).body, HasSubstr(R"({"orders":[]})"));
  EXPECT_EQ(Ask("POST", "/api/v1/orders/purge", kAdmin, "domain=a.test").status, kThrough);
  EXPECT_EQ(
      Ask("GET", "/api/v1/orders", kAdmin).body,
      R"({"orders":[{"time_ms":1576800000000,"order":"purge","parameters":{"domain":"a.test"},)"
      R"("by":"admin","from":"192.0.2.1","done":false,"says":"away"}]})");
  EXPECT_EQ(Ask("GET", "/api/v1/orders?limit=0", kAdmin).body, R"({"orders":[]})");
  EXPECT_EQ(Ask("GET", "/api/v1/orders?limit=1001", kAdmin).status, 400);
  EXPECT_EQ(Ask("POST", "/actions/purge", kAdmin).status, 200);
}

TEST_F(ConsoleGateTest, AWrongOrderIsToldWhatIsWrongAndNotKept) {
  const auto wrong = [this](std::string_view target, std::string_view body, int status) {
    const AdminResponse answer = Ask("POST", target, kAdmin, body);
    EXPECT_EQ(answer.status, status) << target << " " << body << answer.body;
    return answer.body;
  };
  EXPECT_THAT(wrong("/api/v1/orders/burn", "", 404), HasSubstr("no such order"));
  EXPECT_THAT(wrong("/api/v1/orders/", "", 404), HasSubstr("no such order"));
  EXPECT_THAT(wrong("/api/v1/orders/pause", "", 404), HasSubstr("takes no such order"));
  EXPECT_THAT(wrong("/api/v1/orders/purge", "", 400), HasSubstr("'domain' is missing"));
  EXPECT_THAT(wrong("/api/v1/orders/purge", "domain=a.test&x=1", 400), HasSubstr("'x'"));
  EXPECT_THAT(wrong("/api/v1/orders/block", "domain=a.test&for=-1s", 400), HasSubstr("90s"));
  EXPECT_THAT(wrong("/api/v1/orders/block", "domain=a.test&until_ms=x", 400), HasSubstr("1970"));
  EXPECT_THAT(wrong("/api/v1/orders/purge", "domain=%00", 400), HasSubstr("error"));
  EXPECT_THAT(wrong("/api/v1/orders/purge", "domain=%", 400), HasSubstr("hexadecimal"));
  EXPECT_THAT(wrong("/api/v1/orders/requeue-dead-letters", "offset=9999999999999999999", 400),
              HasSubstr("expected a number"));
  // An order that was meant as a preview must not be done.
  EXPECT_THAT(wrong("/api/v1/orders/purge?preview=true", "domain=a.test", 400),
              HasSubstr("preview=1"));
  EXPECT_THAT(wrong("/api/v1/orders/purge?domain=a.test", "", 400), HasSubstr("preview=1"));
  EXPECT_EQ(Get("/api/v1/orders/purge", kAdmin), 405);
  EXPECT_EQ(Ask("GET", "/api/v1/orders", kAdmin).body, R"({"orders":[]})");
}

class OpenGateTest : public ConsoleGateTest {
 protected:
  OpenGateTest() : ConsoleGateTest("") {}
};

TEST_F(OpenGateTest, WithoutAReadTokenEverybodyReadsAndNobodyActs) {
  EXPECT_EQ(Get("/api/v1/overview"), kThrough);
  EXPECT_EQ(Get("/metrics"), 200);
  EXPECT_EQ(Get("/api/v1/orders"), 200);
  EXPECT_EQ(Ask("POST", "/api/v1/orders/purge", "", "domain=a.test").status, 401);
  EXPECT_EQ(Ask("POST", "/actions/purge").status, 401);
}

}  // namespace
}  // namespace orbweaver
