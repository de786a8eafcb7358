#include "common/runtime/host_check.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(HostCheckTest, AddressesAndLoopbackNamesAreAlwaysAnswered) {
  const HostCheck check({});
  for (const char* const host :
       {"127.0.0.1", "127.0.0.1:9610", "10.1.2.3:9610", "192.0.2.7", "[::1]", "[::1]:9610",
        "[2001:db8::1]:80", "::1", "localhost", "LOCALHOST:9610", "localhost.", "me.localhost"}) {
    EXPECT_TRUE(check.Allows(host)) << host;
  }
}

TEST(HostCheckTest, ANameThatNobodyGaveIsRefused) {
  const HostCheck check({"spider-1:9610", "*.inside.example"});
  for (const std::string& host :
       {std::string(), std::string(":9610"), std::string("evil.example"),
        std::string("evil.example:9610"), std::string("127.0.0.1.evil.example"),
        std::string("localhost.evil.example"), std::string("notlocalhost"),
        std::string("spider-1.evil.example"), std::string("xspider-1"),
        std::string("inside.example"), std::string("xinside.example"), std::string("[evil]:1"),
        std::string("127.0.0.1\0.evil.example", 23), std::string("["), std::string("127.1"),
        std::string("evil.example:80@127.0.0.1")}) {
    EXPECT_FALSE(check.Allows(host)) << host;
  }
}

TEST(HostCheckTest, GivenNamesAreAnsweredInAnyCaseAndOnAnyPort) {
  const HostCheck check({"Spider-1:9610", "*.inside.example", "host.example"});
  for (const char* const host : {"spider-1", "SPIDER-1:80", "spider-1.", "a.inside.example:1",
                                 "a.b.inside.example", "host.example"}) {
    EXPECT_TRUE(check.Allows(host)) << host;
  }
  EXPECT_TRUE(HostCheck({"*"}).Allows("any.example:9610"));
}

}  // namespace
}  // namespace orbweaver
