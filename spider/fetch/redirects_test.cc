#include "spider/fetch/redirects.h"

#include <chrono>

#include <gtest/gtest.h>

#include "spider/fetch/failure_cause.h"
#include "spider/fetch/retry_after.h"

namespace orbweaver {
namespace {

using Next = Redirects::Next;

class RedirectsTest : public testing::Test {
 protected:
  static const PublicSuffixes& Suffixes() {
    static const auto suffixes = PublicSuffixes::Load({}).value();
    return *suffixes;
  }
  UrlResolver resolver_{UrlOptions(), Suffixes()};
  Redirects redirects_{"http://a.example.com/1", "example.com", 3};
};

TEST_F(RedirectsTest, WithinTheDomainTheyAreFollowedAndCanonical) {
  EXPECT_EQ(redirects_.Take(301, "https://www.EXAMPLE.com/%7e#x", resolver_), Next::kFollow);
  EXPECT_EQ(redirects_.url(), "https://www.example.com/~");
  // Relative to where the last one led.
  EXPECT_EQ(redirects_.Take(302, "../b", resolver_), Next::kFollow);
  EXPECT_EQ(redirects_.url(), "https://www.example.com/b");
  const auto followed = redirects_.followed();
  ASSERT_EQ(followed.size(), 2u);
  EXPECT_EQ(followed[0].url, "https://www.example.com/~");
  EXPECT_EQ(followed[0].status, 301u);
  EXPECT_EQ(followed[1].url, "https://www.example.com/b");
  EXPECT_EQ(followed[1].status, 302u);
}

TEST_F(RedirectsTest, AnotherDomainIsTheEndAndALink) {
  EXPECT_EQ(redirects_.Take(301, "http://example.org/", resolver_), Next::kAway);
  EXPECT_EQ(redirects_.url(), "http://example.org/");
  EXPECT_EQ(redirects_.followed().size(), 1u);
  Redirects address("http://a.example.com/", "example.com", 3);
  EXPECT_EQ(address.Take(302, "http://169.254.169.254/latest/meta-data/", resolver_), Next::kAway);
}

TEST_F(RedirectsTest, WhereTheTargetMayBeOutOfScopeIsTheEndAndALink) {
  const CrawlScope host =
      CrawlScope::Make({.kind = ScopeKind::kHost, .exclude = {"/no/*"}}, Suffixes()).value();
  Redirects within("http://a.example.com/1", "example.com", 3, host);
  EXPECT_EQ(within.Take(301, "https://a.example.com/2", resolver_), Next::kFollow);
  EXPECT_EQ(within.Take(301, "/no/3", resolver_), Next::kAway);
  EXPECT_EQ(within.url(), "https://a.example.com/no/3");
  Redirects beyond("http://a.example.com/1", "example.com", 3, host);
  EXPECT_EQ(beyond.Take(301, "http://b.example.com/1", resolver_), Next::kAway);
}

TEST_F(RedirectsTest, CirclesEnd) {
  EXPECT_EQ(redirects_.Take(301, "/2", resolver_), Next::kFollow);
  EXPECT_EQ(redirects_.Take(301, "/1", resolver_), Next::kFailed);
  EXPECT_EQ(redirects_.why(), "redirects in a circle");
  EXPECT_EQ(redirects_.url(), "http://a.example.com/2") << "where it failed";
  Redirects self("http://a.example.com/", "example.com", 3);
  EXPECT_EQ(self.Take(301, "", resolver_), Next::kFailed);
  EXPECT_EQ(self.Take(301, "/", resolver_), Next::kFailed);
}

TEST_F(RedirectsTest, TheyAreFollowedUpToTheirBoundAndNoFurther) {
  for (const char* to : {"/2", "/3", "/4"}) {
    EXPECT_EQ(redirects_.Take(302, to, resolver_), Next::kFollow);
  }
  EXPECT_EQ(redirects_.Take(302, "/5", resolver_), Next::kFailed);
  EXPECT_EQ(redirects_.why(), "too many redirects");
  EXPECT_EQ(redirects_.followed().size(), 3u);
  EXPECT_EQ(Redirects("http://a.example.com/", "example.com", 0).Take(302, "/x", resolver_),
            Next::kFailed);
}

TEST_F(RedirectsTest, WhatIsNoUrlToFetchEndsIt) {
  for (const char* to : {"", "javascript:alert(1)", "mailto:a@example.com", "http://",
                         "file:///etc/passwd", "http://a..example.com/"}) {
    EXPECT_EQ(redirects_.Take(302, to, resolver_), Next::kFailed) << to;
  }
}

TEST(StatusTest, WhatAnAnswersStatusComesDownTo) {
  for (const uint32_t page : {200u, 204u, 299u, 304u, 301u, 302u, 303u, 307u, 308u}) {
    EXPECT_EQ(FailureOfStatus(page), std::nullopt) << page;
  }
  EXPECT_EQ(FailureOfStatus(404), FailureCause::kHttp4xx);
  EXPECT_EQ(FailureOfStatus(503), FailureCause::kHttp5xx);
  for (const uint32_t other : {300u, 305u, 600u, 999u}) {
    EXPECT_EQ(FailureOfStatus(other), FailureCause::kHttpOther) << other;
  }
}

// 1994-11-06 08:49:37 UTC.
constexpr WallTime kNow{std::chrono::seconds(784111777)};

TEST(RetryAfterTest, SecondsAndDates) {
  using std::chrono::seconds;
  EXPECT_EQ(RetryAfter("120", kNow), seconds(120));
  EXPECT_EQ(RetryAfter("0", kNow), seconds(0));
  EXPECT_EQ(RetryAfter("Sun, 06 Nov 1994 08:49:47 GMT", kNow), seconds(10));
  EXPECT_EQ(RetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", kNow), seconds(0)) << "has passed";
}

TEST(RetryAfterTest, NoValueIsLongerThanAYear) {
  constexpr auto kYear = std::chrono::hours(24 * 365);
  for (const char* value : {"99999999", "18446744073709551615", "99999999999999999999999999",
                            "Sun, 06 Nov 2994 08:49:47 GMT"}) {
    EXPECT_EQ(RetryAfter(value, kNow), kYear) << value;
  }
}

TEST(RetryAfterTest, WhatIsNeitherIsNothing) {
  for (const char* value : {"", "-1", "1.5", "soon", "120 seconds", "Sun, 06 Xxx 1994 08:49:47 GMT",
                            "Sun, 31 Feb 1994 08:49:47 GMT", "Sun, 06 Nov 1994 24:49:47 GMT",
                            "Sun, +6 Nov 1994 08:49:47 GMT", "06 Nov 1994 08:49:47 GMT"}) {
    EXPECT_EQ(RetryAfter(value, kNow), std::nullopt) << value;
  }
}

}  // namespace
}  // namespace orbweaver
