#include "spider/fetch/address_policy.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {
namespace {

IpAddress At(const char* text) {
  const auto address = IpAddress::Parse(text);
  EXPECT_TRUE(address) << text;
  return address.value_or(IpAddress());
}

TEST(IpAddressTest, TextAndBackIsTheSame) {
  for (const char* text : {"1.2.3.4", "2001:db8::1", "::", "::1"}) EXPECT_EQ(At(text).Text(), text);
  EXPECT_EQ(At("[2001:db8::1]"), At("2001:DB8:0::1"));
  EXPECT_TRUE(At("1.2.3.4").is_v4() && At("::1").is_v6() && IpAddress().empty());
}

TEST(IpAddressTest, NamesAndShortFormsAreNoAddresses) {
  for (const char* text : {"", "a.test", "127.1", "0x7f.0.0.1", "1.2.3.4.5", "[1.2.3.4]", "[::1",
                           "::1]", "1.2.3.4 ", "fe80::1%eth0"}) {
    EXPECT_FALSE(IpAddress::Parse(text)) << text;
  }
}

TEST(AddressPolicyTest, EdgesOfEachNetworkThatIsNotPublic) {
  // The address before each network, its first, its last, and the one behind it.
  const char* const networks[][4] = {
      {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
      {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
      {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
      {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
      {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
      {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
      {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
      {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
      {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
      {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
      {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
      {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
      {"2001:4860::1", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"},
      {"2001:200::", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::1"},
      {"2001:ffff::", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"},
      {"3ffe::", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"},
  };
  for (const auto& network : networks) {
    EXPECT_TRUE(IsPublicAddress(At(network[0]))) << network[0];
    EXPECT_FALSE(IsPublicAddress(At(network[1]))) << network[1];
    EXPECT_FALSE(IsPublicAddress(At(network[2]))) << network[2];
    EXPECT_TRUE(IsPublicAddress(At(network[3]))) << network[3];
  }
}

TEST(AddressPolicyTest, WhatIsNoUnicastAddressOfTheInternetIsRefused) {
  for (const char* text : {"0.0.0.0", "0.255.255.255", "224.0.0.1", "239.255.255.255", "240.0.0.0",
                           "255.255.255.255", "::", "::1", "fe80::1", "fec0::1", "fc00::1",
                           "fd12:3456::1", "ff02::1", "100::1", "4000::1", "e000::1"}) {
    EXPECT_FALSE(IsPublicAddress(At(text))) << text;
  }
  EXPECT_FALSE(IsPublicAddress(IpAddress()));
}

TEST(AddressPolicyTest, AnAddressWithinAnotherIsNoWayRound) {
  for (const char* text : {"::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "2002:7f00:1::",
                           "2002:808:808::", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254",
                           "64:ff9b::1:808:808", "64:ff9b:1::808:808", "2001:0:808:808::1"}) {
    EXPECT_FALSE(IsPublicAddress(At(text))) << text;
  }
  EXPECT_TRUE(IsPublicAddress(At("64:ff9b::8.8.8.8")));
}

TEST(AddressPolicyTest, NetworksOfOnesOwnMayBeAllowedAndNoOthers) {
  const auto policy =
      AddressPolicy::Create({.allow_networks = {"10.1.0.0/16", "fd00::/9"}, .ports = {"80"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_TRUE(policy->Allows(At("10.1.255.255")) && policy->Allows(At("fd7f::1")));
  EXPECT_FALSE(policy->Allows(At("10.2.0.0")) || policy->Allows(At("10.0.255.255")));
  EXPECT_FALSE(policy->Allows(At("fd80::1")) || policy->Allows(At("127.0.0.1")));
  EXPECT_TRUE(policy->Allows(At("8.8.8.8")));
  EXPECT_TRUE(policy->AllowsPort(80));
  EXPECT_FALSE(policy->AllowsPort(443));
}

TEST(AddressPolicyTest, AllowPrivateAllowsAllThatIsAnAddress) {
  const auto policy = AddressPolicy::Create({.allow_private = true});
  ASSERT_TRUE(policy.ok());
  EXPECT_TRUE(policy->Allows(At("127.0.0.1")) && policy->Allows(At("169.254.169.254")));
  EXPECT_FALSE(policy->Allows(IpAddress()));
}

TEST(AddressPolicyTest, AHostIsNamedWithItsPortAndNoOther) {
  const auto policy = AddressPolicy::Create(
      {.allow_hosts = {"LocalHost:8000", "wiki.corp", "[::1]:9000", "b.test:80", "c.test:443"}});
  ASSERT_TRUE(policy.ok()) << policy.status();
  for (const char* url :
       {"http://localhost:8000/", "https://localhost:8000/x", "http://wiki.corp/",
        "https://wiki.corp/", "http://[::1]:9000/", "http://b.test/", "https://c.test/"}) {
    EXPECT_TRUE(policy->Names(*SplitFetchUrl(url))) << url;
  }
  for (const char* url : {"http://localhost/", "http://localhost:8001/", "http://localhost:80001/",
                          "http://wiki.corp:8080/", "http://x.wiki.corp/", "http://[::1]/"}) {
    const auto parts = SplitFetchUrl(url);
    EXPECT_FALSE(parts && policy->Names(*parts)) << url;
  }
  EXPECT_TRUE(policy->NamesHost("localhost") && policy->NamesHost("[::1]"));
  EXPECT_FALSE(policy->NamesHost("local") || policy->NamesHost("wiki") ||
               policy->NamesHost("corp"));
  EXPECT_FALSE(AddressPolicy::Create({})->NamesHost("localhost"));
}

TEST(AddressPolicyTest, WhatIsNoNetworkOrPortIsRefused) {
  for (const char* network : {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/x", "::/129",
                              "a.test/8", "10.0.0.0/-1", "10.0.0.0/99999999999"}) {
    EXPECT_TRUE(IsFatal(AddressPolicy::Create({.allow_networks = {network}}).status())) << network;
  }
  for (const char* host :
       {"", "a.test/x", "http://a.test", "a.test:0", "a.test:x", "a b", "u@a.test"}) {
    EXPECT_TRUE(IsFatal(AddressPolicy::Create({.allow_hosts = {host}}).status())) << host;
  }
  for (const char* port : {"", "0", "65536", "http", "80x", "-1"}) {
    EXPECT_TRUE(IsFatal(AddressPolicy::Create({.ports = {port}}).status())) << port;
  }
}

}  // namespace
}  // namespace orbweaver
