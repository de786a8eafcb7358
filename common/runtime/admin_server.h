// The HTTP server that every process has, for people, probes and Prometheus.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"

namespace orbweaver {

struct AdminServerOptions {
  std::string listen = "127.0.0.1";  // an IP address
  int port = 0;                      // 0: any free one
  // What a request must fit into, else it is answered 431 or 413 and the connection closed.
  uint32_t max_header_bytes = 8 << 10;
  uint64_t max_body_bytes = 64 << 10;
  // More connections at a time are closed as they come.
  int max_connections = 64;
  // A request must have come whole within this, an answer have been taken within this again; an
  // idle connection is closed after it.
  Duration timeout = std::chrono::seconds(10);
};

// Place: one in a process's main, in front of an AdminSite. HTTP/1.1 (RFC 9112) with keep-alive and
// pipelining, on one thread of its own. Start and Stop are called by one thread.
class AdminServer {
 public:
  // Called on the server's thread, one call at a time; while it runs nobody else is served.
  using Handler = std::function<AdminResponse(const AdminRequest&)>;

  AdminServer(AdminServerOptions options, Handler handler);
  ~AdminServer();  // stops

  // Binds and serves. Fatal when the address cannot be bound. Started already: does nothing.
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
