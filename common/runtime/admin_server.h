// The HTTP server that every process has, for people, probes and Prometheus.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"

namespace orbweaver {

// Whether only this machine reaches the IP address; false for anything else.
bool IsLoopback(const std::string& address);

struct AdminServerOptions {
  std::string listen = "127.0.0.1";  // an IP address
  int port = 0;                      // 0: any free one
  // How the user chooses another address; said where this one cannot be had.
  std::string address_option = "admin.listen or admin.port";
  // Limits of a request; a larger one is answered 431 or 413 and its connection closed.
  uint32_t max_header_bytes = 8 << 10;
  uint64_t max_body_bytes = 64 << 10;
  // When more come, those whose clients have been waited for longest are closed.
  size_t max_connections = 64;
  size_t max_connections_per_address = 16;
  // Of requests with another method than GET or HEAD, the one that runs and those that wait for it;
  // more are answered 503.
  int max_calls = 8;
  // GET and HEAD of paths that begin with this may take long too, and never keep a probe waiting.
  // So many may run or wait; more are answered 503. Empty: there are none.
  std::string slow_reads;
  int max_slow_reads = 64;
  // Accepted host names besides addresses and localhost (host_check.h); other names are answered
  // 421.
  std::vector<std::string> hosts;
  // Files with a chain of certificates and its private key, PEM; both empty: HTTP without TLS. They
  // are read by Start, and again when they have changed (admin_tls.h).
  std::string tls_certificate;
  std::string tls_key;
  // A request must have come whole within this, an answer have been taken within this again; an
  // idle connection is closed after it.
  Duration timeout = std::chrono::seconds(10);
};

// Place: one in a process's main, in front of an AdminSite. HTTP/1.1 (RFC 9112) with keep-alive and
// pipelining. Start and Stop are called by one thread.
//
// GET and HEAD are answered by a thread that does nothing else, so that probes and Prometheus are
// answered at any time; slow reads by another one, of low priority, and all other methods by a
// third, each in the order in which they come.
class AdminServer {
 public:
  // Called on three threads: on one for GET and HEAD, which should take milliseconds, on the others
  // for slow reads and for all else, which may take long. One call at a time on each.
  using Handler = std::function<AdminResponse(const AdminRequest&)>;

  AdminServer(AdminServerOptions options, Handler handler);
  ~AdminServer();  // stops

  // Binds and serves. Fatal when the address cannot be bound, or TLS not be had. Started already:
  // does nothing.
  absl::Status Start();

  // Waits for a handler that runs, cuts what is being sent, and returns when nothing is served any
  // more. Idempotent; Start may follow.
  void Stop();

  // Where it listens, after a successful Start.
  int port() const;

 private:
  class Impl;  // keeps the HTTP library out of this header

  const AdminServerOptions options_;
  const Handler handler_;
  std::unique_ptr<Impl> impl_;  // while started
};

}  // namespace orbweaver
