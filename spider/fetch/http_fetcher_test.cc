#include "spider/fetch/http_fetcher.h"

#include <atomic>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "spider/fetch/failure_cause.h"
#include "tests/support/expect_ok.h"
#include "tests/support/raw_server.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/synthetic_web/server.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using synthetic::Fault;
using synthetic::Place;
using synthetic::Server;
using synthetic::WebOptions;

// Everything that was told, by id.
class Collector : public FetchListener {
 public:
  void OnResolved(const Resolution& resolution) override {
    EXPECT_TRUE(resolved.emplace(resolution.id, resolution.address).second);
    failures[resolution.id] = resolution.failure;
  }
  void OnFetched(FetchResult& result) override {
    const FetchId id = result.id;
    EXPECT_TRUE(fetched.emplace(id, std::move(result)).second) << "told twice";
  }
  std::map<FetchId, IpAddress> resolved;
  std::map<FetchId, std::optional<FailureCause>> failures;
  std::map<FetchId, FetchResult> fetched;
};

// A fetcher for a server of this machine, to which all names lead.
class HttpFetcherTest : public testing::Test {
 protected:
  HttpFetcherTest() {
    network_.allow_networks = {"127.0.0.0/8"};
    options_.content_types = {"*"};
  }

  // From here on all hosts are at `port`.
  void LeadTo(int port) { network_.hosts["*"] = fmt::format("127.0.0.1:{}", port); }

  HttpFetcher& fetcher() {
    if (fetcher_ == nullptr) {
      auto made = HttpFetcher::Create(network_, options_);
      EXPECT_OK(made);
      fetcher_ = std::move(made).value();
    }
    return *fetcher_;
  }

  // Until `count` fetches are told in all.
  void RunUntil(size_t count) {
    const auto deadline = SystemClock().Now() + std::chrono::seconds(60);
    while (collector_.fetched.size() < count && SystemClock().Now() < deadline) {
      fetcher().Run(deadline, collector_);
    }
    ASSERT_EQ(collector_.fetched.size(), count);
  }

  FetchResult Fetch(const std::string& url, FetchRequest request = {}) {
    const FetchId id(++last_id_);
    request.url = url;
    fetcher().Fetch(id, request);
    RunUntil(collector_.fetched.size() + 1);
    return std::move(collector_.fetched[id]);
  }

  // The cause's name, or the status.
  std::string OutcomeOf(const FetchResult& result) {
    if (result.failure) return std::string(FailureCauseName(*result.failure));
    return std::to_string(result.status);
  }
  std::string Outcome(const std::string& url) { return OutcomeOf(Fetch(url)); }

  NetworkOptions network_;
  FetchOptions options_;
  std::unique_ptr<HttpFetcher> fetcher_;
  Collector collector_;
  uint64_t last_id_ = 0;
};

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

// ---- the synthetic web

// A web where every page but a home page has its host's fault.
WebOptions Only(Fault fault) {
  WebOptions options{.hosts = 64, .pages_per_host = 40};
  options.troubles.faults.Add(fault);
  options.faulty_hosts = 1;
  options.faulty_pages = 1;
  options.slow_first_byte = milliseconds(5);
  options.drip = milliseconds(20);
  return options;
}

