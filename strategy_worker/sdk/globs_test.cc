#include "orbweaver/globs.h"

#include <gtest/gtest.h>

#include "orbweaver/strategy.h"

namespace orbweaver::sdk {
namespace {

TEST(GlobsTest, APatternMatchesTheWholeText) {
  EXPECT_TRUE(GlobMatches("abc", "abc"));
  EXPECT_FALSE(GlobMatches("abc", "abcd"));
  EXPECT_FALSE(GlobMatches("abc", "xabc"));
  EXPECT_TRUE(GlobMatches("*/blog/*", "https://a.com/blog/1"));
  EXPECT_FALSE(GlobMatches("/blog/", "https://a.com/blog/1"));
  EXPECT_TRUE(GlobMatches("*.pdf", "https://a.com/x.pdf"));
  EXPECT_FALSE(GlobMatches("*.pdf", "https://a.com/x.pdf?v=1"));
}

TEST(GlobsTest, AStarMatchesNothingTooAndAQuestionMarkOneByte) {
  EXPECT_TRUE(GlobMatches("a*b", "ab"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("**", "x"));
  EXPECT_TRUE(GlobMatches("a?c", "abc"));
  EXPECT_FALSE(GlobMatches("a?c", "ac"));
  EXPECT_FALSE(GlobMatches("?", ""));
  EXPECT_TRUE(GlobMatches("", ""));
  EXPECT_FALSE(GlobMatches("", "x"));
}

TEST(GlobsTest, AStarGivesBackWhatALaterPartNeeds) {
  EXPECT_TRUE(GlobMatches("*aab", "aaaab"));
  EXPECT_TRUE(GlobMatches("*ab*ab", "xabyabzab"));
  EXPECT_FALSE(GlobMatches("*ab*abc", "xabyabzab"));
}

TEST(GlobsTest, ManyStarsDoNotTakeForever) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(GlobMatches(pattern + "b", std::string(2000, 'a')));
}

struct Owner : ParameterOwner {
  Globs globs{this, "globs", "", ""};
};

TEST(GlobsTest, PlainTextsAndPatternsMixInAList) {
  Owner owner;
  owner.globs.Parse(" b.com ,*.org,, a.com");
  for (const char* text : {"a.com", "b.com", "x.org"}) EXPECT_TRUE(owner.globs.Match(text)) << text;
  for (const char* text : {"c.com", "a.co", "org", ""})
    EXPECT_FALSE(owner.globs.Match(text)) << text;
  owner.globs.Parse(" , ");
  EXPECT_TRUE(owner.globs.empty());
}

}  // namespace
}  // namespace orbweaver::sdk
