// HTTPS of the admin server, over loopback sockets.
#include <filesystem>
#include <fstream>
#include <string>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/runtime/admin_client.h"
#include "common/runtime/admin_server.h"
#include "tests/support/certificate.h"
#include "tests/support/raw_client.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes(1);

AdminServerOptions With(const std::string& certificate, const std::string& key) {
  AdminServerOptions options;
  options.tls_certificate = certificate;
  options.tls_key = key;
  return options;
}

class AdminTlsTest : public ::testing::Test {
 protected:
  // Why it does not start.
  static std::string Refusal(const std::string& certificate, const std::string& key) {
    AdminServer server(With(certificate, key), [](const AdminRequest&) { return AdminResponse(); });
    const absl::Status started = server.Start();
    EXPECT_TRUE(IsFatal(started));
    return std::string(MessageOf(started));
  }

  const Certificate own_{"IP:127.0.0.1"};
};

TEST_F(AdminTlsTest, ARequestAndItsAnswerGoByTls) {
  AdminServer server(With(own_.certificate_file, own_.key_file), [](const AdminRequest& request) {
    AdminResponse response;
    response.body = fmt::format("{} {} from {}", request.target, request.body.size(), request.peer);
    return response;
  });
  ASSERT_TRUE(server.Start().ok());
  const std::string large(50'000, 'x');
  for (int i = 0; i < 3; ++i) {
    const auto answer = AskAdmin(fmt::format("https://127.0.0.1:{}", server.port()),
                                 {.method = "POST", .target = "/a", .body = large}, kLong);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->body, "/a 50000 from 127.0.0.1");
  }
}

TEST_F(AdminTlsTest, PlainHttpIsNotAnsweredAndDisturbsNobody) {
  AdminServer server(With(own_.certificate_file, own_.key_file),
                     [](const AdminRequest&) { return AdminResponse(); });
  ASSERT_TRUE(server.Start().ok());
  RawClient client(server.port());
  client.Send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.ReadToEnd().find("HTTP/1.1"), std::string::npos);
  EXPECT_TRUE(AskAdmin(fmt::format("https://127.0.0.1:{}", server.port()),
                       {.method = "GET", .target = "/"}, kLong)
                  .ok());
}

TEST_F(AdminTlsTest, FilesThatCannotBeUsedAreNamed) {
  const std::string none = own_.folder.path() / "none.pem";
  const std::string garbage = own_.folder.path() / "garbage.pem";
  std::ofstream(garbage) << "garbage";
  const Certificate other("IP:127.0.0.1");
  EXPECT_THAT(Refusal(none, own_.key_file), HasSubstr("certificate " + none + ": No such file"));
  EXPECT_THAT(Refusal(own_.certificate_file, none), HasSubstr("key " + none + ": No such file"));
  EXPECT_THAT(Refusal(garbage, own_.key_file), HasSubstr("certificate " + garbage + ": "));
  EXPECT_THAT(Refusal(own_.certificate_file, garbage), HasSubstr("key " + garbage + ": "));
  EXPECT_THAT(Refusal(own_.certificate_file, other.key_file),
              HasSubstr("it is not the key of the certificate " + own_.certificate_file));
}

}  // namespace
}  // namespace orbweaver
