// The section numbers are those of RFC 9309.
#include "spider/robots/robots_rules.h"

#include <gtest/gtest.h>

#include "common/model/limits.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

bool Allowed(std::string_view file, std::string_view path, std::string_view agent = "FooBot") {
  return RobotsRules::Parse(file, agent).Decide(path).allowed;
}

// ---- 2.2.1: groups.

TEST(RobotsRulesTest, AGroupThatNamesTheCrawlerHoldsAndNotTheOneForAll_2_2_1) {
  constexpr std::string_view kFile =
      "User-agent: *\nDisallow: /all\n\nUser-agent: foobot\nDisallow: /foo\n";
  EXPECT_FALSE(Allowed(kFile, "/foo"));
  EXPECT_TRUE(Allowed(kFile, "/all"));
  EXPECT_FALSE(Allowed(kFile, "/all", "OtherBot"));
  EXPECT_TRUE(Allowed(kFile, "/foo", "OtherBot"));
}

TEST(RobotsRulesTest, GroupsOfOneCrawlerAreOne_2_2_1) {
  constexpr std::string_view kFile =
      "User-agent: FooBot\nDisallow: /a\nUser-agent: BarBot\nDisallow: /b\n"
      "User-Agent: fOObOT\nDisallow: /c\n";
  EXPECT_FALSE(Allowed(kFile, "/a"));
  EXPECT_FALSE(Allowed(kFile, "/c"));
  EXPECT_TRUE(Allowed(kFile, "/b"));
}

TEST(RobotsRulesTest, AgentsInARowShareTheirRules_2_2_1) {
  constexpr std::string_view kFile = "User-agent: BarBot\nUser-agent: FooBot\nDisallow: /x\n";
  EXPECT_FALSE(Allowed(kFile, "/x"));
  EXPECT_FALSE(Allowed(kFile, "/x", "BarBot"));
}

TEST(RobotsRulesTest, AVersionBehindTheTokenIsNotCompared_2_2_1) {
  EXPECT_FALSE(Allowed("User-agent: FooBot/2.1\nDisallow: /x\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: FooBotNews\nDisallow: /x\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: Foo\nDisallow: /x\n", "/x"));
}

TEST(RobotsRulesTest, WithoutAGroupEverythingIsAllowed_2_2_1) {
  EXPECT_TRUE(Allowed("User-agent: BarBot\nDisallow: /\n", "/x"));
  EXPECT_TRUE(Allowed("", "/x"));
  EXPECT_TRUE(Allowed("Disallow: /\n", "/x")) << "a rule before any group is nobody's";
}

TEST(RobotsRulesTest, AGroupOfItsOwnWithoutRulesAllowsAll_2_2_1) {
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /\nUser-agent: FooBot\nDisallow:\n", "/x"));
}

// ---- 2.2.2: allow and disallow.

TEST(RobotsRulesTest, TheLongestMatchDecides_2_2_2) {
  constexpr std::string_view kFile =
      "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /a/b/c/d.html$\n";
  EXPECT_FALSE(Allowed(kFile, "/a"));
  EXPECT_TRUE(Allowed(kFile, "/a/b"));
  EXPECT_FALSE(Allowed(kFile, "/a/b/c/x"));
  EXPECT_TRUE(Allowed(kFile, "/a/b/c/d.html"));
  EXPECT_FALSE(Allowed(kFile, "/a/b/c/d.html?q"));
  EXPECT_TRUE(Allowed(kFile, "/"));
}

