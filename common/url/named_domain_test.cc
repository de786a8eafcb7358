#include "common/url/named_domain.h"

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

class NamedDomainTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::string> Named(std::string_view name) const {
    return NamedDomain(name, {}, *suffixes_);
  }

  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
};

TEST_F(NamedDomainTest, AHostOrAUrlStandsForItsRegisteredDomain) {
  for (const char* const name :
       {"example.co.uk", "www.example.co.uk", "WWW.Example.CO.UK", "www.example.co.uk.",
        "www.example.co.uk:8080", "https://www.example.co.uk/a?b#c", "http://me@example.co.uk"}) {
    EXPECT_EQ(Named(name).value(), "example.co.uk") << name;
  }
  EXPECT_EQ(Named("www.bücher.de").value(), "xn--bcher-kva.de");
}

TEST_F(NamedDomainTest, WhatHasNoRegisteredDomainStandsForItself) {
  for (const char* const name : {"127.0.0.1", "[::1]", "localhost", "co.uk"}) {
    EXPECT_EQ(Named(name).value(), name);
  }
}

TEST_F(NamedDomainTest, WhatIsNoHostIsPoison) {
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'a');
  EXPECT_EQ(longest.size(), 253u);
  EXPECT_TRUE(Named(longest).ok());
  for (const std::string& name :
       {std::string(), std::string(" "), std::string("a b"), std::string("a..b"), longest + "a",
        std::string(256, 'a'), std::string(300, 'a') + ".com", std::string(1 << 20, 'a'),
        std::string("a\0b.com", 7), std::string("\xff\xfe.com"), std::string("ftp://example.com"),
        std::string("http://"), std::string("://")}) {
    const auto named = Named(name);
    EXPECT_TRUE(IsPoison(named.status())) << name.substr(0, 300);
    EXPECT_LT(named.status().message().size(), 300u);
  }
}

}  // namespace
}  // namespace orbweaver
