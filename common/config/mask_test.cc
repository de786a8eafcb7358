#include "common/config/mask.h"

#include <gtest/gtest.h>

namespace orbweaver::config {
namespace {

TEST(MaskTest, NoPasswordOfAUrlIsShown) {
  for (const char* const text :
       {"http://me:hunter2@proxy:3128", "http://hunter2@proxy:3128", "me:hunter2@proxy:3128",
        "http://me:hunt@hunter2@proxy:3128", "http://me:/hunter2/@proxy:3128",
        "a.example,http://me:hunter2@b.example", "see http://me:hunter2@b.example/ there",
        "http://me:hunter2@"}) {
    const std::string shown = WithoutUserinfo(text);
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
    EXPECT_NE(shown.find(kMask), std::string::npos) << shown;
  }
  EXPECT_EQ(WithoutUserinfo("http://me:hunter2@proxy:3128"), "http://********@proxy:3128");
}

TEST(MaskTest, WhatHoldsNoPasswordIsShownAsItIs) {
  for (const char* const text :
       {"", ",", " a , b ", "http://proxy:3128", "127.0.0.1:9092,[::1]:9092", "me@example.com",
        "mybot/1.0 (+https://example.com/bot; me@example.com)", "*/a@b/*", "C:\\x"}) {
    EXPECT_EQ(WithoutUserinfo(text), text);
  }
}

TEST(MaskTest, PatternsHaveAStarAtAnEnd) {
  const std::vector<std::string> patterns = {"accept*", "*.ms", "Plain"};
  for (const char* const key : {"Accept", "accept-language", "linger.ms", "PLAIN"}) {
    EXPECT_TRUE(MatchesAny(key, patterns)) << key;
  }
  for (const char* const key : {"", "Authorization", "x-accept", "linger.msx", "plainer"}) {
    EXPECT_FALSE(MatchesAny(key, patterns)) << key;
  }
  EXPECT_TRUE(MatchesAny("anything", {"*"}));
}

}  // namespace
}  // namespace orbweaver::config
