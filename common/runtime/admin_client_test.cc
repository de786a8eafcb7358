#include "common/runtime/admin_client.h"

#include <future>
#include <string>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/runtime/admin_server.h"

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

TEST(AdminClientTest, WhatIsNoAddressIsRefused) {
  for (const char* const address : {"", "host", ":1", "host:"}) {
    EXPECT_TRUE(IsPoison(AskAdmin(address, {.method = "GET", .target = "/"}, kLong).status()))
        << address;
  }
}

}  // namespace
}  // namespace orbweaver
