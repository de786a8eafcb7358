// The fetcher and servers that answer byte by byte what a test says; where it may go. On the
// synthetic web it is in http_fetcher_web_test.cc.
#include "spider/fetch/http_fetcher.h"

#include <atomic>
#include <thread>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/http_fetcher_fixture.h"
#include "tests/support/raw_server.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

std::string Answer(std::string_view body, std::string_view fields = "") {
  return fmt::format("HTTP/1.1 200 OK\r\n{}Content-Length: {}\r\n\r\n{}", fields, body.size(),
                     body);
}

// Answers every request with `answer`.
RawServer::Handler Always(const std::string& answer) {
  return [answer](RawConnection& connection, int) {
    while (!connection.ReadHead().empty() && connection.Send(answer)) {
    }
  };
}

// ---- servers that misbehave in ways the synthetic web does not

TEST_F(HttpFetcherTest, ATlsServerThatSpeaksNoTlsIsATlsFailure) {
  RawServer server(
      [](RawConnection& connection, int) { connection.Send("HTTP/1.1 200 OK\r\n\r\n"); });
  LeadTo(server.port());
  EXPECT_EQ(Outcome("https://a.test/"), "tls");
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, AHandshakeThatNeverEndsIsGivenUp) {
  options_.tls_timeout = milliseconds(50);
  RawServer server([](RawConnection& connection, int) { connection.WaitForEnd(); });
  LeadTo(server.port());
  EXPECT_EQ(Outcome("https://a.test/"), "timeout_tls");
}

TEST_F(HttpFetcherTest, AProxyThatRefusesATunnelOrTalksInItIsTheProxysFailure) {
  for (const char* answer : {"HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nforged",
                             "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200"}) {
    RawServer proxy([answer](RawConnection& connection, int) {
      connection.ReadHead();
      connection.Send(answer);
    });
    network_.proxy = fmt::format("http://127.0.0.1:{}", proxy.port());
    fetcher_.reset();
    EXPECT_EQ(Outcome("https://a.test/"), "proxy") << answer;
    fetcher_.reset();
  }
}

