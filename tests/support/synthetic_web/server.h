// The synthetic web on a port of this machine: as a proxy, or as all of its hosts at once.
//
//   ASSIGN_OR_RETURN(auto server, Server::Start(web_options, {}));
//   … a crawler with --proxy http://127.0.0.1:<server->port()> …
//   EXPECT_TRUE(server->Check(seeds).value().equal());
//   EXPECT_TRUE(server->verdict().polite());
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "tests/support/synthetic_web/comparison.h"
#include "tests/support/synthetic_web/judge.h"
#include "tests/support/synthetic_web/reachable.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::synthetic {

struct ServerOptions {
  // 0.0.0.0 serves every address of 127.0.0.0/8, for crawlers that resolve the web's names by
  // Web::HostsFile.
  std::string listen = "127.0.0.1";
  int port = 0;  // 0: any free one
  // TLS without CONNECT; the certificate follows from the name that the client sends (SNI).
  int tls_port = 0;
  // Lets URLs name the ports above, for crawlers without a proxy.
  bool ports_in_urls = false;
  // Serve also connections that come from other machines (containers).
  bool allow_remote = false;
  std::string log_file;  // VisitRecorder; empty: none
  JudgeOptions judge;
  size_t max_connections = 20'000;
  size_t max_header_bytes = 16 << 10;
  Duration idle_timeout = std::chrono::seconds(60);
};

struct ServerStats {
  uint64_t connections = 0;
  uint64_t open_connections = 0;
  uint64_t requests = 0;
  uint64_t sent_bytes = 0;
  uint64_t tls_handshakes = 0;
  uint64_t tls_failures = 0;
  uint64_t refused_requests = 0;  // not understood
  uint64_t aborted_answers = 0;   // the client went away
  double cpu_s = 0;               // of the server's thread; a second old while it runs
};

void WriteJson(const ServerStats& stats, JsonWriter* json);

// Knows its hosts by the name in the request: an absolute target, as a proxy gets it, CONNECT and
// the name within, or the Host header. Forwards nothing: for other hosts it says 502. Requests for
// `/-/…` of no host of the web are for the server itself: `/-/stats`, `/-/judge`, `/-/version/N`,
// and `/-/client-died/MS`, as Judge::ClientDied, for what was told in the last so many
// milliseconds.
//
// One thread from Start to Stop. All methods are thread-safe but Stop and the destructor.
class Server {
 public:
  // Fatal when an option is out of its bounds, a port is taken or the log cannot be written.
  static absl::StatusOr<std::unique_ptr<Server>> Start(WebOptions web, const ServerOptions& server);
  ~Server();

  // Cuts what is being sent. Idempotent; what was recorded can be asked for after it.
  void Stop();

  int port() const;
  int tls_port() const;
  const Web& web() const;

  // The authority of the good certificates, as PEM.
  const std::string& authority_pem() const;

  ServerStats stats() const;
  Verdict verdict() const;
  // Of a registered domain; nullopt when it had no two requests.
  std::optional<Duration> LeastDomainInterval(std::string_view domain) const;
  // How often a canonical URL was requested.
  uint32_t RequestsOf(std::string_view url) const;
  // Compares the requests with the URLs that are reachable from `seeds`. Fatal for a seed of no
  // host here.
  absl::StatusOr<Comparison> Check(std::span<const std::string> seeds,
                                   const ReachOptions& options = {}) const;

  // From now on the content of some pages is another.
  void SetVersion(uint32_t version);
  void SetHostVersion(uint32_t host, uint32_t version);

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace orbweaver::synthetic
