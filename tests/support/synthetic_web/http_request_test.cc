#include "tests/support/synthetic_web/http_request.h"

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver::synthetic {
namespace {

struct Parsed {
  ParseResult result;
  HttpRequest request;
  size_t size = 0;
};

Parsed Parse(std::string_view bytes) {
  Parsed parsed;
  parsed.result = ParseHttpRequest(bytes, &parsed.request, &parsed.size);
  return parsed;
}

TEST(HttpRequest, AnAbsoluteTargetNamesTheHostWhateverTheHeaderSays) {
  const Parsed p = Parse("GET http://H1.Site1.test:8080/a?b HTTP/1.1\r\nHost: other\r\n\r\n");
  ASSERT_EQ(p.result, ParseResult::kRequest);
  EXPECT_EQ(p.request.host, "h1.site1.test");
  EXPECT_EQ(p.request.port, 8080u);
  EXPECT_EQ(p.request.target, "/a?b");
  EXPECT_TRUE(p.request.proxied);
  EXPECT_TRUE(p.request.keep_alive);
}

TEST(HttpRequest, TheHostHeaderNamesTheHostOfAPlainTarget) {
  const std::string_view request = "HEAD / HTTP/1.0\r\nhOsT:\t h2.site2.test \r\n\r\n";
  const Parsed p = Parse(std::string(request) + "next");
  ASSERT_EQ(p.result, ParseResult::kRequest);
  EXPECT_EQ(p.request.host, "h2.site2.test");
  EXPECT_TRUE(p.request.head);
  EXPECT_FALSE(p.request.keep_alive);
  EXPECT_EQ(p.size, request.size());
}

TEST(HttpRequest, ConnectNamesHostAndPortOfTheTunnel) {
  const Parsed p = Parse("CONNECT h3.site3.test:443 HTTP/1.1\r\nHost: h3.site3.test:443\r\n\r\n");
  ASSERT_EQ(p.result, ParseResult::kRequest);
  EXPECT_TRUE(p.request.connect);
  EXPECT_EQ(p.request.host, "h3.site3.test");
  EXPECT_EQ(p.request.port, 443u);
}

TEST(HttpRequest, ValidatorsAreReadAndDoNotStayForTheNextRequest) {
  HttpRequest request;
  size_t size = 0;
  ASSERT_EQ(ParseHttpRequest("GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"x\"\r\n"
                             "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n",
                             &request, &size),
            ParseResult::kRequest);
  EXPECT_EQ(request.if_none_match, "\"x\"");
  EXPECT_EQ(request.if_modified_since, "Sun, 06 Nov 1994 08:49:37 GMT");
  ASSERT_EQ(ParseHttpRequest("GET / HTTP/1.1\r\nHost: a\r\n\r\n", &request, &size),
            ParseResult::kRequest);
  EXPECT_EQ(request.if_none_match, "");
  EXPECT_EQ(request.if_modified_since, "");
}

TEST(HttpRequest, WhatIsNotARequestIsRefused) {
  for (const char* const text :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET x HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    EXPECT_EQ(Parse(text).result, ParseResult::kMalformed) << text;
  }
}

TEST(HttpRequest, BodiesAndOtherMethodsAreNotSupported) {
  EXPECT_EQ(Parse("POST / HTTP/1.1\r\nHost: a\r\n\r\n").result, ParseResult::kUnsupported);
  EXPECT_EQ(Parse("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx").result,
            ParseResult::kUnsupported);
  EXPECT_EQ(Parse("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").result,
            ParseResult::kRequest);
}

TEST(HttpRequest, EveryBeginningOfARequestIsIncomplete) {
  const std::string_view whole =
      "GET http://h1.site1.test/ HTTP/1.1\r\nHost: h1.site1.test\r\n\r\n";
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(Parse(whole.substr(0, size)).result, ParseResult::kIncomplete) << size;
  }
}

TEST(HttpRequest, AnyBytesAreReadWithoutHarm) {
  Random random(5);
  constexpr std::string_view kPieces[] = {
      "GET ",     "CONNECT ", "http://", "/",    " HTTP/1.1",
      "\r\n",     ":",        "Host",    "a",    "\r\n\r\n",
      "https://", "[::1]",    "?",       "\xff", "Connection: close"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t n = random.Below(20); n > 0; --n)
      text += kPieces[random.Below(std::size(kPieces))];
    text += "\r\n\r\n";
    const Parsed p = Parse(text);
    EXPECT_NE(p.result, ParseResult::kIncomplete);
    EXPECT_LE(p.size, text.size());
  }
}

}  // namespace
}  // namespace orbweaver::synthetic