TEST(RobotsRulesTest, AllowWinsWhenBothAreEquallyLong_2_2_2) {
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /x\nAllow: /x\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\nAllow: /x\nDisallow: /x\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /xy\nAllow: /x*\n", "/xy"));
  EXPECT_TRUE(Allowed("User-agent: *\nAllow: /xy\nDisallow: /x*\n", "/xy"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /x*z\nAllow: /*yz\n", "/xyz"));
}

TEST(RobotsRulesTest, MatchingTellsCaseApart_2_2_2) {
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /Private\n", "/private"));
}

TEST(RobotsRulesTest, EscapesAreComparedInOneForm_2_2_2) {
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /foo/bar?baz=http://foo.bar\n",
                       "/foo/bar?baz=http://foo.bar"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /foo/bar/\xe3\x83\x84\n", "/foo/bar/%E3%83%84"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /foo/bar/%E3%83%84\n", "/foo/bar/%E3%83%84"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /foo/bar/%e3%83%84\n", "/foo/bar/%E3%83%84"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /foo/bar/%62%61%7A\n", "/foo/bar/baz"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /a b\n", "/a%20b"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /a%2Fb\n", "/a/b")) << "a reserved character";
}

TEST(RobotsRulesTest, RobotsTxtItselfIsAllowed_2_2_2) {
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /\n", "/robots.txt"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /\n", "/robots.txt?x"));
}

TEST(RobotsRulesTest, AnEmptyRuleMatchesNothing_2_2_2) {
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow:\n", "/x"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /\nAllow:\n", "/x"));
}

// ---- 2.2.3: special characters.

TEST(RobotsRulesTest, AStarIsAnyNumberOfAnyCharacters_2_2_3) {
  constexpr std::string_view kFile = "User-agent: *\nDisallow: /this/*/exactly\nDisallow: *.gif$\n";
  EXPECT_FALSE(Allowed(kFile, "/this/path/is/exactly/there"));
  EXPECT_FALSE(Allowed(kFile, "/this//exactly"));
  EXPECT_TRUE(Allowed(kFile, "/this/exactly"));
  EXPECT_FALSE(Allowed(kFile, "/a/b.gif"));
  EXPECT_TRUE(Allowed(kFile, "/a/b.gif?x"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: *\n", "/x"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /a**b\n", "/axb"));
}

TEST(RobotsRulesTest, ADollarIsTheEnd_2_2_3) {
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /$\n", "/"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /$\n", "/x"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /*aa$\n", "/aaa")) << "the last place counts";
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /*ab*b$\n", "/ab")) << "no byte matches twice";
}

TEST(RobotsRulesTest, SpecialCharactersAreMeantLiterallyWhenEscaped_2_2_3) {
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /file-%2A.html\n", "/file-*.html"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /file-%2A.html\n", "/file-%2A.html"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /file-%2A.html\n", "/file-x.html"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /a%24\n", "/a$b"));
  EXPECT_FALSE(Allowed("User-agent: *\nDisallow: /a$b\n", "/a$b")) << "not at the end: itself";
}

// ---- 2.2.4: other records.

TEST(RobotsRulesTest, OtherRecordsDoNotPartAGroup_2_2_4) {
  constexpr std::string_view kFile =
      "User-agent: FooBot\nSitemap: https://example.com/s.xml\nCrawl-delay: 2\n"
      "User-agent: BarBot\nDisallow: /x\n";
  EXPECT_FALSE(Allowed(kFile, "/x"));
  EXPECT_FALSE(Allowed(kFile, "/x", "BarBot"));
}

TEST(RobotsRulesTest, SitemapsAreForAnyCrawlerAndBounded_2_2_4) {
  std::string file =
      "Sitemap: https://example.com/a.xml\nUser-agent: BarBot\nDisallow: /\n"
      "sitemap:https://example.com/b.xml # b\nSitemap: \xff\nSitemap: " +
      std::string(kMaxUrlBytes + 1, 'x') + "\n";
  const RobotsRules rules = RobotsRules::Parse(file, "FooBot");
  EXPECT_EQ((std::vector<std::string>{"https://example.com/a.xml", "https://example.com/b.xml"}),
            std::vector<std::string>(rules.sitemaps().begin(), rules.sitemaps().end()));
  for (size_t i = 0; i < kMaxSitemaps; ++i) file += "Sitemap: https://example.com/c\n";
  EXPECT_EQ(kMaxSitemaps, RobotsRules::Parse(file, "FooBot").sitemaps().size());
}

TEST(RobotsRulesTest, CrawlDelayIsThatOfTheGroupsThatHold) {
  constexpr std::string_view kFile =
      "User-agent: *\nCrawl-delay: 30\nUser-agent: FooBot\nCrawl-delay: 0.5\nDisallow: /x\n"
      "User-agent: FooBot\nCrawl-delay: 1.25\n";
  EXPECT_EQ(milliseconds(1250), RobotsRules::Parse(kFile, "FooBot").crawl_delay());
  EXPECT_EQ(std::nullopt, RobotsRules::Parse("User-agent: *\n", "FooBot").crawl_delay());
  for (const char* bad : {"", "-1", "nan", "inf", "soon", "1s", "0x"}) {
    const std::string file = std::string("User-agent: *\nCrawl-delay: ") + bad + "\n";
    EXPECT_EQ(std::nullopt, RobotsRules::Parse(file, "FooBot").crawl_delay()) << bad;
  }
  EXPECT_EQ(std::chrono::hours(24),
            RobotsRules::Parse("User-agent: *\nCrawl-delay: 1e300\n", "FooBot").crawl_delay());
}

// ---- 2.3 and 2.5: the file.

TEST(RobotsRulesTest, ByteOrderMarkCommentsAndLineEndsAreNoContent_2_3) {
  EXPECT_FALSE(Allowed("\xef\xbb\xbfUser-agent: *\r\nDisallow: /x # why\r\n", "/x"));
  EXPECT_FALSE(Allowed("User-agent: *\rDisallow: /x", "/x")) << "the last line may lack its end";
  EXPECT_FALSE(Allowed("  USER-AGENT :\t*\n\n dIsallow\t:/x\n", "/x"));
}

// ---- Lines that Google's parser accepts too (github.com/google/robotstxt).

TEST(RobotsRulesTest, TwoWordsWithoutAColonAreADirectiveAndMoreAreNone) {
  EXPECT_FALSE(Allowed("User-agent *\nDisallow /x\n", "/x"));
  EXPECT_FALSE(Allowed("user-agent FooBot\n\tdisallow \t /x \t # why\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow /x y\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow all /x\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow\nDisallow/x\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\n: /x\n", "/x"));
}

TEST(RobotsRulesTest, FrequentMisspellingsAreMeantAsTheyAreRead) {
  for (const char* agent : {"User Agent: *", "useragent: *", "USER AGENT:*", "User-agents: *"}) {
    EXPECT_FALSE(Allowed(std::string(agent) + "\nDisallow: /x\n", "/x")) << agent;
  }
  for (const char* disallow :
       {"Disalow", "dissallow", "Dissalow", "Diasllow", "disallaw", "disallowed"}) {
    EXPECT_FALSE(Allowed(std::string("User-agent: *\n") + disallow + ": /x\n", "/x")) << disallow;
  }
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /\nAllowed: /x\n", "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\nDenied: /x\nDis: /x\n", "/x"));
  EXPECT_EQ(1u,
            RobotsRules::Parse("Site-map: https://example.com/a\n", "FooBot").sitemaps().size());
}

TEST(RobotsRulesTest, TheDecidingLineIsCountedAsInAnEditor) {
  const RobotsRules rules =
      RobotsRules::Parse("# one\r\n\r\nUser-agent: *\rDisallow: /%7ex\n", "FooBot");
  EXPECT_EQ(4u, rules.Decide("/~x").line);
  EXPECT_EQ("/~x", rules.Decide("/~x").path);
  EXPECT_EQ(0u, rules.Decide("/y").line);
}

TEST(RobotsRulesTest, FiveHundredKibibytesAreReadAndNoHalfRule_2_5) {
  std::string file = "User-agent: *\nDisallow: /first\n";
  const std::string last = "Disallow: /last\n";
  file += "#" + std::string(kMaxRobotsBytes - file.size() - last.size() - 2, '.') + "\n" + last;
  ASSERT_EQ(kMaxRobotsBytes, file.size());
  EXPECT_FALSE(Allowed(file, "/last"));
  EXPECT_TRUE(Allowed(file + "Disallow: /beyond\n", "/beyond"));
  // The bound falls behind `Disallow: /`, which would forbid everything.
  const std::string cut = file.substr(0, file.size() - 4) + "xx/open\n";
  const RobotsRules rules = RobotsRules::Parse("#12345\n" + cut, "FooBot");
  EXPECT_TRUE(rules.Decide("/anything").allowed);
  EXPECT_FALSE(rules.Decide("/first").allowed);
}

TEST(RobotsRulesTest, AnyBytesAreSomeRules) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_TRUE(Allowed(bytes, "/x"));
  EXPECT_TRUE(Allowed("User-agent: *\nDisallow: /" + bytes, "/x"));
}

// Against the plainest reading of 2.2.2: every rule tried, the longest taken.
TEST(RobotsRulesTest, ManyLiteralsAreDecidedAsOneByOne_2_2_2) {
  std::string file = "User-agent: *\n";
  std::vector<std::pair<std::string, bool>> rules;
  uint32_t state = 1;
  const auto next = [&state](uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % below;
  };
  const auto path = [&next] {
    std::string text = "/";
    for (uint32_t n = next(6); n > 0; --n) text += static_cast<char>('a' + next(3));
    return text;
  };
  for (int i = 0; i < 60; ++i) {
    rules.emplace_back(path(), next(2) == 0);
    file += (rules.back().second ? "Allow: " : "Disallow: ") + rules.back().first + "\n";
  }
  const RobotsRules compiled = RobotsRules::Parse(file, "FooBot");
  for (int i = 0; i < 2000; ++i) {
    const std::string asked = path();
    size_t longest = 0;
    bool allowed = true;
    for (const auto& [prefix, allow] : rules) {
      if (!asked.starts_with(prefix) || prefix.size() < longest) continue;
      allowed = prefix.size() > longest ? allow : allowed || allow;
      longest = prefix.size();
    }
    ASSERT_EQ(allowed, compiled.Decide(asked).allowed) << asked << "\n" << file;
  }
}

// The plainest matching of 2.2.3.
bool MatchesPlainly(std::string_view rule, std::string_view path) {
  if (rule.empty()) return true;
  if (rule == "$") return path.empty();
  if (rule[0] == '*') {
    return MatchesPlainly(rule.substr(1), path) ||
           (!path.empty() && MatchesPlainly(rule, path.substr(1)));
  }
  return !path.empty() && rule[0] == path[0] && MatchesPlainly(rule.substr(1), path.substr(1));
}

TEST(RobotsRulesTest, ManyRulesWithSpecialCharactersAreDecidedAsOneByOne_2_2_3) {
  uint32_t state = 1;
  const auto next = [&state](uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % below;
  };
  const auto text = [&next](bool rule) {
    std::string text = rule && next(10) == 0 ? "*" : "/";
    for (uint32_t n = next(rule ? 5 : 9); n > 0; --n) {
      const bool star = rule && next(4) == 0 && !text.ends_with('*');
      text += star ? '*' : static_cast<char>('a' + next(2));
    }
    if (rule && next(5) == 0) text += '$';
    return text;
  };
  for (int file_number = 0; file_number < 40; ++file_number) {
    std::string file = "User-agent: *\n";
    std::vector<std::pair<std::string, bool>> rules;
    for (uint32_t i = next(40) + 1; i > 0; --i) {
      rules.emplace_back(text(true), next(2) == 0);
      file += (rules.back().second ? "Allow: " : "Disallow: ") + rules.back().first + "\n";
    }
    const RobotsRules compiled = RobotsRules::Parse(file, "FooBot");
    for (int i = 0; i < 200; ++i) {
      const std::string asked = text(false);
      size_t longest = 0;
      bool allowed = true;
      for (const auto& [rule, allow] : rules) {
        if (rule.size() < longest || !MatchesPlainly(rule, asked)) continue;
        allowed = rule.size() > longest ? allow : allowed || allow;
        longest = rule.size();
      }
      const RobotsDecision decision = compiled.Decide(asked);
      ASSERT_EQ(allowed, decision.allowed) << asked << "\n" << file;
      ASSERT_EQ(longest, decision.path.size()) << asked << "\n" << file;
      if (longest > 0) {
        ASSERT_EQ(decision.path, rules[decision.line - 2].first) << asked;
        ASSERT_EQ(decision.allowed, rules[decision.line - 2].second) << asked;
      }
    }
  }
}

TEST(RobotsRulesTest, PatternsBeyondTheBoundForbidMoreAndAllowNothing) {
  std::string file = "User-agent: *\nAllow: /ok\n";
  for (size_t i = 0; i < kMaxRobotsPatterns; ++i) {
    file += "Disallow: /a*" + std::to_string(i) + "$\n";
  }
  const std::string beyond = "Disallow: /b/*no\nAllow: /c*yes\nDisallow: /c\nDisallow: /plain\n";
  const RobotsRules rules = RobotsRules::Parse(file + beyond, "FooBot");
  EXPECT_FALSE(rules.Decide("/ab17").allowed);
  EXPECT_TRUE(rules.Decide("/abc").allowed) << "the pattern is whole";
  EXPECT_FALSE(rules.Decide("/b/yes").allowed);
  EXPECT_FALSE(rules.Decide("/cyes").allowed);
  EXPECT_FALSE(rules.Decide("/plain").allowed);
  EXPECT_TRUE(rules.Decide("/ok").allowed);
}

}  // namespace
}  // namespace orbweaver