class SyntheticWebTest : public HttpFetcherTest {
 protected:
  void Serve(const WebOptions& web) {
    auto server = Server::Start(web, {});
    ASSERT_OK(server);
    server_ = std::move(server).value();
    network_.hosts.clear();
    network_.hosts["*"] = fmt::format("127.0.0.1:{}", server_->port());
    fetcher_.reset();
  }
  std::string Url(uint32_t host, uint32_t page) const {
    return server_->web().paths().UrlOf({.host = host, .number = page, .kind = Place::Kind::kPage});
  }
  std::string BodyOf(uint32_t host, uint32_t page) const {
    synthetic::Answer answer;
    server_->web().Get({.place = {.host = host, .number = page, .kind = Place::Kind::kPage}},
                       &answer);
    return answer.body;
  }
  // Of a page that has the fault.
  std::string OutcomeWith(Fault fault) {
    Serve(Only(fault));
    return Outcome(Url(3, 1));
  }
  void TrustTheWeb() {
    options_.authorities_file = folder_.path() / "authority.pem";
    std::ofstream(options_.authorities_file) << server_->authority_pem();
  }
  // TLS reaches the synthetic web by CONNECT, or by its TLS port.
  void ServeTls(const WebOptions& web, bool by_proxy) {
    Serve(web);
    network_.hosts["*"] = fmt::format("127.0.0.1:{}", server_->tls_port());
    if (by_proxy) network_.proxy = fmt::format("http://127.0.0.1:{}", server_->port());
    TrustTheWeb();
  }

  ScratchFolder folder_;
  std::unique_ptr<Server> server_;
};

TEST_F(SyntheticWebTest, APageIsFetchedWholeAndEverythingIsToldOfIt) {
  Serve({});
  const FetchResult page = Fetch(Url(3, 7));
  EXPECT_EQ(OutcomeOf(page), "200");
  EXPECT_EQ(page.body, BodyOf(3, 7));
  EXPECT_EQ(page.received_bytes, page.body.size());
  EXPECT_EQ(page.address.Text(), "127.0.0.1");
  EXPECT_TRUE(page.Header("content-type").starts_with("text/html"));
  EXPECT_FALSE(page.Header("etag").empty());
  EXPECT_TRUE(page.request_head.starts_with("GET /")) << page.request_head;
  EXPECT_NE(page.request_head.find("\r\nHost: h3.site3.test\r\n"), std::string::npos);
  EXPECT_TRUE(page.response_head.starts_with("HTTP/1.1 200 ") &&
              page.response_head.ends_with("\r\n\r\n"));
  EXPECT_GE(page.times.total, page.times.first_byte + page.times.connect);
  EXPECT_FALSE(page.body_truncated || page.kept_alive);
}

TEST_F(SyntheticWebTest, EveryFaultHasItsCause) {
  EXPECT_EQ(OutcomeWith(Fault::kSlowFirstByte), "200");
  EXPECT_EQ(OutcomeWith(Fault::kDrip), "200");
  EXPECT_EQ(OutcomeWith(Fault::kReset), "reset");
  EXPECT_EQ(OutcomeWith(Fault::kShortBody), "protocol");
  EXPECT_EQ(OutcomeWith(Fault::kTooManyRequests), "429");
  EXPECT_EQ(OutcomeWith(Fault::kUnavailable), "503");
  EXPECT_EQ(OutcomeWith(Fault::kBrokenGzip), "encoding");
  EXPECT_EQ(OutcomeWith(Fault::kGzipBomb), "too_large");
  EXPECT_TRUE(OutcomeWith(Fault::kRedirectLoop).starts_with("30"));
  EXPECT_EQ(OutcomeWith(Fault::kGzip), "200");
}

TEST_F(SyntheticWebTest, WhatNeverAnswersAndWhatNeverEndsIsGivenUp) {
  options_.first_byte_timeout = milliseconds(100);
  EXPECT_EQ(OutcomeWith(Fault::kHang), "timeout_first_byte");
  options_.first_byte_timeout = std::chrono::seconds(60);
  options_.slow_after = milliseconds(100);
  options_.min_bytes_per_second = 1'000'000'000;
  EXPECT_EQ(OutcomeWith(Fault::kEndlessDrip), "too_slow");
}

TEST_F(SyntheticWebTest, RetryAfterIsToldAndATransientFaultPasses) {
  Serve(Only(Fault::kUnavailable));
  EXPECT_TRUE(Fetch(Url(3, 1)).retry_after.has_value());
  EXPECT_EQ(Outcome(Url(3, 1)), "503");
  EXPECT_EQ(Outcome(Url(3, 1)), "200");
}

