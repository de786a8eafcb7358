#include "common/store/hbase/hbase_options.h"

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(HBaseOptionsTest, ReadsHostsWithAndWithoutAPort) {
  for (const char* const text : {"thrift-1.example:9091", "10.0.0.1:1", "[::1]:65535"}) {
    const auto host = ParseHostPort(text);
    ASSERT_TRUE(host.ok()) << host.status();
    EXPECT_EQ(host->ToString(), text);
  }
  EXPECT_EQ(ParseHostPort("localhost")->port, 9090);
  EXPECT_EQ(ParseHostPort("[fe80::2]")->host, "fe80::2");
}

TEST(HBaseOptionsTest, RefusesHostsThatNameNoServer) {
  for (const char* const text : {"", ":9090", "a:", "a:0", "a:65536", "a:90x", "a:-1", "::1",
                                 "[::1", "[]:1", "[::1]9090", "a:1:2"}) {
    EXPECT_TRUE(IsFatal(ParseHostPort(text).status())) << text;
  }
}

}  // namespace
}  // namespace orbweaver
