// HTTPS of the admin server, over loopback sockets.
#include "common/runtime/admin_tls.h"

#include <filesystem>
#include <fstream>
#include <openssl/ssl.h>
#include <string>

#include "fmt/format.h"
#include <boost/asio/ssl/context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/runtime/admin_client.h"
#include "common/runtime/admin_server.h"
#include "tests/support/certificate.h"
#include "tests/support/expect_ok.h"
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

// A certificate that somebody renews: files that are written one after the other.
class TlsRenewalTest : public ::testing::Test {
 protected:
  TlsRenewalTest() { EXPECT_OK(tls_.Load()); }

  // The public key of the certificate that a new connection would be shown.
  std::string Shown() {
    const X509* const shown = SSL_CTX_get0_certificate(tls_.Current().native_handle());
    const ASN1_BIT_STRING* const key = X509_get0_pubkey_bitstr(shown);
    return {reinterpret_cast<const char*>(key->data), static_cast<size_t>(key->length)};
  }
  static void Replace(const std::string& file, const std::string& by) {
    std::filesystem::copy_file(by, file, std::filesystem::copy_options::overwrite_existing);
  }

  const Certificate files_{"IP:127.0.0.1"};
  const Certificate renewed_{"IP:127.0.0.1"};
  TlsCertificate tls_{files_.certificate_file, files_.key_file};
};

TEST_F(TlsRenewalTest, NewConnectionsHaveTheNewCertificateOnceBothFilesAreThere) {
  const std::string former = Shown();
  Replace(files_.certificate_file, renewed_.certificate_file);
  // The key is not its own yet.
  EXPECT_EQ(Shown(), former);
  EXPECT_EQ(Shown(), former);
  Replace(files_.key_file, renewed_.key_file);
  const std::string now = Shown();
  EXPECT_NE(now, former);
  TlsCertificate anew(renewed_.certificate_file, renewed_.key_file);
  ASSERT_OK(anew.Load());
  EXPECT_EQ(Shown(), now);
}

TEST_F(TlsRenewalTest, WhatCannotBeUsedLeavesTheFormerOneInItsPlace) {
  const std::string former = Shown();
  std::filesystem::remove(files_.key_file);
  EXPECT_EQ(Shown(), former);
  std::ofstream(files_.certificate_file) << "garbage";
  EXPECT_EQ(Shown(), former);
  Replace(files_.certificate_file, renewed_.certificate_file);
  Replace(files_.key_file, renewed_.key_file);
  EXPECT_NE(Shown(), former);
}

// As Kubernetes and certbot do it.
TEST_F(TlsRenewalTest, ALinkThatLeadsElsewhereIsAChange) {
  const std::filesystem::path link = files_.folder.path() / "link.pem";
  const std::filesystem::path key_link = files_.folder.path() / "key-link.pem";
  std::filesystem::create_symlink(files_.certificate_file, link);
  std::filesystem::create_symlink(files_.key_file, key_link);
  TlsCertificate tls(link, key_link);
  ASSERT_OK(tls.Load());
  const auto* const former = &tls.Current();
  EXPECT_EQ(&tls.Current(), former);  // nothing was read
  for (const auto& [name, to] :
       {std::pair(link, renewed_.certificate_file), std::pair(key_link, renewed_.key_file)}) {
    std::filesystem::remove(name);
    std::filesystem::create_symlink(to, name);
  }
  const X509* const shown = SSL_CTX_get0_certificate(tls.Current().native_handle());
  TlsCertificate anew(renewed_.certificate_file, renewed_.key_file);
  ASSERT_OK(anew.Load());
  EXPECT_EQ(X509_cmp(shown, SSL_CTX_get0_certificate(anew.Current().native_handle())), 0);
}

}  // namespace
}  // namespace orbweaver