TEST_F(HttpFetcherTest, AKeptConnectionThatWasEndedMeanwhileIsToldOfAndNotAskedAgain) {
  // Ends each connection as soon as the second request has come: the client cannot have known.
  RawServer server([](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send(Answer("x"));
    connection.ReadHead();
  });
  LeadTo(server.port());
  for (int i = 0; i < 4; ++i) {
    const FetchResult result = Fetch("http://a.test/");
    EXPECT_EQ(result.stale, i % 2 == 1);
    EXPECT_EQ(OutcomeOf(result), result.stale ? "reset" : "200");
  }
  EXPECT_EQ(server.connections(), 2);
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, ANewConnectionThatIsEndedIsNotTriedAgain) {
  RawServer server([](RawConnection& connection, int) { connection.ReadHead(); });
  LeadTo(server.port());
  EXPECT_EQ(Outcome("http://a.test/"), "reset");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpFetcherTest, WhatComesUnaskedOnAKeptConnectionIsNobodysAnswer) {
  std::atomic<int> sent = 0;
  RawServer server([&sent](RawConnection& connection, int number) {
    connection.ReadHead();
    connection.Send(Answer("x"));
    // A forged answer for whatever is asked next.
    if (number == 0) connection.Send(Answer("forged"));
    ++sent;
    connection.ReadHead();
    connection.Send(Answer("y"));
  });
  LeadTo(server.port());
  EXPECT_EQ(Fetch("http://a.test/1").body, "x");
  while (sent == 0) std::this_thread::yield();
  EXPECT_EQ(Fetch("http://a.test/2").body, "x");
  EXPECT_EQ(server.connections(), 2);
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, AnEndlessBodyIsCutOffAtItsBound) {
  options_.max_body_bytes = 100'000;
  const std::string piece(10'000, 'x');
  RawServer server([&piece](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    while (connection.Send(piece)) {
    }
  });
  LeadTo(server.port());
  const FetchResult cut = Fetch("http://a.test/");
  EXPECT_EQ(OutcomeOf(cut), "200");
  EXPECT_TRUE(cut.body_truncated);
  EXPECT_EQ(cut.body.size(), 100'000u);
  // A caller's own bound is smaller, and holds in place of it.
  const FetchResult own = Fetch("http://a.test/", {.max_body_bytes = 500});
  EXPECT_EQ(own.body.size(), 500u);
  options_.truncate = false;
  fetcher_.reset();
  EXPECT_EQ(Outcome("http://a.test/"), "too_large");
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, EndlessHeadersAreATooLargeAnswer) {
  RawServer server([](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\n");
    while (connection.Send("X-Header: and another one\r\n")) {
    }
  });
  LeadTo(server.port());
  EXPECT_EQ(Outcome("http://a.test/"), "too_large");
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, AHeadThatDripsIsTooSlow) {
  options_.slow_after = milliseconds(50);
  options_.min_bytes_per_second = 1'000'000;
  RawServer server([](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\n");
    connection.WaitForEnd();
  });
  LeadTo(server.port());
  EXPECT_EQ(Outcome("http://a.test/"), "too_slow");
}

TEST_F(HttpFetcherTest, TheWholeOfAFetchHasItsTime) {
  options_.total_timeout = milliseconds(100);
  options_.min_bytes_per_second = 0;
  RawServer server([](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
    connection.WaitForEnd();
  });
  LeadTo(server.port());
  const FetchResult result = Fetch("http://a.test/");
  EXPECT_EQ(OutcomeOf(result), "timeout_total");
  EXPECT_EQ(result.body, "");
}

TEST_F(HttpFetcherTest, AnUnwantedBodyThatHangsDoesNotUndoItsStatus) {
  options_.slow_after = milliseconds(50);
  options_.min_bytes_per_second = 1'000'000;
  RawServer server([](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nx");
    connection.WaitForEnd();
  });
  LeadTo(server.port());
  EXPECT_EQ(Outcome("http://a.test/"), "404");
}

TEST_F(HttpFetcherTest, ContentOfOtherTypesIsNotReadBeyondItsHeaders) {
  options_.content_types = {"text/*"};
  RawServer server(
      Always("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: "
             "1000000000\r\n\r\n"));
  LeadTo(server.port());
  const FetchResult video = Fetch("http://a.test/");
  EXPECT_EQ(OutcomeOf(video), "content_type");
  EXPECT_EQ(video.status, 200u);
  EXPECT_EQ(video.Header("content-type"), "video/mp4");
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, ARefusedConnectionIsToldAsSuch) {
  int port = 0;
  {
    const RawServer gone([](RawConnection&, int) {});
    port = gone.port();
  }
  LeadTo(port);
  const FetchResult result = Fetch("http://a.test/");
  EXPECT_EQ(OutcomeOf(result), "refused");
  EXPECT_EQ(result.address.Text(), "127.0.0.1");
}

// ---- where it may go

TEST_F(HttpFetcherTest, AddressesThatAreNotPublicAreRefusedHoweverTheyAreFound) {
  network_.hosts = {{"inside.test", "10.0.0.1"}, {"cloud.test", "169.254.169.254:80"}};
  EXPECT_EQ(Outcome("http://inside.test/"), "private_address");
  EXPECT_EQ(Outcome("https://cloud.test/latest/meta-data/"), "private_address");
  for (const char* url : {"http://169.254.169.254/latest/", "http://10.0.0.1/", "http://[::1]/",
                          "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::a00:1]/",
                          "http://[2002:7f00:1::]/", "http://0.0.0.0/"}) {
    EXPECT_EQ(Outcome(url), "private_address") << url;
  }
  // An address that the caller brings is judged again.
  EXPECT_EQ(OutcomeOf(Fetch("http://a.test/", {.address = *IpAddress::Parse("192.168.0.1")})),
            "private_address");
  fetcher().Resolve(FetchId(7), "inside.test");
  fetcher().Resolve(FetchId(8), "192.168.0.1");
  while (collector_.failures.size() < 2) {
    fetcher().Run(SystemClock().Now() + std::chrono::seconds(10), collector_);
  }
  EXPECT_EQ(collector_.failures[FetchId(7)], FailureCause::kPrivateAddress);
  EXPECT_EQ(collector_.failures[FetchId(8)], FailureCause::kPrivateAddress);
}

TEST_F(HttpFetcherTest, PortsThatAreNotListedAreNotAsked) {
  network_.ports = {"80"};
  RawServer server(Always(Answer("x")));
  LeadTo(server.port());
  EXPECT_EQ(Outcome("http://a.test/"), "200");
  EXPECT_EQ(Outcome("https://a.test/"), "port");
  EXPECT_EQ(Outcome("http://a.test:22/"), "port");
  EXPECT_EQ(Outcome("http://a.test:0/"), "port");
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, WhatIsNoCanonicalUrlIsNotFetched) {
  for (const char* url : {"", "ftp://a.test/", "http://a.test", "http:///", "http://u@a.test/",
                          "http://a.test/ HTTP/1.1\r\nX: y", "http://a.test:x/"}) {
    EXPECT_EQ(Outcome(url), "bad_url") << url;
  }
}

TEST_F(HttpFetcherTest, AnAddressThatWasResolvedIsTheOneThatIsAsked) {
  RawServer server(Always(Answer("x")));
  LeadTo(server.port());
  fetcher().Resolve(FetchId(1), "a.test");
  fetcher().Run(SystemClock().Now() + std::chrono::seconds(10), collector_);
  ASSERT_EQ(collector_.resolved[FetchId(1)].Text(), "127.0.0.1");
  EXPECT_EQ(Fetch("http://a.test/", {.address = collector_.resolved[FetchId(1)]}).address.Text(),
            "127.0.0.1");
  // A connection to another address of the host is not the one that was meant.
  const FetchResult other = Fetch("http://a.test/", {.address = *IpAddress::Parse("127.0.0.2")});
  EXPECT_EQ(OutcomeOf(other), "refused");
  EXPECT_EQ(other.address.Text(), "127.0.0.2");
  fetcher_.reset();
}

// ---- Run

TEST_F(HttpFetcherTest, WakeEndsARunThatHasNothingToDo) {
  fetcher();
  std::thread waker([this] { fetcher_->Wake(); });
  fetcher_->Run(SteadyTime::max(), collector_);
  waker.join();
  EXPECT_TRUE(collector_.fetched.empty());
}

TEST_F(HttpFetcherTest, FetchesThatAreRunningMayBeDropped) {
  RawServer server([](RawConnection& connection, int) { connection.WaitForEnd(); });
  LeadTo(server.port());
  for (uint64_t i = 0; i < 50; ++i) {
    fetcher().Fetch(FetchId(i), {.url = i % 2 == 0 ? "http://a.test/" : "https://a.test/"});
  }
  fetcher().Resolve(FetchId(1), "a.test");
  while (server.connections() < 50) {
    fetcher().Run(SystemClock().Now() + milliseconds(10), collector_);
  }
  EXPECT_EQ(fetcher().stats().running, 50u);
  fetcher_.reset();
}

TEST_F(HttpFetcherTest, WhatMayBeOurOwnSidesFaultIsSuspectAndNothingElse) {
  const auto suspect = [this](const std::string& url) {
    fetcher_.reset();
    return Fetch(url).suspect;
  };
  LeadTo(1);
  EXPECT_EQ(suspect("http://a.test/"), std::nullopt) << "refused by the host";
  for (const auto& [answer, is_suspect] : {std::pair("HTTP/1.1 407 Who are you\r\n\r\n", true),
                                           std::pair("HTTP/1.1 502 Bad Gateway\r\n\r\n", true),
                                           std::pair("HTTP/1.1 403 Forbidden\r\n\r\n", false)}) {
    RawServer proxy([text = answer](RawConnection& connection, int) {
      connection.ReadHead();
      connection.Send(text);
    });
    network_.proxy = fmt::format("http://127.0.0.1:{}", proxy.port());
    EXPECT_EQ(suspect("https://a.test/").has_value(), is_suspect) << answer;
  }
  network_.proxy = "http://127.0.0.1:1";
  EXPECT_EQ(suspect("https://a.test/"), OwnSide::kProxy);
  EXPECT_EQ(suspect("http://a.test/"), OwnSide::kProxy);
  RawServer proxy([](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n");
  });
  network_.proxy = fmt::format("http://127.0.0.1:{}", proxy.port());
  EXPECT_EQ(suspect("http://a.test/"), OwnSide::kProxy);
  RawServer socks([](RawConnection& connection, int) { connection.Send("\x05\xff"); });
  network_.proxy = fmt::format("socks5://127.0.0.1:{}", socks.port());
  EXPECT_EQ(suspect("http://a.test/"), OwnSide::kProxy);
  network_.proxy.clear();
  network_.hosts.clear();
  network_.dns_servers = {"127.0.0.1:1"};
  EXPECT_EQ(suspect("http://a.test/"), OwnSide::kNameServers);
}

TEST_F(HttpFetcherTest, OptionsThatMakeNoSenseAreRefused) {
  const auto refused = [](auto change) {
    NetworkOptions network;
    FetchOptions options;
    change(network, options);
    return IsFatal(HttpFetcher::Create(network, options).status());
  };
  using N = NetworkOptions;
  using F = FetchOptions;
  EXPECT_FALSE(refused([](N&, F&) {}));
  EXPECT_TRUE(refused([](N& n, F&) { n.proxy = "socks://127.0.0.1:1"; }));
  EXPECT_TRUE(refused([](N& n, F&) { n.proxy = "http://127.0.0.1:x"; }));
  EXPECT_TRUE(refused([](N& n, F&) { n.hosts["a.test"] = "nowhere"; }));
  EXPECT_TRUE(refused([](N& n, F&) { n.hosts["a.test"] = "127.0.0.1:0"; }));
  EXPECT_TRUE(refused([](N& n, F&) { n.ports = {"http"}; }));
  EXPECT_TRUE(refused([](N& n, F&) { n.allow_networks = {"10.0.0.0"}; }));
  EXPECT_TRUE(refused([](N& n, F&) { n.allow_networks = {"10.0.0.0/33"}; }));
  EXPECT_TRUE(refused([](N& n, F&) { n.dns_servers = {"dns.test"}; }));
  EXPECT_TRUE(refused([](N&, F& f) { f.authorities_file = "/nonexistent"; }));
}

}  // namespace
}  // namespace orbweaver
