#include "spider/fetch/proxy.h"

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(ProxyTest, ReadsItsParts) {
  const Proxy plain = **ParseProxy("http://proxy.test:3128");
  EXPECT_EQ(plain.kind, Proxy::Kind::kHttp);
  EXPECT_EQ(plain.host, "proxy.test");
  EXPECT_EQ(plain.port, 3128);
  EXPECT_FALSE(plain.user);
  EXPECT_EQ(plain.Authorization(), "");
  const Proxy known = **ParseProxy("http://al:p/w@[2001:db8::1]:8080/");
  EXPECT_EQ(known.host, "2001:db8::1");
  EXPECT_EQ(known.password, "p/w");
  EXPECT_FALSE(ParseProxy("").value());
}

TEST(ProxyTest, UserAndPasswordMayBeEscaped) {
  const Proxy proxy = **ParseProxy("http://al:p%40ss:w%zrd@proxy.test:3128");
  EXPECT_EQ(*proxy.user, "al");
  EXPECT_EQ(proxy.password, "p@ss:w%zrd");
  EXPECT_EQ((**ParseProxy("http://Aladdin:open%20sesame@p.test")).Authorization(),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");  // RFC 7617, section 2
}

TEST(ProxyTest, BothSpellingsOfSocksLetTheProxyResolve) {
  for (const char* url : {"socks5://u@[::1]", "socks5h://u@[::1]:1080"}) {
    const Proxy proxy = **ParseProxy(url);
    EXPECT_EQ(proxy.kind, Proxy::Kind::kSocks5);
    EXPECT_EQ(proxy.host, "::1");
    EXPECT_EQ(proxy.port, 1080);
    EXPECT_EQ(*proxy.user, "u");
    EXPECT_EQ(proxy.password, "");
  }
}

TEST(ProxyTest, WhatIsNoProxyIsRefusedWithoutThePassword) {
  for (const std::string rest :
       {"", ":", ":0", ":x", ":70000", "p.test/path", "[::1:1080", "[]", "?"}) {
    for (const char* scheme : {"http://", "socks5://"}) {
      const auto refused = ParseProxy(scheme + std::string("user:hush@") + rest);
      ASSERT_FALSE(refused.ok()) << rest;
      EXPECT_EQ(MessageOf(refused.status()).find("hush"), std::string::npos) << rest;
    }
  }
  for (const char* url : {"p.test:3128", "socks://p.test", "socks4://p.test", "https://p.test",
                          "http://:pw@p.test", "http://a%3Ab:c@p.test"}) {
    EXPECT_FALSE(ParseProxy(url).ok()) << url;
  }
  EXPECT_FALSE(ParseProxy("socks5://u:" + std::string(256, 'x') + "@p.test").ok());
}

}  // namespace
}  // namespace orbweaver
