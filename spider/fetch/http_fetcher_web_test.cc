// The fetcher on the synthetic web, with every fault that it knows. Servers that misbehave in other
// ways are in http_fetcher_test.cc.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <set>
#include <utility>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/http_fetcher_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/synthetic_web/server.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using synthetic::Fault;
using synthetic::Place;
using synthetic::Server;
using synthetic::WebOptions;

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

// They stand in one file, or each in a file that is called by its name's hash.
TEST_F(SyntheticWebTest, TheSystemsAuthoritiesAreTrustedWhereNoneAreNamed) {
  ServeTls({.https_hosts = 1}, false);
  const std::string file = std::exchange(options_.authorities_file, "");
  for (const bool by_hash : {false, true}) {
    const ScratchFolder hashed;
    if (by_hash) {
      BIO* const bio = BIO_new_mem_buf(server_->authority_pem().c_str(), -1);
      X509* const authority = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
      ASSERT_NE(authority, nullptr);
      std::filesystem::copy_file(
          file, hashed.path() / fmt::format("{:08x}.0", X509_subject_name_hash(authority)));
      X509_free(authority);
      BIO_free(bio);
    }
    setenv("SSL_CERT_FILE", by_hash ? "/none" : file.c_str(), 1);
    setenv("SSL_CERT_DIR", hashed.path().c_str(), 1);
    fetcher_.reset();
    EXPECT_EQ(Outcome(Url(3, 1)), "200") << by_hash;
  }
  setenv("SSL_CERT_DIR", "/none", 1);
  fetcher_.reset();
  EXPECT_EQ(Outcome(Url(3, 1)), "tls_certificate");
  unsetenv("SSL_CERT_FILE");
  unsetenv("SSL_CERT_DIR");
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

}  // namespace
}  // namespace orbweaver
