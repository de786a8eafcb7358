#include "cli/console/login_limit.h"

#include <string>

#include "fmt/format.h"
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

constexpr SteadyTime kStart{};

void Fail(LoginLimit& limit, const std::string& address, int times, SteadyTime now = kStart) {
  for (int i = 0; i < times; ++i) limit.Failed(address, now);
}

TEST(LoginLimitTest, AnAddressIsHeldBackAfterFiveWrongTokensForAMinute) {
  LoginLimit limit;
  Fail(limit, "192.0.2.1", LoginLimit::kMostByAddress - 1);
  EXPECT_TRUE(limit.Allows("192.0.2.1", kStart));
  Fail(limit, "192.0.2.1", 1);
  EXPECT_FALSE(limit.Allows("192.0.2.1", kStart));
  EXPECT_TRUE(limit.Allows("192.0.2.2", kStart));
  EXPECT_FALSE(limit.Allows("192.0.2.1", kStart + std::chrono::seconds(59)));
  EXPECT_TRUE(limit.Allows("192.0.2.1", kStart + std::chrono::seconds(60)));
}

TEST(LoginLimitTest, WrongTokensOfManyAddressesAreHeldBackTogether) {
  LoginLimit limit;
  for (int i = 0; i < LoginLimit::kMost; ++i) {
    EXPECT_TRUE(limit.Allows("198.51.100.1", kStart)) << i;
    limit.Failed(fmt::format("192.0.2.{}", i), kStart);
  }
  EXPECT_FALSE(limit.Allows("198.51.100.1", kStart));
  EXPECT_TRUE(limit.Allows("198.51.100.1", kStart + std::chrono::minutes(1)));
}

TEST(LoginLimitTest, TheAddressesOfOneIpv6NetworkAreOne) {
  LoginLimit limit;
  for (int i = 0; i < LoginLimit::kMostByAddress; ++i) {
    limit.Failed(fmt::format("2001:db8::{}", i + 1), kStart);
  }
  EXPECT_FALSE(limit.Allows("2001:db8::ffff", kStart));
  EXPECT_TRUE(limit.Allows("2001:db8:0:1::1", kStart));
}

TEST(LoginLimitTest, IPv4InTheFormOfIpv6IsAnAddressByItself) {
  LoginLimit limit;
  Fail(limit, "::ffff:192.0.2.1", LoginLimit::kMostByAddress);
  EXPECT_FALSE(limit.Allows("::ffff:192.0.2.1", kStart));
  EXPECT_TRUE(limit.Allows("::ffff:192.0.2.2", kStart));
}

TEST(LoginLimitTest, ItsMemoryIsBounded) {
  LoginLimit limit;
  for (int i = 0; i < 5000; ++i) limit.Failed(fmt::format("10.0.{}.{}", i / 256, i % 256), kStart);
  EXPECT_EQ(limit.addresses(), LoginLimit::kMostAddresses);
}

}  // namespace
}  // namespace orbweaver
