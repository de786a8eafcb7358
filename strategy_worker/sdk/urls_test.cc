#include "orbweaver/urls.h"

#include <gtest/gtest.h>

namespace orbweaver::sdk {
namespace {

TEST(UrlsTest, TheHomeOfAPageIsItsHostsRoot) {
  EXPECT_EQ("https://a.com/", HomeOf("https://a.com/x/y?z"));
  EXPECT_EQ("http://a.com:8080/", HomeOf("http://a.com:8080"));
  EXPECT_EQ("https://a.com/", HomeOf("https://a.com?q"));
  EXPECT_EQ("", HomeOf("ftp://a.com/"));
  EXPECT_EQ("", HomeOf("https:///x"));
  EXPECT_EQ("", HomeOf(""));
}

TEST(UrlsTest, AHostIsLowerCaseAndWithoutPort) {
  EXPECT_EQ("www.a.com", HostOf("https://WWW.A.com:443/"));
  EXPECT_EQ("[::1]", HostOf("http://[::1]:80/"));
  EXPECT_EQ("[::1]", HostOf("http://[::1]/"));
  EXPECT_EQ("", HostOf("nonsense"));
}

TEST(UrlsTest, AUrlOfAnotherDomainIsNotTakenForOurs) {
  EXPECT_TRUE(IsOfDomain("https://a.com/", "a.com"));
  EXPECT_TRUE(IsOfDomain("https://x.A.com/s.xml", "a.com"));
  EXPECT_FALSE(IsOfDomain("https://aa.com/", "a.com"));
  EXPECT_FALSE(IsOfDomain("https://a.com.evil.net/", "a.com"));
  EXPECT_FALSE(IsOfDomain("https://evil.net/a.com", "a.com"));
  EXPECT_FALSE(IsOfDomain("https://evil.net#.a.com", "a.com"));
  EXPECT_FALSE(IsOfDomain("https://a.com@evil.net/", "a.com"));
  EXPECT_FALSE(IsOfDomain("https://evil.net\\.a.com/", "a.com"));
  EXPECT_FALSE(IsOfDomain("/sitemap.xml", "a.com"));
}

}  // namespace
}  // namespace orbweaver::sdk
