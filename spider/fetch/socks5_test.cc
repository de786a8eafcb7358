#include "spider/fetch/socks5.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using Next = Socks5Handshake::Next;

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

TEST(Socks5Test, TheProxyIsToldTheNameAndResolvesIt) {
  const Proxy proxy;
  Socks5Handshake socks(proxy, "a.test", 443);
  EXPECT_EQ(socks.output(), Bytes({5, 1, 0}));
  ASSERT_EQ(socks.wanted(), 2u);
  ASSERT_EQ(socks.Take(Bytes({5, 0})), Next::kSend);
  EXPECT_EQ(socks.output(), Bytes({5, 1, 0, 3, 6}) + "a.test" + Bytes({1, 0xbb}));
  ASSERT_EQ(socks.wanted(), 4u);
  ASSERT_EQ(socks.Take(Bytes({5, 0, 0, 1})), Next::kRead);
  ASSERT_EQ(socks.wanted(), 6u);
  EXPECT_EQ(socks.Take(Bytes({0, 0, 0, 0, 0, 0})), Next::kDone);
}

TEST(Socks5Test, AnAddressIsToldAsOneAndAnyBoundAddressIsRead) {
  const Proxy proxy;
  Socks5Handshake v6(proxy, "[2001:db8::1]", 80);
  ASSERT_EQ(v6.Take(Bytes({5, 0})), Next::kSend);
  EXPECT_EQ(v6.output(),
            Bytes({5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80}));
  ASSERT_EQ(v6.Take(Bytes({5, 0, 0, 4})), Next::kRead);
  EXPECT_EQ(v6.wanted(), 18u);
  Socks5Handshake v4(proxy, "192.0.2.1", 80);
  ASSERT_EQ(v4.Take(Bytes({5, 0})), Next::kSend);
  EXPECT_EQ(v4.output(), Bytes({5, 1, 0, 1, 192, 0, 2, 1, 0, 80}));
  ASSERT_EQ(v4.Take(Bytes({5, 0, 0, 3})), Next::kRead);
  ASSERT_EQ(v4.wanted(), 1u);
  ASSERT_EQ(v4.Take(Bytes({255})), Next::kRead);
  EXPECT_EQ(v4.wanted(), 257u);
}

TEST(Socks5Test, LogsInOnlyWhenTheProxyWantsIt) {
  const Proxy proxy{.user = "me", .password = "pw"};
  Socks5Handshake socks(proxy, "a.test", 80);
  EXPECT_EQ(socks.output(), Bytes({5, 2, 0, 2}));
  ASSERT_EQ(socks.Take(Bytes({5, 2})), Next::kSend);
  EXPECT_EQ(socks.output(), Bytes({1, 2}) + "me" + Bytes({2}) + "pw");
  ASSERT_EQ(socks.Take(Bytes({1, 0})), Next::kSend);
  EXPECT_EQ(socks.output().substr(0, 5), Bytes({5, 1, 0, 3, 6}));
  Socks5Handshake open(proxy, "a.test", 80);
  ASSERT_EQ(open.Take(Bytes({5, 0})), Next::kSend);
  EXPECT_EQ(open.output()[0], 5);
  Socks5Handshake refused(proxy, "a.test", 80);
  ASSERT_EQ(refused.Take(Bytes({5, 2})), Next::kSend);
  EXPECT_EQ(refused.Take(Bytes({1, 1})), Next::kFailed);
  EXPECT_EQ(refused.message(), "the proxy does not accept the user and password");
  EXPECT_TRUE(refused.is_suspect());
  // One that nobody offered.
  const Proxy unknown;
  Socks5Handshake wants(unknown, "a.test", 80);
  EXPECT_EQ(wants.Take(Bytes({5, 2})), Next::kFailed);
}

TEST(Socks5Test, AFailureOfTheHostIsNotTheProxys) {
  const std::pair<int, FailureCause> cases[] = {
      {1, FailureCause::kProxy},       {2, FailureCause::kProxy},
      {3, FailureCause::kUnreachable}, {4, FailureCause::kUnreachable},
      {5, FailureCause::kRefused},     {6, FailureCause::kTimeoutConnect},
      {200, FailureCause::kProxy}};
  for (const auto& [reply, cause] : cases) {
    const Proxy proxy;
    Socks5Handshake socks(proxy, "a.test", 80);
    ASSERT_EQ(socks.Take(Bytes({5, 0})), Next::kSend);
    EXPECT_EQ(socks.Take(Bytes({5, reply, 0, 1})), Next::kFailed) << reply;
    EXPECT_EQ(socks.cause(), cause) << reply;
    EXPECT_EQ(socks.is_suspect(), reply == 1) << reply;
  }
}

TEST(Socks5Test, OtherProtocolsAreNotUnderstood) {
  for (const std::string& answer :
       {Bytes({4, 0}), std::string("HT"), Bytes({5, 0xff}), Bytes({5}), std::string()}) {
    const Proxy proxy;
    Socks5Handshake socks(proxy, "a.test", 80);
    EXPECT_EQ(socks.Take(answer), Next::kFailed);
    EXPECT_EQ(socks.cause(), FailureCause::kProxy);
    EXPECT_TRUE(socks.is_suspect());
  }
}

}  // namespace
}  // namespace orbweaver
