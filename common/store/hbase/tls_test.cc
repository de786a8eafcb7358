#include "common/store/hbase/tls.h"

#include <atomic>
#include <memory>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/store/hbase/fake_hbase.h"
#include "common/store/hbase/hbase_store.h"
#include "tests/support/certificate.h"
#include "tests/support/expect_ok.h"
#include "tests/support/raw_server.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

// Puts a megabyte, so that TLS has to wait and to go on in the middle, and gets it back.
absl::Status RoundTrip(const FakeHBase& server, const HBaseTlsOptions& tls, Duration timeout) {
  HBaseOptions options{.hosts = {server.address()}, .tls = tls};
  options.tls.enabled = true;
  ASSIGN_OR_RETURN(auto store, HBaseStore::Create(options));
  const std::string value(1 << 20, 'v');
  const CellPut cell{"c", value};
  const RowPut put{"row", Version(1), {&cell, 1}};
  std::vector<uint32_t> remaining;
  RETURN_IF_ERROR(store->Write(Table::kQueue, {&put, 1}, timeout, &remaining));
  const RowGet get{"row", {}};
  Rows rows;
  RETURN_IF_ERROR(store->MultiGet(Table::kQueue, {&get, 1}, timeout, &rows));
  EXPECT_TRUE(rows[0].size() == 1 && rows[0][0].value == value);
  return absl::OkStatus();
}

constexpr Duration kLong = std::chrono::minutes(1);
constexpr Duration kShort = std::chrono::seconds(1);  // when it cannot succeed

TEST(TlsTest, TalksToAServerWhoseCertificateAKnownAuthoritySigned) {
  const Certificate certificate("IP:127.0.0.1");
  FakeHBase server(
      {.certificate_file = certificate.certificate_file, .key_file = certificate.key_file});
  EXPECT_OK(RoundTrip(server, {.ca_file = certificate.certificate_file}, kLong));
}

TEST(TlsTest, RefusesAServerThatNobodyVouchesFor) {
  const Certificate certificate("IP:127.0.0.1"), other("IP:127.0.0.1");
  FakeHBase server(
      {.certificate_file = certificate.certificate_file, .key_file = certificate.key_file});
  const absl::Status status = RoundTrip(server, {.ca_file = other.certificate_file}, kShort);
  EXPECT_TRUE(IsFatal(status));
  EXPECT_NE(MessageOf(status).find("no known authority has signed the server's certificate"),
            std::string_view::npos)
      << status;
  EXPECT_TRUE(IsFatal(RoundTrip(server, {}, kShort)));  // the system's authorities
  EXPECT_EQ(server.rows(), 0u);
  EXPECT_OK(RoundTrip(server, {.verify = false}, kLong));
}

TEST(TlsTest, RefusesACertificateForAnotherHost) {
  const Certificate certificate("IP:127.0.0.2,DNS:localhost");
  FakeHBase server(
      {.certificate_file = certificate.certificate_file, .key_file = certificate.key_file});
  const absl::Status status = RoundTrip(server, {.ca_file = certificate.certificate_file}, kShort);
  EXPECT_TRUE(IsFatal(status));
  EXPECT_NE(MessageOf(status).find("IP address mismatch"), std::string_view::npos) << status;
}

TEST(TlsTest, ARefusedServerIsNoneOfThoseThatWork) {
  const Certificate good("IP:127.0.0.1"), other("IP:127.0.0.1");
  FakeHBase trusted({.certificate_file = good.certificate_file, .key_file = good.key_file});
  FakeHBase refused({.certificate_file = other.certificate_file, .key_file = other.key_file});
  const auto store =
      HBaseStore::Create({.hosts = {refused.address(), trusted.address()},
                          .tls = {.enabled = true, .ca_file = good.certificate_file}});
  ASSERT_OK(store.status());
  const RowGet get{"row", {}};
  Rows rows;
  for (int i = 0; i < 20; ++i)
    ASSERT_OK((*store)->MultiGet(Table::kQueue, {&get, 1}, kLong, &rows));
  EXPECT_EQ(refused.calls(), 0);
}

TEST(TlsTest, AServerThatIsRefusedAfterItHasWorkedIsAnOutage) {
  const Certificate good("IP:127.0.0.1"), other("IP:127.0.0.1");
  FakeHBase server({.certificate_file = good.certificate_file, .key_file = good.key_file});
  const auto store = HBaseStore::Create(
      {.hosts = {server.address()}, .tls = {.enabled = true, .ca_file = good.certificate_file}});
  ASSERT_OK(store.status());
  const RowGet get{"row", {}};
  Rows rows;
  ASSERT_OK((*store)->MultiGet(Table::kQueue, {&get, 1}, kLong, &rows));
  server.Stop();
  server.Show(other.certificate_file, other.key_file);
  server.Start();
  const absl::Status status = (*store)->MultiGet(Table::kQueue, {&get, 1}, kShort, &rows);
  EXPECT_TRUE(IsRetry(status)) << status;
  EXPECT_NE(MessageOf(status).find("no known authority"), std::string_view::npos) << status;
  server.Stop();
  server.Show(good.certificate_file, good.key_file);
  server.Start();
  EXPECT_OK((*store)->MultiGet(Table::kQueue, {&get, 1}, kLong, &rows));
}

TEST(TlsTest, ATryThatTheCallHadNoTimeForDoesNotHideWhatIsWrong) {
  std::atomic<int> connections = 0;
  RawServer server([&](RawConnection& connection, int number) {
    ++connections;
    if (number == 0) connection.Send("no TLS");
    if (number > 0) connection.WaitForEnd();  // is silent
  });
  HBaseOptions options{.hosts = {fmt::format("127.0.0.1:{}", server.port())},
                       .tls = {.enabled = true}};
  const auto store = HBaseStore::Create(options);
  ASSERT_OK(store.status());
  const RowGet get{"row", {}};
  Rows rows;
  const absl::Status status = (*store)->MultiGet(Table::kQueue, {&get, 1}, kShort, &rows);
  EXPECT_GE(connections, 2);
  EXPECT_NE(MessageOf(status).find("TLS handshake"), std::string_view::npos) << status;
  EXPECT_EQ(MessageOf(status).find("timed out"), std::string_view::npos) << status;
}

TEST(TlsTest, IsNoAnswerFromAServerWithoutTls) {
  FakeHBase server;
  EXPECT_TRUE(IsRetry(RoundTrip(server, {.verify = false}, kShort)));
}

TEST(TlsTest, RefusesFilesThatCannotBeUsed) {
  const auto refused = [](const HBaseTlsOptions& options) {
    return IsFatal(TlsContext::Create(options).status());
  };
  const Certificate certificate("IP:127.0.0.1"), other("IP:127.0.0.1");
  EXPECT_TRUE(refused({.ca_file = "/nowhere"}));
  EXPECT_TRUE(refused({.certificate_file = certificate.certificate_file}));
  EXPECT_TRUE(refused({.key_file = certificate.key_file}));
  EXPECT_TRUE(refused({.certificate_file = "/nowhere", .key_file = certificate.key_file}));
  EXPECT_TRUE(
      refused({.certificate_file = certificate.certificate_file, .key_file = other.key_file}));
  EXPECT_FALSE(refused(
      {.certificate_file = certificate.certificate_file, .key_file = certificate.key_file}));
}

}  // namespace
}  // namespace orbweaver
