// Requests as they are sent: the parts of a URL, and the head made of them.
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/request_head.h"
#include "tests/support/scratch_folder.h"

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

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};

std::string HeadOf(const FetchOptions& options, const FetchRequest& request,
                   bool to_proxy = false) {
  std::string head;
  (void)RequestHead::Create(options).value().Write(*SplitFetchUrl("http://a.test:8080/b"), request,
                                                   to_proxy, kNow, &head);
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
  EXPECT_EQ(
      ConnectHead(*SplitFetchUrl("https://a.test/"), "Basic x"),
      "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nProxy-Authorization: Basic x\r\n\r\n");
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

// The head of a request to `url`: as it is sent, and as it is kept, without the secrets.
std::pair<std::string, std::string> SentAndKept(const RequestHead& request, std::string_view url,
                                                bool to_proxy = false) {
  std::string sent;
  const size_t secret_at = request.Write(*SplitFetchUrl(url), {}, to_proxy, kNow, &sent);
  std::string kept = sent;
  MaskSecrets(secret_at, &kept);
  return {sent, kept};
}

TEST(RequestHeadTest, AHeaderOfOneHostIsSentToNoOther) {
  const RequestHead request =
      RequestHead::Create({.headers = {{"Accept", "*/*"}, {"X-All", "1"}},
                           .host_headers = {{"A.test/authorization", "Bearer hush"},
                                            {"a.test/ACCEPT", "application/json"},
                                            {"b.test:8080/X-Token", "t"},
                                            {"c.test:443/X-Token", "t"}}})
          .value();
  for (const char* url : {"http://a.test/", "https://a.test/x"}) {
    const std::string sent = SentAndKept(request, url).first;
    EXPECT_NE(sent.find("\r\nauthorization: Bearer hush\r\n"), std::string::npos) << sent;
    EXPECT_NE(sent.find("\r\nACCEPT: application/json\r\n"), std::string::npos) << sent;
    EXPECT_EQ(sent.find("*/*"), std::string::npos) << "in place of that of all hosts";
    EXPECT_NE(sent.find("\r\nX-All: 1\r\n"), std::string::npos);
  }
  for (const char* url : {"http://www.a.test/", "http://a.test:8080/", "http://xa.test/",
                          "http://b.test/", "http://c.test/", "http://test/"}) {
    const std::string sent = SentAndKept(request, url).first;
    EXPECT_EQ(sent.find("hush"), std::string::npos) << url;
    EXPECT_EQ(sent.find("X-Token"), std::string::npos) << url;
    EXPECT_NE(sent.find("\r\nAccept: */*\r\n"), std::string::npos) << url;
  }
  for (const char* url : {"http://b.test:8080/", "https://b.test:8080/", "https://c.test/"}) {
    EXPECT_NE(SentAndKept(request, url).first.find("\r\nX-Token: t\r\n"), std::string::npos) << url;
  }
}

TEST(RequestHeadTest, NoSecretIsKept) {
  const ScratchFolder folder;
  const std::string path = folder.path() / "cookies";
  std::ofstream(path) << "a.test\tFALSE\t/\tFALSE\t0\tsession\thush\n";
  const RequestHead request =
      RequestHead::Create({.user_agent = "bot",
                           .headers = {{"Accept", "*/*"}, {"X-Key", "hush"}},
                           .host_headers = {{"a.test/Authorization", "Bearer hush"}},
                           .from = "me@b.test",
                           .cookies_file = path},
                          "Basic hush")
          .value();
  const auto [sent, kept] = SentAndKept(request, "http://a.test/", /*to_proxy=*/true);
  EXPECT_NE(sent.find("\r\nCookie: session=hush\r\n"), std::string::npos) << sent;
  EXPECT_NE(sent.find("\r\nProxy-Authorization: Basic hush\r\n"), std::string::npos) << sent;
  EXPECT_EQ(kept,
            "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nUser-Agent: bot\r\nAccept: */*\r\n"
            "From: me@b.test\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
            "Authorization: ********\r\nX-Key: ********\r\nCookie: ********\r\n"
            "Proxy-Authorization: ********\r\n\r\n");
  // Not through the proxy's tunnel, and to another host no cookie.
  const std::string other = SentAndKept(request, "https://b.test/").first;
  EXPECT_EQ(other.find("Proxy-"), std::string::npos) << other;
  EXPECT_EQ(other.find("Cookie"), std::string::npos) << other;
  const auto [open, open_kept] = SentAndKept(RequestHead::Create({}).value(), "http://a.test/");
  EXPECT_EQ(open, open_kept);
}

TEST(RequestHeadTest, AHeaderThatIsGivenTakesThePlaceOfTheFilesCookies) {
  const ScratchFolder folder;
  const std::string path = folder.path() / "cookies";
  std::ofstream(path) << "a.test\tFALSE\t/\tFALSE\t0\tfile\t1\n";
  const RequestHead request =
      RequestHead::Create({.host_headers = {{"a.test/Cookie", "given=1"}}, .cookies_file = path})
          .value();
  const std::string sent = SentAndKept(request, "http://a.test/").first;
  EXPECT_NE(sent.find("Cookie: given=1\r\n"), std::string::npos) << sent;
  EXPECT_EQ(sent.find("file=1"), std::string::npos) << sent;
}

TEST(RequestHeadTest, OptionsThatMakeNoSenseAreRefused) {
  for (const auto& [key, value] : std::map<std::string, std::string>{{"a.test", "x"},
                                                                     {"/Authorization", "x"},
                                                                     {"a.test/", "x"},
                                                                     {"a.test/Bad Name", "x"},
                                                                     {"*.test/X", "x"},
                                                                     {"https://a.test/X", "x"},
                                                                     {"a.test/Host", "x"},
                                                                     {"a.test/user-agent", "x"},
                                                                     {"a.test/X", ""},
                                                                     {"b.test/X", "hush\r\nY: z"},
                                                                     {"u@a.test/X", "hush"}}) {
    const auto refused = RequestHead::Create({.host_headers = {{key, value}}});
    EXPECT_FALSE(refused.ok()) << key;
    EXPECT_EQ(MessageOf(refused.status()).find("hush"), std::string::npos);
  }
  EXPECT_FALSE(RequestHead::Create({.from = "me"}).ok());
  EXPECT_FALSE(RequestHead::Create({.from = "me@a.test\nX: y"}).ok());
  EXPECT_FALSE(RequestHead::Create({.cookies_file = "/nowhere/cookies"}).ok());
}

}  // namespace
}  // namespace orbweaver
