#include "spider/feed/journey.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/model/encode_buffer.h"
#include "tests/support/expect_ok.h"
#include "tests/support/journey.h"

namespace orbweaver {
namespace {

using Next = Journey::Next;

constexpr std::string_view kUrl = "http://a.test/page";

TEST(JourneyTest, ARequestIsWholeWhenItsMessageIsGone) {
  const Meta meta{.key = "k", .value = std::string_view("\0v", 2)};
  EncodeBuffer buffer;
  Journey journey;
  {
    const auto encoded = Encode({.epoch = Offset(7),
                                 .entry = Request{.url = kUrl,
                                                  .domain = "a.test",
                                                  .depth = 3,
                                                  .etag = "\"e\"",
                                                  .meta = {&meta, 1},
                                                  // A field of a newer schema.
                                                  .unknown = std::string_view("\xa0\x06\x01", 3)}},
                                &buffer);
    ASSERT_OK(encoded);
    std::string message(*encoded);
    ASSERT_OK(journey.Read(message));
    message.assign(message.size(), '\xff');
  }
  EXPECT_EQ(journey.entry().epoch, Offset(7));
  const Request& request = journey.request();
  EXPECT_EQ(request.url, kUrl);
  EXPECT_EQ(request.depth, 3u);
  EXPECT_EQ(request.etag, "\"e\"");
  ASSERT_EQ(request.meta.size(), 1u);
  EXPECT_EQ(request.meta[0].value, std::string_view("\0v", 2));
  EXPECT_EQ(request.unknown, std::string_view("\xa0\x06\x01", 3));
}

TEST(JourneyTest, BytesThatAreNoEntryArePoison) {
  Journey journey;
  EXPECT_TRUE(IsPoison(journey.Read("\xff garbage")));
}

TEST(JourneyTest, LeadsToWhereTheLastRedirectLed) {
  const auto journey = JourneyOf({.url = kUrl, .domain = "a.test"});
  EXPECT_EQ(journey->url(), kUrl);
  EXPECT_EQ(journey->answered_url(), kUrl);
  EXPECT_TRUE(journey->redirects().empty());
  const auto moved = JourneyOf({.url = kUrl, .domain = "a.test"}, {"/b", "http://www.a.test/c"});
  EXPECT_EQ(moved->url(), "http://www.a.test/c");
  EXPECT_EQ(moved->answered_url(), "http://a.test/b");
  ASSERT_EQ(moved->redirects().size(), 2u);
  EXPECT_EQ(moved->redirects()[0].url, "http://a.test/b");
  EXPECT_EQ(moved->redirects()[0].status, 301u);
  EXPECT_EQ(moved->request().url, kUrl);
}

class RedirectTest : public testing::Test {
 protected:
  static const PublicSuffixes& Suffixes() {
    static const auto suffixes = PublicSuffixes::Load({}).value();
    return *suffixes;
  }
  Next Follow(Journey& journey, uint32_t status, std::string_view location,
              const CrawlScope& scope = {}) {
    return journey.Follow(status, location, resolver_, 3, scope);
  }
  Next Follow(uint32_t status, std::string_view location) {
    return Follow(journey_, status, location);
  }

  UrlResolver resolver_{UrlOptions(), Suffixes()};
  Journey journey_{"http://a.example.com/1", "example.com"};
};

TEST_F(RedirectTest, WithinTheDomainTheyAreFollowedAndCanonical) {
  EXPECT_EQ(Follow(301, "https://www.EXAMPLE.com/%7e#x"), Next::kFollow);
  EXPECT_EQ(journey_.url(), "https://www.example.com/~");
  // Relative to where the last one led.
  EXPECT_EQ(Follow(302, "../b"), Next::kFollow);
  EXPECT_EQ(journey_.url(), "https://www.example.com/b");
  const auto followed = journey_.redirects();
  ASSERT_EQ(followed.size(), 2u);
  EXPECT_EQ(followed[0].url, "https://www.example.com/~");
  EXPECT_EQ(followed[0].status, 301u);
  EXPECT_EQ(followed[1].url, "https://www.example.com/b");
  EXPECT_EQ(followed[1].status, 302u);
}

TEST_F(RedirectTest, AnotherDomainIsTheEndAndALink) {
  EXPECT_EQ(Follow(301, "http://example.org/"), Next::kAway);
  EXPECT_EQ(journey_.url(), "http://example.org/");
  EXPECT_EQ(journey_.redirects().size(), 1u);
  Journey address("http://a.example.com/", "example.com");
  EXPECT_EQ(Follow(address, 302, "http://169.254.169.254/latest/meta-data/"), Next::kAway);
}

TEST_F(RedirectTest, WhereTheTargetMayBeOutOfScopeIsTheEndAndALink) {
  const CrawlScope host =
      CrawlScope::Make({.kind = ScopeKind::kHost, .exclude = {"/no/*"}}, Suffixes()).value();
  Journey within("http://a.example.com/1", "example.com");
  EXPECT_EQ(Follow(within, 301, "https://a.example.com/2", host), Next::kFollow);
  EXPECT_EQ(Follow(within, 301, "/no/3", host), Next::kAway);
  EXPECT_EQ(within.url(), "https://a.example.com/no/3");
  Journey beyond("http://a.example.com/1", "example.com");
  EXPECT_EQ(Follow(beyond, 301, "http://b.example.com/1", host), Next::kAway);
}

TEST_F(RedirectTest, CirclesEnd) {
  EXPECT_EQ(Follow(301, "/2"), Next::kFollow);
  EXPECT_EQ(Follow(301, "/1"), Next::kFailed);
  EXPECT_EQ(journey_.why(), "redirects in a circle");
  EXPECT_EQ(journey_.url(), "http://a.example.com/2") << "where it failed";
  Journey self("http://a.example.com/", "example.com");
  EXPECT_EQ(Follow(self, 301, ""), Next::kFailed);
  EXPECT_EQ(Follow(self, 301, "/"), Next::kFailed);
}

TEST_F(RedirectTest, TheyAreFollowedUpToTheirBoundAndNoFurther) {
  for (const char* to : {"/2", "/3", "/4"}) {
    EXPECT_EQ(Follow(302, to), Next::kFollow);
  }
  EXPECT_EQ(Follow(302, "/5"), Next::kFailed);
  EXPECT_EQ(journey_.why(), "too many redirects");
  EXPECT_EQ(journey_.redirects().size(), 3u);
  EXPECT_EQ(Journey("http://a.example.com/", "example.com").Follow(302, "/x", resolver_, 0),
            Next::kFailed);
}

TEST_F(RedirectTest, WhatIsNoUrlToFetchEndsIt) {
  for (const char* to : {"", "javascript:alert(1)", "mailto:a@example.com", "http://",
                         "file:///etc/passwd", "http://a..example.com/"}) {
    EXPECT_EQ(Follow(302, to), Next::kFailed) << to;
  }
}

}  // namespace
}  // namespace orbweaver
