#include "common/url/canonical.h"

#include <gtest/gtest.h>

#include "tests/support/random_links.h"

namespace orbweaver {
namespace {

// The canonical form, or `!` and the name of the rule that rejects the link.
std::string Canonical(std::string_view link, const UrlOptions& options = {},
                      std::string_view base = {}) {
  UrlCanonicalizer canonicalizer(options);
  if (!base.empty()) EXPECT_EQ(canonicalizer.SetBase(base), UrlError::kNone) << base;
  const UrlError error = canonicalizer.Canonicalize(link);
  if (error != UrlError::kNone) return "!" + std::string(UrlErrorName(error));
  return std::string(canonicalizer.url());
}

std::string Repeat(std::string_view text, size_t times) {
  std::string repeated;
  for (size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

TEST(UrlCanonicalizerTest, LeavesACanonicalUrlAlone) {
  for (const std::string_view url :
       {"http://example.com/", "https://example.com/a/b.html?x=1&y=%C3%BC", "http://[::1]:8080/",
        "http://example.com:8080/~me/", "http://example.com./", "http://example.com/a;b=1?c;d"}) {
    EXPECT_EQ(Canonical(url), url);
  }
}

TEST(UrlCanonicalizerTest, SpellsOneUrlInOneWay) {
  EXPECT_EQ(Canonical("HTTP://EXAMPLE.com"), "http://example.com/");
  EXPECT_EQ(Canonical("http://example.com:80/#top"), "http://example.com/");
  EXPECT_EQ(Canonical("https://example.com:443/?"), "https://example.com/");
  EXPECT_EQ(Canonical("https://example.com:80"), "https://example.com:80/");
  EXPECT_EQ(Canonical("http://me:secret@example.com/"), "http://example.com/");
  EXPECT_EQ(Canonical("http://example.com/a/./b/../c/%2e%2E/d"), "http://example.com/a/d");
  EXPECT_EQ(Canonical("http:\\\\example.com\\a\\b"), "http://example.com/a/b");
  EXPECT_EQ(Canonical("  http://exam\nple.com/a\tb  "), "http://example.com/ab");
  EXPECT_EQ(Canonical("http://0x7f.1/"), "http://127.0.0.1/");
  EXPECT_EQ(Canonical("http://[2001:DB8:0:0::1]/"), "http://[2001:db8::1]/");
}

TEST(UrlCanonicalizerTest, WritesHostsAsIdnaSays) {
  EXPECT_EQ(Canonical("http://B\xC3\xBC"
                      "cher.example/"),
            "http://xn--bcher-kva.example/");
  EXPECT_EQ(Canonical("http://fa\xC3\x9F.de/"), "http://xn--fa-hia.de/");
  EXPECT_EQ(Canonical("http://ex%41mple.com/"), "http://example.com/");
  EXPECT_EQ(Canonical("http://\xEF\xBF\xBD.com/"), "!parse");
}

TEST(UrlCanonicalizerTest, NormalisesEscapes) {
  EXPECT_EQ(Canonical("http://a.com/%7euser/%c3%bc"), "http://a.com/~user/%C3%BC");
  EXPECT_EQ(Canonical("http://a.com/\xC3\xBC b?q=\xC3\xBC b"),
            "http://a.com/%C3%BC%20b?q=%C3%BC%20b");
  EXPECT_EQ(Canonical("http://a.com/?q=%61%2f%26"), "http://a.com/?q=a%2F%26");
  EXPECT_EQ(Canonical("http://a.com/a%2fb%2Fc"), "http://a.com/a%2Fb%2Fc");
}

TEST(UrlCanonicalizerTest, DecodingNeverMakesANewEscape) {
  EXPECT_EQ(Canonical("http://a.com/%%34%31"), "http://a.com/%%341");
  EXPECT_EQ(Canonical("http://a.com/%4%31"), "http://a.com/%4%31");
  EXPECT_EQ(Canonical("http://a.com/%2541"), "http://a.com/%2541");
  EXPECT_EQ(Canonical("http://a.com/100%"), "http://a.com/100%");
  EXPECT_EQ(Canonical("http://a.com/%zz%4"), "http://a.com/%zz%4");
}

TEST(UrlCanonicalizerTest, ResolvesLinksAgainstThePage) {
  const std::string_view page = "https://user@example.com:8443/dir/page.html?q=1#f";
  const auto on_page = [page](std::string_view link) { return Canonical(link, {}, page); };
  EXPECT_EQ(on_page("/root"), "https://example.com:8443/root");
  EXPECT_EQ(on_page("next.html?p=2#x"), "https://example.com:8443/dir/next.html?p=2");
  EXPECT_EQ(on_page("./next"), "https://example.com:8443/dir/next");
  EXPECT_EQ(on_page("../up"), "https://example.com:8443/up");
  EXPECT_EQ(on_page("../../../up"), "https://example.com:8443/up");
  EXPECT_EQ(on_page("//other.org/x"), "https://other.org/x");
  EXPECT_EQ(on_page("?q=2"), "https://example.com:8443/dir/page.html?q=2");
  EXPECT_EQ(on_page("#top"), "https://example.com:8443/dir/page.html?q=1");
  EXPECT_EQ(on_page(""), "https://example.com:8443/dir/page.html?q=1");
  EXPECT_EQ(on_page("https:here"), "https://example.com:8443/dir/here");
  EXPECT_EQ(on_page("a:b"), "!scheme");
  EXPECT_EQ(on_page("x/a:b"), "https://example.com:8443/dir/x/a:b");
}

TEST(UrlCanonicalizerTest, ABaseThatFailsLeavesNone) {
  UrlCanonicalizer canonicalizer({});
  EXPECT_EQ(canonicalizer.SetBase("http://a.com/"), UrlError::kNone);
  EXPECT_EQ(canonicalizer.SetBase("mailto:me@a.com"), UrlError::kScheme);
  EXPECT_EQ(canonicalizer.Canonicalize("x"), UrlError::kRelative);
  EXPECT_EQ(canonicalizer.SetBase("http://a.com/"), UrlError::kNone);
  EXPECT_EQ(canonicalizer.SetBase("http://a.com/" + std::string(100'000, 'x')), UrlError::kTooLong);
  EXPECT_EQ(canonicalizer.Canonicalize("x"), UrlError::kRelative);
}

TEST(UrlCanonicalizerTest, SaysWhichRuleRejects) {
  EXPECT_EQ(Canonical(""), "!relative");
  EXPECT_EQ(Canonical("/a/b"), "!relative");
  EXPECT_EQ(Canonical("http://"), "!parse");
  EXPECT_EQ(Canonical("http://a b.com/"), "!parse");
  EXPECT_EQ(Canonical("http://a.com:99999/"), "!parse");
  EXPECT_EQ(Canonical("http://1.2.3.400/"), "!parse");
  EXPECT_EQ(Canonical("ftp://a.com/"), "!scheme");
  EXPECT_EQ(Canonical("javascript:void(0)"), "!scheme");
  EXPECT_EQ(Canonical("data:text/html,x"), "!scheme");
  EXPECT_EQ(Canonical("http://a..b/"), "!host");
  EXPECT_EQ(Canonical("http://./"), "!host");
  EXPECT_EQ(Canonical("http://" + std::string(64, 'a') + ".com/"), "!host");
  EXPECT_EQ(Canonical("http://" + Repeat("abcd.", 51) + "com/"), "!host");
}

TEST(UrlCanonicalizerTest, AfterAnErrorThereIsNoUrl) {
  UrlCanonicalizer canonicalizer({});
  EXPECT_EQ(canonicalizer.Canonicalize("http://a.com/x"), UrlError::kNone);
  EXPECT_EQ(canonicalizer.host(), "a.com");
  EXPECT_EQ(canonicalizer.Canonicalize("http://b.com/a/a/a"), UrlError::kRepeatedSegments);
  EXPECT_EQ(canonicalizer.url(), "");
  EXPECT_EQ(canonicalizer.host(), "");
}

TEST(UrlCanonicalizerTest, CountsTheBytesOfTheCanonicalForm) {
  const std::string start = "http://a.com/";
  const std::string longest = start + std::string(2048 - start.size(), 'x');
  EXPECT_EQ(Canonical(longest), longest);
  EXPECT_EQ(Canonical(longest + "x"), "!too-long");
  EXPECT_EQ(Canonical(longest + "#" + std::string(3000, 'f')), longest);
  EXPECT_EQ(Canonical(start + Repeat("\xC3\xBC", 400)), "!too-long");
  EXPECT_EQ(Canonical(start + "#" + std::string(10'000'000, 'f')), "!too-long");
}

TEST(UrlCanonicalizerTest, CountsSegments) {
  std::string url = "http://a.com";
  for (int i = 0; i < 100; ++i) url += "/" + std::to_string(i);
  EXPECT_EQ(Canonical(url), url);
  EXPECT_EQ(Canonical(url + "/"), url + "/");
  EXPECT_EQ(Canonical(url + "/100"), "!too-many-segments");
  EXPECT_EQ(Canonical("http://a.com" + Repeat("/", 102)), "!too-many-segments");
}

TEST(UrlCanonicalizerTest, RejectsRepeatedSegmentsWhereverTheyStand) {
  EXPECT_EQ(Canonical("http://a.com/a/b/a/b"), "http://a.com/a/b/a/b");
  EXPECT_EQ(Canonical("http://a.com/a/b/a/b/a/c"), "http://a.com/a/b/a/b/a/c");
  for (const std::string_view path :
       {"/a/b/a/b/a/b", "/x/a/b/a/b/a/b/y.html", "/a/a/a", "/a//a//a/", "/%61/a/a", "/b/a/b/a/b/a/",
        "/1/2/3/4/1/2/3/4/1/2/3/4"}) {
    EXPECT_EQ(Canonical("http://a.com" + std::string(path)), "!repeated-segments") << path;
  }
  EXPECT_EQ(Canonical("http://a.com/a////b"), "http://a.com/a////b");
  EXPECT_EQ(Canonical("http://a.com/a/a/a", {.max_segment_repeats = 0}), "http://a.com/a/a/a");
  EXPECT_EQ(Canonical("http://a.com/a/a/a", {.max_segment_repeats = 3}), "http://a.com/a/a/a");
  EXPECT_EQ(Canonical("http://a.com/a/a", {.max_segment_repeats = 1}), "!repeated-segments");
}

TEST(UrlCanonicalizerTest, OptionsAreOffByDefault) {
  const std::string url = "http://a.com/x//y;jsessionid=1?utm_source=z&sid=2&b=1&a=2";
  EXPECT_EQ(Canonical(url), url);
}

TEST(UrlCanonicalizerTest, SortsTheQueryByNameThenValue) {
  const UrlOptions sort{.sort_query = true};
  EXPECT_EQ(Canonical("http://a.com/?b=2&a=2&a=1&a-b=0", sort), "http://a.com/?a=1&a=2&a-b=0&b=2");
  EXPECT_EQ(Canonical("http://a.com/?&&", sort), "http://a.com/");
  EXPECT_EQ(Canonical("http://a.com/?a=&a", sort), "http://a.com/?a&a=");
  EXPECT_EQ(Canonical("http://a.com/?%62=1&a=%26", sort), "http://a.com/?a=%26&b=1");
}

TEST(UrlCanonicalizerTest, SortsTheLongestQueryThatFits) {
  const UrlOptions sort{.max_bytes = 100, .sort_query = true};
  const std::string longest(100 - std::string_view("http://a.com/?a=1&b=").size(), 'x');
  EXPECT_EQ(Canonical("http://a.com/?b=" + longest + "&&&a=1", sort),
            "http://a.com/?a=1&b=" + longest);
  EXPECT_EQ(Canonical("http://a.com/?b=x" + longest + "&a=1", sort), "!too-long");
}

TEST(UrlCanonicalizerTest, DropsTrackingParameters) {
  const UrlOptions drop{.drop_tracking = true};
  EXPECT_EQ(Canonical("http://a.com/?utm_source=x&a=1&UTM_medium=y&gclid=2", drop),
            "http://a.com/?a=1");
  EXPECT_EQ(Canonical("http://a.com/?utm%5fsource=x", drop), "http://a.com/");
  EXPECT_EQ(Canonical("http://a.com/?utm=1&gclid2=3&sid=4", drop),
            "http://a.com/?utm=1&gclid2=3&sid=4");
  EXPECT_EQ(Canonical("http://a.com/?b=1&&a", drop), "http://a.com/?b=1&&a");
  EXPECT_EQ(Canonical("http://a.com/?ref=1&utm_x=2",
                      {.drop_tracking = true, .tracking_parameters = {"ref"}}),
            "http://a.com/?utm_x=2");
}

TEST(UrlCanonicalizerTest, DropsSessionIds) {
  const UrlOptions drop{.drop_sessions = true};
  EXPECT_EQ(Canonical("http://a.com/a;jsessionid=0A1B?x=1&PHPSESSID=9", drop),
            "http://a.com/a?x=1");
  EXPECT_EQ(Canonical("http://a.com/a;v=1;JSessionId=2;w/b;sid=3/", drop),
            "http://a.com/a;v=1;w/b/");
  EXPECT_EQ(Canonical("http://a.com/a;jsessionid/b", drop), "http://a.com/a;jsessionid/b");
  EXPECT_EQ(Canonical("http://a.com/?sid=1&sidebar=2&ASPSESSIONIDQQ=3", drop),
            "http://a.com/?sidebar=2");
}

TEST(UrlCanonicalizerTest, DroppingASessionIdNeverMakesADotSegment) {
  const UrlOptions drop{.drop_sessions = true};
  EXPECT_EQ(Canonical("http://a.com/a/..;jsessionid=1/b", drop),
            "http://a.com/a/..;jsessionid=1/b");
  EXPECT_EQ(Canonical("http://a.com/a/%2e;sid=1/b", drop), "http://a.com/a/.;sid=1/b");
}

TEST(UrlCanonicalizerTest, CollapsesSlashesOfThePathOnly) {
  const UrlOptions collapse{.collapse_slashes = true};
  EXPECT_EQ(Canonical("http://a.com//x///y//?q=//", collapse), "http://a.com/x/y/?q=//");
  EXPECT_EQ(
      Canonical("http://a.com//x/;sid=1/y", {.collapse_slashes = true, .drop_sessions = true}),
      "http://a.com/x/y");
}

// One of 16.
UrlOptions OptionsOf(int bits) {
  return {.sort_query = (bits & 1) != 0,
          .collapse_slashes = (bits & 2) != 0,
          .drop_tracking = (bits & 4) != 0,
          .drop_sessions = (bits & 8) != 0};
}

TEST(UrlCanonicalizerTest, ACanonicalUrlIsItsOwnCanonicalForm) {
  Random random(1);
  for (int options_bits = 0; options_bits < 16; ++options_bits) {
    const UrlOptions options = OptionsOf(options_bits);
    UrlCanonicalizer canonicalizer(options);
    UrlCanonicalizer without_base(options);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
      if (canonicalizer.SetBase(RandomLink(random)) != UrlError::kNone) {
        EXPECT_EQ(canonicalizer.SetBase("http://example.com/dir/page?q"), UrlError::kNone);
      }
      const std::string link = RandomLink(random);
      if (canonicalizer.Canonicalize(link) != UrlError::kNone) continue;
      ++accepted;
      const std::string url(canonicalizer.url());
      ASSERT_EQ(without_base.Canonicalize(url), UrlError::kNone) << link << "\n" << url;
      ASSERT_EQ(without_base.url(), url) << link;
      ASSERT_EQ(without_base.host(), canonicalizer.host()) << link;
    }
    EXPECT_GT(accepted, 3'000);
  }
}

TEST(UrlCanonicalizerTest, AScanKnowsTheCanonicalUrlsOfRealPages) {
  const std::string origin = "https://www.example.com";
  const UrlCanonicalizer canonicalizer(UrlOptions{});
  for (const std::string_view rest :
       {"/", "/a", "/articles/2026/an-entry-of-some-length-17.html", "/a/b/?q=1&r=a.b/c",
        "/%C3%BC/a%20b", "/~me/x_y;z=1/(c)", "/a/b.c/d..e", "/x?q=%2F", "//a//b",
        "/0123456789abcdef/0123456789ABCDEF/"}) {
    EXPECT_TRUE(canonicalizer.IsCanonical(origin + std::string(rest), origin.size())) << rest;
  }
}

TEST(UrlCanonicalizerTest, AScanTakesNothingThatIsSpeltAnotherWay) {
  const std::string origin = "https://example.com";
  const UrlCanonicalizer canonicalizer(UrlOptions{});
  const std::string a16(16, 'a');
  for (const std::string& rest : {std::string(),
                                  std::string(".evil.com/"),
                                  std::string(":8080/"),
                                  std::string("@evil.com/"),
                                  std::string("?q"),
                                  std::string("/a/../b"),
                                  std::string("/./"),
                                  "/" + a16 + "/./b",
                                  "/" + a16.substr(1) + "/../" + a16,
                                  std::string("/a/.."),
                                  std::string("/%7e"),
                                  std::string("/%c3%bc"),
                                  std::string("/%41"),
                                  std::string("/%"),
                                  std::string("/a b"),
                                  "/" + a16 + "\xC3\xBC" + a16,
                                  "/" + a16 + "\t" + a16,
                                  std::string("/#f"),
                                  std::string("/?"),
                                  std::string("/?q#f"),
                                  std::string("/?'"),
                                  std::string("/a/a/a"),
                                  "/" + Repeat("a/b/", 3),
                                  "/" + Repeat("ab/", 101),
                                  "/" + Repeat("a", 2048)}) {
    EXPECT_FALSE(canonicalizer.IsCanonical(origin + rest, origin.size())) << rest;
  }
  const std::string tracked = origin + "/?utm_source=x";
  EXPECT_FALSE(UrlCanonicalizer({.drop_tracking = true}).IsCanonical(tracked, origin.size()));
  const std::string session = origin + "/a;sid=1";
  EXPECT_FALSE(UrlCanonicalizer({.drop_sessions = true}).IsCanonical(session, origin.size()));
  const std::string slashes = origin + "/a//b";
  EXPECT_FALSE(UrlCanonicalizer({.collapse_slashes = true}).IsCanonical(slashes, origin.size()));
  const std::string unsorted = origin + "/?b&a";
  EXPECT_FALSE(UrlCanonicalizer({.sort_query = true}).IsCanonical(unsorted, origin.size()));
}

TEST(UrlCanonicalizerTest, WhatAScanTakesIsCanonical) {
  Random random(3);
  for (int options_bits = 0; options_bits < 16; ++options_bits) {
    UrlCanonicalizer canonicalizer(OptionsOf(options_bits));
    int taken = 0;
    for (int i = 0; i < 20'000; ++i) {
      if (canonicalizer.Canonicalize(RandomLink(random)) != UrlError::kNone) continue;
      const std::string origin(canonicalizer.origin());
      // Puts the path of one link behind the host of another, at any position of a block.
      const std::string link = RandomLink(random);
      const std::string rest = "/" + std::string(random.Below(40), 'a') +
                               link.substr(std::min(link.size(), link.find('/', 8)));
      const std::string url = random.Chance(0.3) ? std::string(canonicalizer.url()) : origin + rest;
      if (!canonicalizer.IsCanonical(url, origin.size())) continue;
      ++taken;
      ASSERT_EQ(canonicalizer.Canonicalize(url), UrlError::kNone) << url;
      ASSERT_EQ(canonicalizer.url(), url);
      ASSERT_EQ(canonicalizer.origin(), origin) << url;
    }
    EXPECT_GT(taken, 1'000);
  }
}

}  // namespace
}  // namespace orbweaver