TEST_F(SyntheticWebTest, AnEncodedBodyIsDecoded) {
  Serve(Only(Fault::kGzip));
  const FetchResult page = Fetch(Url(3, 1));
  EXPECT_LT(page.received_bytes, page.body.size());
  EXPECT_TRUE(page.body.starts_with("<!doctype html>")) << page.body.substr(0, 40);
}

TEST_F(SyntheticWebTest, WhatHasNotChangedIs304) {
  Serve({});
  const FetchResult first = Fetch(Url(1, 2));
  const std::string etag(first.Header("etag"));
  const FetchResult again = Fetch(Url(1, 2), {.etag = etag});
  EXPECT_EQ(OutcomeOf(again), "304");
  EXPECT_EQ(again.body, "");
  const std::string date(first.Header("last-modified"));
  ASSERT_FALSE(date.empty());
  EXPECT_EQ(OutcomeOf(Fetch(Url(1, 2), {.last_modified = date})), "304");
}

TEST_F(SyntheticWebTest, AHostsConnectionServesTheNextRequest) {
  Serve({});
  for (uint32_t page = 0; page < 20; ++page) {
    const FetchResult result = Fetch(Url(5, page));
    EXPECT_EQ(OutcomeOf(result), "200");
    EXPECT_EQ(result.kept_alive, page > 0);
  }
  EXPECT_EQ(server_->stats().connections, 1u);
  EXPECT_EQ(fetcher().stats().connections, 1u);
  EXPECT_EQ(fetcher().stats().kept_alive, 19u);
  // Also one that was answered without a page.
  EXPECT_EQ(Outcome(Url(5, 0) + "nothing"), "404");
  EXPECT_EQ(server_->stats().connections, 1u);
}

TEST_F(SyntheticWebTest, KeptConnectionsAreBoundedInAllAndByHost) {
  options_.max_idle = 3;
  options_.max_idle_per_host = 2;
  Serve({});
  size_t count = 0;
  for (uint32_t host = 1; host <= 4; ++host) {
    for (uint32_t page = 0; page < 3; ++page) {
      fetcher().Fetch(FetchId(1000 + count++), {.url = Url(host, page)});
    }
  }
  RunUntil(count);
  EXPECT_EQ(fetcher().stats().idle_connections, 3u);
  EXPECT_EQ(fetcher().stats().running, 0u);
}

TEST_F(SyntheticWebTest, AConnectionThatHasWaitedTooLongIsNotUsed) {
  options_.idle_timeout = milliseconds(1);
  Serve({});
  Fetch(Url(5, 1));
  while (fetcher().stats().idle_connections > 0) {
    fetcher().Run(SystemClock().Now() + milliseconds(10), collector_);
  }
  EXPECT_FALSE(Fetch(Url(5, 2)).kept_alive);
}

TEST_F(SyntheticWebTest, ThousandsOfFetchesAtOnceEachEndOnce) {
  options_.first_byte_timeout = std::chrono::seconds(4);
  options_.slow_after = std::chrono::seconds(2);
  options_.tls_timeout = std::chrono::seconds(4);  // its hosts of TLS are asked on the plain port
  WebOptions web{.hosts = 200, .pages_per_host = 10, .page_bytes = 4000, .links_per_page = 10};
  web.troubles = synthetic::AllTroubles();
  web.faulty_hosts = 1;
  web.faulty_pages = 0.5;
  web.bomb_bytes = 16 << 20;
  Serve(web);
  size_t count = 0;
  for (uint32_t page = 0; page < 10; ++page) {
    for (uint32_t host = 0; host < 200; ++host) {
      fetcher().Fetch(FetchId(count++), {.url = Url(host, page)});
    }
  }
  RunUntil(count);
  std::map<std::string, int> outcomes;
  for (const auto& [id, result] : collector_.fetched) ++outcomes[OutcomeOf(result)];
  EXPECT_GT(outcomes["200"], 0);
  for (const char* outcome : {"reset", "protocol", "429", "503", "timeout_first_byte", "too_slow",
                              "encoding", "too_large", "timeout_tls"}) {
    EXPECT_GT(outcomes[outcome], 0) << outcome;
  }
}

