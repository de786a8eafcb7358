// What goes out: the parts of a URL, and the head made of them.
#include <gtest/gtest.h>

#include "spider/fetch/fetch_url.h"
#include "spider/fetch/request_head.h"

namespace orbweaver {
namespace {

TEST(FetchUrlTest, TheParts) {
  const auto plain = SplitFetchUrl("http://a.test/b?c=d");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->https);
  EXPECT_EQ(plain->origin, "http://a.test");
  EXPECT_EQ(plain->host, "a.test");
  EXPECT_EQ(plain->port, 80);
  EXPECT_EQ(plain->target, "/b?c=d");
  const auto address = SplitFetchUrl("https://[2001:db8::1]:8443/");
  ASSERT_TRUE(address);
  EXPECT_TRUE(address->https);
  EXPECT_EQ(address->authority, "[2001:db8::1]:8443");
  EXPECT_EQ(address->host, "[2001:db8::1]");
  EXPECT_EQ(address->port, 8443);
  EXPECT_EQ(SplitFetchUrl("https://[::1]/")->port, 443);
  EXPECT_EQ(SplitFetchUrl("http://a.test:0/")->port, 0);
}

TEST(FetchUrlTest, WhatIsNotCanonicalIsRefused) {
  for (const char* url :
       {"", "http://", "http:///", "http://a.test", "ftp://a.test/", "HTTP://a.test/",
        "http://u:p@a.test/", "http://a.test:/", "http://a.test:80x/", "http://a.test:65536/",
        "http://a.test/#f", "http://a.test/\r\nX: y", "http://a.test/ x", "http://a.test?/",
        "http://a.test\\b/", "http://\xc3\xa4.test/", "//a.test/"}) {
    EXPECT_FALSE(SplitFetchUrl(url)) << url;
  }
}

std::string HeadOf(const FetchOptions& options, const FetchRequest& request,
                   bool to_proxy = false) {
  std::string head;
  RequestHead(options).Write(*SplitFetchUrl("http://a.test:8080/b"), request, to_proxy, &head);
  return head;
}

TEST(RequestHeadTest, SaysWhoAsksAndWhatItUnderstands) {
  EXPECT_EQ(
      HeadOf({.user_agent = "bot/1 (+https://b.test)", .headers = {{"Accept-Language", "en"}}},
             {.etag = "\"1\"", .last_modified = "Sun, 06 Nov 1994 08:49:37 GMT"}),
      "GET /b HTTP/1.1\r\nHost: a.test:8080\r\nUser-Agent: bot/1 (+https://b.test)\r\n"
      "Accept-Language: en\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
      "If-None-Match: \"1\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(RequestHeadTest, HeadIsAnotherMethodAndNothingElse) {
  EXPECT_EQ(HeadOf({}, {.head_only = true}), "HEAD" + HeadOf({}, {}).substr(3));
}

TEST(RequestHeadTest, AProxyIsSentTheWholeUrl) {
  EXPECT_TRUE(HeadOf({}, {}, true)
                  .starts_with("GET http://a.test:8080/b HTTP/1.1\r\nHost: a.test:8080\r\n"));
  EXPECT_EQ(ConnectHead(*SplitFetchUrl("https://a.test/")),
            "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
}

TEST(RequestHeadTest, AValidatorCannotAddALine) {
  constexpr std::string_view kBad[] = {"\"1\"\r\nX: y", "\"1\"\n", std::string_view("a\0b", 3),
                                       "\x7f"};
  for (const std::string_view bad : kBad) {
    const std::string head = HeadOf({}, {.etag = bad, .last_modified = bad});
    EXPECT_EQ(head.find("If-"), std::string::npos) << head;
  }
  // Bytes beyond ASCII are opaque, and some servers have them.
  EXPECT_NE(HeadOf({}, {.etag = "\"\xff\""}).find("If-None-Match: \"\xff\"\r\n"),
            std::string::npos);
}

TEST(RequestHeadTest, ConnectionsThatAreNotKeptAreSaidToEnd) {
  EXPECT_NE(HeadOf({.max_idle = 0}, {}).find("Connection: close\r\n"), std::string::npos);
}

}  // namespace
}  // namespace orbweaver
