#include "cli/listen_address.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(ListenAddressTest, BothKindsOfAddressComeBack) {
  for (const char* const text : {"127.0.0.1:9600", "[::1]:0", "0.0.0.0:65535"}) {
    const auto address = ParseListenAddress(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(AddressText(address->ip, address->port), text);
  }
}

TEST(ListenAddressTest, HalfAnAddressIsNone) {
  for (const char* const text :
       {"", "9600", ":9600", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1:99999999999", "::1:80", "[]:80", "127.0.0.1: 80"}) {
    EXPECT_FALSE(ParseListenAddress(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace orbweaver
