// Over the wire, as a client without mercy sees it. Past 400 lines, since each fault is shown once
// and all share the few functions at the beginning.
#include "tests/support/synthetic_web/server.h"

#include <arpa/inet.h>
#include <fstream>
#include <iterator>
#include <map>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/raw_client.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::synthetic {
namespace {

std::unique_ptr<Server> Start(const WebOptions& web, const ServerOptions& options = {}) {
  auto server = Server::Start(web, options);
  EXPECT_OK(server);
  return std::move(server).value();
}

// A web where every page but a home page has its host's fault.
WebOptions Only(Fault fault) {
  WebOptions options{.hosts = 64, .pages_per_host = 40};
  options.troubles.faults.Add(fault);
  options.faulty_hosts = 1;
  options.faulty_pages = 1;
  return options;
}

Place Page(uint32_t host, uint32_t page) {
  return {.host = host, .number = page, .kind = Place::Kind::kPage};
}

Answer Expected(const Web& web, const Ask& ask) {
  Answer answer;
  web.Get(ask, &answer);
  return answer;
}

// As a crawler asks a proxy.
std::string Request(const std::string& url, const std::string& fields = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: ignored\r\n{}\r\n", url, fields);
}

// One request on a connection of its own: all that comes until the server closes it.
std::string Ask(const Server& server, const std::string& url) {
  RawClient client(server.port());
  client.Send(Request(url, "Connection: close\r\n"));
  return client.ReadToEnd();
}

std::string BodyOf(const std::string& response) {
  const size_t head = response.find("\r\n\r\n");
  return head == std::string::npos ? "" : response.substr(head + 4);
}

bool IsWhole(const std::string& response) {
  const size_t length = response.find("Content-Length: ");
  return length != std::string::npos &&
         std::stoul(response.substr(length + 16)) == BodyOf(response).size();
}

TEST(SyntheticWebServer, ServesThePagesOfTheFunctionToAProxysClientAndByTheHostHeader) {
  const auto server = Start({});
  const std::string body = Expected(server->web(), {.place = Page(3, 7)}).body;
  const std::string url = server->web().paths().UrlOf(Page(3, 7));
  const std::string by_proxy = Ask(*server, url);
  EXPECT_TRUE(by_proxy.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(BodyOf(by_proxy), body);

  RawClient client(server->port());
  client.Send("GET " + url.substr(url.find('/', 8)) +
              " HTTP/1.1\r\nHost: h3.site3.test\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(BodyOf(client.ReadToEnd()), body);
  EXPECT_EQ(server->RequestsOf(url), 2u);
}

TEST(SyntheticWebServer, PipelinedRequestsAreAnsweredInOrderOnOneConnection) {
  const auto server = Start({});
  RawClient client(server->port());
  std::string requests, wanted;
  for (uint32_t page = 0; page < 20; ++page) {
    requests += Request(server->web().paths().UrlOf(Page(1, page)),
                        page == 19 ? "Connection: close\r\n" : "");
    wanted += Expected(server->web(), {.place = Page(1, page)}).body;
  }
  client.Send(requests);
  const std::string all = client.ReadToEnd();
  std::string bodies;
  for (size_t at = 0; (at = all.find("\r\n\r\n", at)) != std::string::npos;) {
    at += 4;
    bodies += all.substr(at, all.find("HTTP/1.1 ", at) - at);
  }
  EXPECT_EQ(bodies, wanted);
  EXPECT_EQ(server->stats().connections, 1u);
}

TEST(SyntheticWebServer, UnknownPagesAndHostsAreRefused) {
  const auto server = Start({});
  EXPECT_TRUE(Ask(*server, "http://h1.site1.test/nothing").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(Ask(*server, "http://example.org/").starts_with("HTTP/1.1 502 "));
  EXPECT_TRUE(Ask(*server, "http://h9999.site9.test/").starts_with("HTTP/1.1 502 "));
}

TEST(SyntheticWebServer, HeadHasNoBody) {
  const auto server = Start({});
  RawClient client(server->port());
  client.Send("HEAD http://h1.site1.test/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string response = client.ReadToEnd();
  EXPECT_NE(response.find("Content-Length: "), std::string::npos);
  EXPECT_EQ(BodyOf(response), "");
}

TEST(SyntheticWebServer, TransientFaultsAreAsTheyAreNamedAndThenPass) {
  for (const Fault fault :
       {Fault::kReset, Fault::kShortBody, Fault::kTooManyRequests, Fault::kTooManyRequestsBare,
        Fault::kUnavailable, Fault::kUnavailableBare}) {
    const auto server = Start(Only(fault));
    for (uint32_t page = 1; page <= 6; ++page) {
      const std::string url = server->web().paths().UrlOf(Page(3, page));
      for (int attempt = 0; attempt < 2; ++attempt) {
        const std::string response = Ask(*server, url);
        switch (fault) {
          case Fault::kReset:
          case Fault::kShortBody:
            EXPECT_FALSE(IsWhole(response));
            break;
          case Fault::kTooManyRequests:
          case Fault::kTooManyRequestsBare:
            EXPECT_TRUE(response.starts_with("HTTP/1.1 429 "));
            break;
          default:
            EXPECT_TRUE(response.starts_with("HTTP/1.1 503 "));
        }
        const bool wanted = fault == Fault::kTooManyRequests || fault == Fault::kUnavailable;
        EXPECT_EQ(response.find("Retry-After: ") != std::string::npos, wanted) << NameOf(fault);
      }
      const std::string response = Ask(*server, url);
      EXPECT_TRUE(response.starts_with("HTTP/1.1 200 ")) << NameOf(fault);
      EXPECT_EQ(BodyOf(response),
                Expected(server->web(), {.place = Page(3, page), .attempt = 2}).body);
    }
  }
}

TEST(SyntheticWebServer, LateAndDrippingPagesComeWhole) {
  for (const Fault fault : {Fault::kSlowFirstByte, Fault::kDrip}) {
    WebOptions options = Only(fault);
    options.slow_first_byte = options.drip = std::chrono::milliseconds(50);
    const auto server = Start(options);
    RawClient client(server->port());
    client.Send(Request(server->web().paths().UrlOf(Page(3, 1))) +
                Request(server->web().paths().UrlOf(Page(3, 2)), "Connection: close\r\n"));
    const std::string both = client.ReadToEnd();
    const size_t second = both.find("HTTP/1.1 200 ", 1);
    ASSERT_NE(second, std::string::npos);
    EXPECT_EQ(BodyOf(both.substr(0, second)), Expected(server->web(), {.place = Page(3, 1)}).body);
    EXPECT_EQ(BodyOf(both.substr(second)), Expected(server->web(), {.place = Page(3, 2)}).body);
    EXPECT_EQ(server->verdict()[Breach::kOverlap].count, 0u);
  }
}

TEST(SyntheticWebServer, ARequestThatHangsIsNotAnsweredAndEndsWhenItsClientGoes) {
  const auto server = Start(Only(Fault::kHang));
  RawClient other(server->port());
  {
    RawClient client(server->port());
    client.Send(Request(server->web().paths().UrlOf(Page(3, 1))));
    // Once it has arrived, a request of the same domain overlaps it.
    while (server->RequestsOf(server->web().paths().UrlOf(Page(3, 1))) == 0) {
      std::this_thread::yield();
    }
    other.Send(Request("http://h3.site3.test/"));
    other.ReadThrough("</html>\n");
    EXPECT_EQ(server->verdict()[Breach::kOverlap].count, 1u);
  }
  while (server->stats().aborted_answers == 0) {
    std::this_thread::yield();
  }
  other.Send(Request("http://h3.site3.test/"));
  other.ReadThrough("</html>\n");
  EXPECT_EQ(server->verdict()[Breach::kOverlap].count, 1u);
}

// The server sees it later, and must not blame the client for what it did after its delay.
TEST(SyntheticWebServer, ABrokenOffAnswerIsOverNoLaterThanItsClientWent) {
  constexpr uint32_t kAnswers = 20;
  const ScratchFolder folder;
  const std::string file = folder.path() / "log";
  const auto server = Start(Only(Fault::kHang), {.log_file = file});
  std::map<std::string, SteadyTime> gone;
  for (uint32_t host = 1; host <= kAnswers; ++host) {
    const std::string url = server->web().paths().UrlOf(Page(host, 1));
    {
      RawClient client(server->port());
      client.Send(Request(url));
      while (server->RequestsOf(url) == 0) std::this_thread::yield();
    }
    gone[url] = SystemClock().Now();
  }
  while (server->stats().aborted_answers < kAnswers) std::this_thread::yield();
  server->Stop();
  std::ifstream in(file);
  uint32_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    std::istringstream fields(line);
    Duration::rep arrival = 0, end = 0;
    fields >> arrival >> end;
    EXPECT_LE(end, gone.at(line.substr(line.rfind('\t') + 1)).time_since_epoch().count());
    EXPECT_GE(end, arrival);
  }
  EXPECT_EQ(lines, kAnswers);
}

TEST(SyntheticWebServer, AnEndlessDripGoesOnWithoutEnding) {
  WebOptions options = Only(Fault::kEndlessDrip);
  options.endless_drip_pause = std::chrono::milliseconds(1);
  const auto server = Start(options);
  const std::string body = Expected(server->web(), {.place = Page(3, 1)}).body;
  RawClient client(server->port());
  client.Send(Request(server->web().paths().UrlOf(Page(3, 1))));
  client.ReadThrough("\r\n\r\n" + body.substr(0, 20));
}

TEST(SyntheticWebServer, EncodingsAreGoodBrokenOrABomb) {
  const auto good = Start(Only(Fault::kGzip));
  const std::string page = Ask(*good, good->web().paths().UrlOf(Page(3, 1)));
  EXPECT_NE(page.find("Content-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_LT(page.size(), 10'000u);
  const auto broken = Start(Only(Fault::kBrokenGzip));
  EXPECT_NE(Ask(*broken, broken->web().paths().UrlOf(Page(3, 1))).find("Content-Encoding: gzip"),
            std::string::npos);
  const auto bomb = Start(Only(Fault::kGzipBomb));
  const std::string packed = Ask(*bomb, bomb->web().paths().UrlOf(Page(3, 1)));
  EXPECT_TRUE(IsWhole(packed));
  EXPECT_LT(packed.size(), 100'000u);
}

TEST(SyntheticWebServer, RedirectsLeadToAPageRoundInACircleOrAway) {
  const auto follow = [](const Server& server, std::string url) {
    std::string path;
    for (int hops = 0; hops < 5; ++hops) {
      const std::string response = Ask(server, url);
      const size_t location = response.find("Location: ");
      if (location == std::string::npos) return path + response.substr(9, 3);
      url = response.substr(location + 10, response.find('\r', location) - location - 10);
      path += response[9];
    }
    return path + "...";
  };
  const auto moved = Start(Only(Fault::kRedirect));
  const auto loop = Start(Only(Fault::kRedirectLoop));
  const auto away = Start(Only(Fault::kRedirectAway));
  for (uint32_t page = 1; page < 6; ++page) {
    EXPECT_TRUE(follow(*moved, moved->web().paths().UrlOf(Page(3, page))).ends_with("3200"));
    EXPECT_EQ(follow(*loop, loop->web().paths().UrlOf(Page(3, page))), "33333...");
    EXPECT_NE(Ask(*away, away->web().paths().UrlOf(Page(3, page)))
                  .find("Location: http://h11.site8.test/"),
              std::string::npos);
  }
}

TEST(SyntheticWebServer, UnchangedPagesAre304UntilTheVersionChangesThem) {
  const auto server = Start({});
  uint32_t not_modified = 0;
  for (const uint32_t version : {0, 1}) {
    server->SetVersion(version);
    for (uint32_t page = 0; page < 40; ++page) {
      const Answer first = Expected(server->web(), {.place = Page(1, page)});
      RawClient client(server->port());
      client.Send(Request(server->web().paths().UrlOf(Page(1, page)),
                          fmt::format("Connection: close\r\nIf-None-Match: {}\r\n", first.etag)));
      const std::string response = client.ReadToEnd();
      not_modified += response.starts_with("HTTP/1.1 304 ") && BodyOf(response).empty();
    }
    if (version == 0) EXPECT_EQ(not_modified, 40u);
  }
  EXPECT_GT(not_modified, 50u);
  EXPECT_LT(not_modified, 80u);
}

// A client that trusts the web's own authority. Returns what OpenSSL says of the certificate and
// the response to a request for `url`.
std::pair<std::string, std::string> AskTls(const Server& server, const std::string& host,
                                           bool tunnel) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(tunnel ? server.port() : server.tls_port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  if (tunnel) {
    const std::string request = "CONNECT " + host + ":443 HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    EXPECT_EQ(send(fd, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    const std::string_view wanted = "HTTP/1.1 200 Connection established\r\n\r\n";
    char got[128] = {};
    EXPECT_EQ(recv(fd, got, wanted.size(), MSG_WAITALL), static_cast<ssize_t>(wanted.size()));
    EXPECT_EQ(got, wanted);
  }
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  BIO* const pem = BIO_new_mem_buf(server.authority_pem().data(), -1);
  X509* const authority = PEM_read_bio_X509(pem, nullptr, nullptr, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
  X509_free(authority);
  BIO_free(pem);
  SSL* const ssl = SSL_new(context);
  SSL_set_fd(ssl, fd);
  SSL_set_tlsext_host_name(ssl, host.c_str());
  SSL_set1_host(ssl, host.c_str());
  std::string verdict = "no handshake", response;
  if (SSL_connect(ssl) == 1) {
    verdict = X509_verify_cert_error_string(SSL_get_verify_result(ssl));
    const std::string request = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    SSL_write(ssl, request.data(), static_cast<int>(request.size()));
    char buffer[4096];
    for (int n; (n = SSL_read(ssl, buffer, sizeof buffer)) > 0;) {
      response.append(buffer, static_cast<size_t>(n));
    }
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
  close(fd);
  return {verdict, response};
}

TEST(SyntheticWebServer, TlsHostsHaveGoodCertificatesInATunnelAndOnAPort) {
  const auto server = Start({.https_hosts = 1});
  for (const bool tunnel : {true, false}) {
    const auto [verdict, response] = AskTls(*server, "h3.site3.test", tunnel);
    EXPECT_EQ(verdict, "ok");
    EXPECT_EQ(BodyOf(response), Expected(server->web(), {.place = Page(3, 0)}).body);
  }
  EXPECT_EQ(AskTls(*server, "nobody.test", false).first, "no handshake");
  // A host of TLS has nothing without it.
  EXPECT_TRUE(Ask(*server, "http://h3.site3.test/").starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(server->RequestsOf("https://h3.site3.test/"), 2u);
}

TEST(SyntheticWebServer, BadCertificatesAreBadInTheWayTheyAreNamed) {
  const std::pair<Fault, std::string> cases[] = {
      {Fault::kCertificateExpired, "certificate has expired"},
      {Fault::kCertificateName, "hostname mismatch"},
      {Fault::kCertificateSelfSigned, "self-signed certificate"}};
  for (const auto& [fault, complaint] : cases) {
    const auto server = Start(Only(fault));
    EXPECT_EQ(AskTls(*server, "h3.site3.test", true).first, complaint);
  }
}

TEST(SyntheticWebServer, TunnelsToNobodyAreRefused) {
  const auto server = Start(Only(Fault::kNoSuchHost));
  for (const char* const host : {"h3.site3.test:443", "example.org:443", "h3.site3.test:80"}) {
    RawClient client(server->port());
    client.Send(
        fmt::format("CONNECT {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", host, host));
    EXPECT_TRUE(client.ReadToEnd().starts_with("HTTP/1.1 502 ")) << host;
  }
}

TEST(SyntheticWebServer, RobotsFilesOfEveryKindAreAsTheyAreNamed) {
  const auto robots = [](RobotsKind kind) {
    WebOptions options{.hosts = 64};
    options.troubles.robots.Add(kind);
    options.robots_hosts = 1;
    const auto server = Start(options);
    return Ask(*server, "http://h3.site3.test/robots.txt");
  };
  EXPECT_TRUE(robots(RobotsKind::kForbidden).starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(robots(RobotsKind::kServerError).starts_with("HTTP/1.1 500 "));
  EXPECT_TRUE(robots(RobotsKind::kFailsFirst).starts_with("HTTP/1.1 503 "));
  EXPECT_NE(robots(RobotsKind::kRedirect).find("Location: http://h3.site3.test/robots-hop-1.txt"),
            std::string::npos);
  EXPECT_NE(robots(RobotsKind::kRedirectAway).find("Location: http://h4.site3.test/robots-rules"),
            std::string::npos);
  EXPECT_GT(robots(RobotsKind::kHuge).size(), 1'000'000u);
  EXPECT_NE(robots(RobotsKind::kCrawlDelay).find("Crawl-delay: 1\n"), std::string::npos);
  EXPECT_EQ(BodyOf(robots(RobotsKind::kByteOrderMark)).substr(0, 3), "\xEF\xBB\xBF");
  EXPECT_NE(robots(RobotsKind::kOwnGroup).find("USER-AGENT: ORBWEAVER\n"), std::string::npos);
}

TEST(SyntheticWebServer, GarbageIsRefusedAndHurtsNobodyElse) {
  const auto server = Start(TroubledWeb({}));
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    RawClient client(server->port());
    std::string garbage;
    for (uint64_t n = 1 + random.Below(3000); n > 0; --n) {
      garbage.push_back(static_cast<char>(random.Below(256)));
    }
    if (i % 2 == 0) garbage.insert(0, "GET http://h1.site1.test/ HTTP/1.1\r\n");
    client.Send(garbage);
    client.EndSending();
    client.ReadToEnd();
    RawClient handshake(server->tls_port());
    handshake.Send(garbage);
    handshake.EndSending();
    handshake.ReadToEnd();
  }
  EXPECT_TRUE(Ask(*server, "http://h0.site0.test/").starts_with("HTTP/1.1 200 "));
}

TEST(SyntheticWebServer, AHeaderWithoutEndIsCutAtItsBound) {
  const auto server = Start({}, {.max_header_bytes = 1000});
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x'));
  EXPECT_TRUE(client.ReadToEnd().starts_with("HTTP/1.1 431 "));
}

TEST(SyntheticWebServer, AClientThatDoesNotReadIsNotServedFurther) {
  const auto server = Start({.hosts = 2, .pages_per_host = 2, .page_bytes = 1 << 20});
  RawClient greedy(server->port());
  std::string requests;
  for (int i = 0; i < 60; ++i) requests += Request("http://h0.site0.test/");
  greedy.Send(requests);
  // The others are, and the greedy one has what its sockets hold and one answer more.
  EXPECT_TRUE(IsWhole(Ask(*server, "http://h1.site1.test/")));
  EXPECT_LT(server->RequestsOf("http://h0.site0.test/"), 40u);
  EXPECT_GT(server->RequestsOf("http://h0.site0.test/"), 0u);
}

TEST(SyntheticWebServer, ClientsThatSayNothingAreDroppedAfterAWhile) {
  const auto server = Start({}, {.idle_timeout = std::chrono::milliseconds(1)});
  RawClient silent(server->port());
  RawClient slow(server->port());
  slow.Send("GET / HT");
  EXPECT_EQ(silent.ReadToEnd(), "");
  EXPECT_EQ(slow.ReadToEnd(), "");
}

TEST(SyntheticWebServer, MoreConnectionsThanAllowedWaitForTheirTurn) {
  const auto server = Start({}, {.max_connections = 2});
  auto one = std::make_unique<RawClient>(server->port());
  auto two = std::make_unique<RawClient>(server->port());
  one->Send(Request("http://h0.site0.test/"));
  one->ReadThrough("</html>\n");
  two->Send(Request("http://h0.site0.test/"));
  two->ReadThrough("</html>\n");
  RawClient three(server->port());
  three.Send(Request("http://h1.site1.test/", "Connection: close\r\n"));
  EXPECT_EQ(server->RequestsOf("http://h1.site1.test/"), 0u);
  one.reset();
  EXPECT_TRUE(IsWhole(three.ReadToEnd()));
}

TEST(SyntheticWebServer, TheJudgeFindsPlantedBreaches) {
  WebOptions options{.hosts = 64};
  options.troubles.robots.Add(RobotsKind::kRules);
  options.robots_hosts = 1;
  const auto server = Start(options, {.judge = {.domain_delay = std::chrono::hours(1)}});
  Ask(*server, "http://h3.site3.test/robots.txt");
  Ask(*server, "http://h4.site3.test/robots.txt");
  EXPECT_EQ(server->verdict()[Breach::kTooSoon].count, 1u);
  EXPECT_TRUE(server->LeastDomainInterval("site3.test").has_value());
  EXPECT_FALSE(server->LeastDomainInterval("site4.test").has_value());
  Ask(*server, "http://h0.site0.test/");
  EXPECT_EQ(server->verdict()[Breach::kBeforeRobots].count, 1u);
  for (uint32_t page = 1; page < 40; ++page) {
    if (server->web().IsAllowed(Page(3, page))) continue;
    Ask(*server, server->web().paths().UrlOf(Page(3, page)));
    break;
  }
  EXPECT_EQ(server->verdict()[Breach::kAgainstRobots].count, 1u);
}

TEST(SyntheticWebServer, ChecksWhatWasRequestedAgainstWhatIsReachable) {
  WebOptions options = TroubledWeb({.hosts = 60, .pages_per_host = 5, .page_bytes = 2000});
  options.links_per_page = 10;
  for (const Fault fault : {Fault::kHang, Fault::kEndlessDrip, Fault::kCertificateName,
                            Fault::kCertificateExpired, Fault::kCertificateSelfSigned}) {
    options.troubles.faults.Remove(fault);
  }
  options.slow_first_byte = options.drip = Duration{};
  const auto server = Start(options);
  const std::vector<std::string> seeds = server->web().Seeds(5);
  const auto reachable = Reachable::Compute(server->web(), seeds, {});
  ASSERT_OK(reachable);
  EXPECT_FALSE(server->Check(seeds)->equal());
  std::string last;
  reachable->ForEach([&](const Place& place, Outcome outcome) {
    if (!ReachesServer(outcome)) return;
    last = server->web().paths().UrlOf(place);
    for (uint32_t i = 0; i <= server->web().FailuresBefore(place); ++i) Ask(*server, last);
  });
  auto check = server->Check(seeds);
  ASSERT_OK(check);
  EXPECT_TRUE(check->equal());
  EXPECT_EQ(check->repeated, 0u);
  Ask(*server, last);
  EXPECT_EQ(server->Check(seeds)->repeated, 1u);
}

TEST(SyntheticWebServer, TheLogHasALineForEachRequest) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "log.tsv";
  auto server = Start({}, {.log_file = file});
  Ask(*server, "http://h3.site3.test/robots.txt");
  Ask(*server, "http://h3.site3.test/");
  Ask(*server, "http://example.org/x");
  server->Stop();
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("\t404\t1\t127.0.1."), std::string::npos);
  EXPECT_TRUE(
      lines[0].ends_with("\tsite3.test\th3.site3.test\trobots\thttp://h3.site3.test/robots.txt"));
  EXPECT_TRUE(lines[1].ends_with("\tsite3.test\th3.site3.test\t-\thttp://h3.site3.test/"));
  EXPECT_TRUE(lines[2].ends_with("\t502\t3\t-\t-\t-\t-\thttp://example.org/x"));
}

TEST(SyntheticWebServer, ItAnswersForItselfUnderItsOwnAddress) {
  const auto server = Start({});
  const std::string own = fmt::format("127.0.0.1:{}", server->port());
  const auto ask = [&](const std::string& target) {
    RawClient client(server->port());
    client.Send("GET " + target + " HTTP/1.1\r\nHost: " + own + "\r\nConnection: close\r\n\r\n");
    return client.ReadToEnd();
  };
  EXPECT_NE(ask("/-/stats").find("\"requests\":0"), std::string::npos);
  EXPECT_NE(ask("/-/judge").find("\"polite\":true"), std::string::npos);
  EXPECT_NE(ask("/-/version/3").find("\"version\":3"), std::string::npos);
  EXPECT_TRUE(ask("/-/version/x").starts_with("HTTP/1.1 400 "));
  EXPECT_NE(ask("/-/client-died/100").find("\"not_minded_ms\":100"), std::string::npos);
  EXPECT_TRUE(ask("/-/client-died/").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(ask("/-/other").starts_with("HTTP/1.1 404 "));
}

TEST(SyntheticWebServer, UrlsCanNameItsPortsAndAnyLoopbackAddressServes) {
  const auto server = Start({.https_hosts = 0.5}, {.listen = "0.0.0.0", .ports_in_urls = true});
  const std::string port = fmt::format(":{}/", server->port());
  uint32_t named = 0;
  for (const std::string& seed : server->web().Seeds(100)) {
    named += seed.starts_with("http:") && seed.find(port) != std::string::npos;
    EXPECT_TRUE(server->web().paths().FindUrl(seed).has_value());
  }
  EXPECT_GT(named, 20u);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(server->port()));
  inet_pton(AF_INET, "127.0.1.77", &address.sin_addr);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string request = "GET /-/stats HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(send(fd, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  char got[12];
  EXPECT_EQ(recv(fd, got, sizeof got, MSG_WAITALL), 12);
  EXPECT_EQ(std::string(got, 12), "HTTP/1.1 200");
  close(fd);
}

TEST(SyntheticWebServer, StopCutsWhatIsOpenAndMayBeCalledTwice) {
  const auto server = Start(Only(Fault::kHang));
  RawClient hanging(server->port());
  hanging.Send(Request(server->web().paths().UrlOf(Page(3, 1))));
  while (server->RequestsOf(server->web().paths().UrlOf(Page(3, 1))) == 0) {
    std::this_thread::yield();
  }
  server->Stop();
  server->Stop();
  EXPECT_EQ(hanging.ReadToEnd(), "");
  EXPECT_EQ(server->stats().aborted_answers, 1u);
}

TEST(SyntheticWebServer, APortThatIsTakenIsAnErrorThatSaysSo) {
  const auto server = Start({});
  const auto second = Server::Start({}, {.port = server->port()});
  EXPECT_TRUE(IsFatal(second.status()));
  EXPECT_NE(second.status().message().find(std::to_string(server->port())),
            absl::string_view::npos);
}

}  // namespace
}  // namespace orbweaver::synthetic
