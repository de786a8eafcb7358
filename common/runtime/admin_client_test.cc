#include "common/runtime/admin_client.h"

#include <atomic>
#include <future>
#include <string>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/runtime/admin_server.h"
#include "tests/support/certificate.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes(1);

TEST(AdminClientTest, SendsMethodTokenAndFormAndBringsWhatWasAnsweredWhateverItIs) {
  AdminServer server({}, [](const AdminRequest& request) {
    AdminResponse response;
    response.status = 418;
    response.body = fmt::format("{} {} {} {}", request.method, request.target,
                                request.authorization, request.body);
    return response;
  });
  ASSERT_TRUE(server.Start().ok());
  const auto answer = AskAdmin(
      fmt::format("127.0.0.1:{}", server.port()),
      {.method = "POST", .target = "/a", .authorization = "Bearer t", .body = "b=1"}, kLong);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 418);
  EXPECT_EQ(answer->body, "POST /a Bearer t b=1");
}

TEST(AdminClientTest, WhoDoesNotListenIsNamedAndMayBeAskedAgain) {
  int port;
  {
    AdminServer gone({}, [](const AdminRequest&) { return AdminResponse(); });
    ASSERT_TRUE(gone.Start().ok());
    port = gone.port();
  }
  const std::string address = fmt::format("127.0.0.1:{}", port);
  const auto answer = AskAdmin(address, {.method = "GET", .target = "/"}, kLong);
  EXPECT_TRUE(IsRetry(answer.status()));
  EXPECT_THAT(std::string(MessageOf(answer.status())), HasSubstr(address));
}

TEST(AdminClientTest, WhoNeverAnswersIsGivenUp) {
  std::promise<void> leave;
  AdminServer server({}, [&leave](const AdminRequest&) {
    leave.get_future().wait();
    return AdminResponse();
  });
  ASSERT_TRUE(server.Start().ok());
  const auto answer = AskAdmin(fmt::format("127.0.0.1:{}", server.port()),
                               {.method = "GET", .target = "/"}, std::chrono::milliseconds(50));
  EXPECT_TRUE(IsRetry(answer.status()));
  leave.set_value();
}

TEST(AdminClientTest, ATokenIsSentToNobodyWhoseCertificateIsRefused) {
  const Certificate certificate("IP:127.0.0.1"), elsewhere("IP:127.0.0.2"), other("IP:127.0.0.1");
  std::atomic<int> requests = 0;
  const auto ask = [&requests](const Certificate& shown, const AdminTrust& trust) {
    AdminServer server({.tls_certificate = shown.certificate_file, .tls_key = shown.key_file},
                       [&requests](const AdminRequest&) {
                         ++requests;
                         return AdminResponse();
                       });
    EXPECT_TRUE(server.Start().ok());
    return AskAdmin(fmt::format("https://127.0.0.1:{}", server.port()),
                    {.method = "GET", .target = "/", .authorization = "Bearer t"}, kLong, trust)
        .status();
  };
  EXPECT_TRUE(ask(certificate, {.verify = true, .ca_file = certificate.certificate_file}).ok());
  EXPECT_TRUE(ask(elsewhere, {}).ok());
  EXPECT_EQ(requests, 2);
  const auto refused = [&ask](const Certificate& shown, const std::string& ca_file) {
    const absl::Status status = ask(shown, {.verify = true, .ca_file = ca_file});
    EXPECT_TRUE(IsFatal(status)) << status;
    return std::string(MessageOf(status));
  };
  EXPECT_THAT(refused(certificate, other.certificate_file),
              HasSubstr("no known authority has signed the server's certificate"));
  EXPECT_THAT(refused(certificate, ""), HasSubstr("Name the authority's file in admin.tls_ca"));
  EXPECT_THAT(refused(elsewhere, elsewhere.certificate_file), HasSubstr("is for another host"));
  EXPECT_THAT(refused(certificate, "/nowhere"), HasSubstr("read the authorities '/nowhere'"));
  EXPECT_EQ(requests, 2);
}

TEST(AdminClientTest, WhatIsNoAddressIsRefused) {
  for (const char* const address : {"", "host", ":1", "host:"}) {
    EXPECT_TRUE(IsPoison(AskAdmin(address, {.method = "GET", .target = "/"}, kLong).status()))
        << address;
  }
}

}  // namespace
}  // namespace orbweaver