TEST_F(SyntheticWebTest, AProxyIsSentWholeUrlsAndItsConnectionsServeAllHosts) {
  Serve({});
  network_.hosts.clear();
  network_.proxy = fmt::format("http://127.0.0.1:{}", server_->port());
  const FetchResult page = Fetch(Url(3, 1));
  EXPECT_EQ(page.body, BodyOf(3, 1));
  EXPECT_TRUE(page.request_head.starts_with("GET http://h3.site3.test/"));
  EXPECT_TRUE(page.address.empty());
  EXPECT_TRUE(Fetch(Url(4, 1)).kept_alive);
  EXPECT_EQ(Outcome("http://nobody.test/"), "502");
  EXPECT_EQ(server_->stats().connections, 1u);
  // The proxy would do it; it is not asked.
  EXPECT_EQ(Outcome("http://169.254.169.254/latest/meta-data/"), "private_address");
}

TEST_F(SyntheticWebTest, AProxyThatIsNotThereIsTheProxysFailure) {
  Serve({});
  network_.proxy = fmt::format("http://127.0.0.1:{}", server_->port());
  const std::string url = Url(3, 1);
  fetcher();
  server_->Stop();
  EXPECT_EQ(Outcome(url), "proxy");
}

TEST_F(SyntheticWebTest, TlsReachesItsHostByATunnelAndDirectly) {
  for (const bool by_proxy : {true, false}) {
    ServeTls({.https_hosts = 1}, by_proxy);
    const FetchResult page = Fetch(Url(3, 1));
    EXPECT_EQ(OutcomeOf(page), "200") << page.message;
    EXPECT_EQ(page.body, BodyOf(3, 1));
    EXPECT_EQ(page.tls_error, "");
    EXPECT_GT(page.times.tls, Duration());
    EXPECT_TRUE(Fetch(Url(3, 2)).kept_alive);
    EXPECT_EQ(fetcher().stats().tls_handshakes, 1u);
    network_.proxy.clear();
  }
}

TEST_F(SyntheticWebTest, ATlsSessionIsResumedForItsHostOnly) {
  options_.max_idle = 0;
  ServeTls({.https_hosts = 1}, false);
  Fetch(Url(3, 1));
  EXPECT_EQ(OutcomeOf(Fetch(Url(3, 2))), "200");
  EXPECT_EQ(fetcher().stats().tls_resumed, 1u);
  Fetch(Url(4, 1));
  EXPECT_EQ(fetcher().stats().tls_resumed, 1u);
  EXPECT_EQ(fetcher().stats().tls_handshakes, 3u);
}

TEST_F(SyntheticWebTest, BadCertificatesEndAFetchOrAreNoted) {
  const std::pair<Fault, std::string> cases[] = {
      {Fault::kCertificateExpired, "certificate has expired"},
      {Fault::kCertificateName, "hostname mismatch"},
      {Fault::kCertificateSelfSigned, "self-signed certificate"}};
  for (const auto& [fault, complaint] : cases) {
    options_.verify_certificates = true;
    ServeTls(Only(fault), false);
    const FetchResult refused = Fetch(Url(3, 1));
    EXPECT_EQ(OutcomeOf(refused), "tls_certificate");
    EXPECT_EQ(refused.tls_error, complaint);
    EXPECT_EQ(server_->stats().requests, 0u) << "nothing is asked of whom is not trusted";
    options_.verify_certificates = false;
    fetcher_.reset();
    // Also over the connection that is kept, and in a session that is resumed.
    for (int i = 0; i < 2; ++i) {
      const FetchResult noted = Fetch(Url(3, 1));
      EXPECT_EQ(OutcomeOf(noted), "200");
      EXPECT_EQ(noted.tls_error, complaint);
    }
  }
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
