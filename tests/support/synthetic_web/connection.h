// One client of the server: reads its requests, and sends the answers as the web says they travel.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "tests/support/synthetic_web/certificates.h"
#include "tests/support/synthetic_web/http_request.h"
#include "tests/support/synthetic_web/transport.h"
#include "tests/support/synthetic_web/visit_recorder.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::synthetic {

// Counted by the server's thread, read by any.
struct ServerCounters {
  std::atomic<uint64_t> connections{0};
  std::atomic<uint64_t> open_connections{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> sent_bytes{0};
  std::atomic<uint64_t> tls_handshakes{0};
  std::atomic<uint64_t> tls_failures{0};
  std::atomic<uint64_t> refused_requests{0};  // not understood
  std::atomic<uint64_t> aborted_answers{0};   // the client went away
  std::atomic<double> cpu_s{0};               // of the thread, as of the last second
};

// State shared by all connections of a server; used by its thread only.
struct ConnectionService {
  const Web& web;
  VisitRecorder& recorder;
  Certificates& certificates;
  ServerCounters& counters;
  // Answers requests for `/-/…` that are addressed to the server itself: status and JSON.
  std::function<int(std::string_view target, std::string* body)> admin;
  size_t max_header_bytes = 0;

  // The server has seen everything that clients did before this time. An answer that a client broke
  // off is over since then: a busy server notices it later than it happened, and the client must
  // not be blamed.
  SteadyTime seen_up_to = {};

  // Memory from request to request.
  HttpRequest request = {};
  Answer answer = {};
  std::string head = {};
  std::vector<char> buffer = std::vector<char>(64 << 10);
};

// Place: in the server's event loop, which calls it when its socket or its timer is ready and does
// what it then wants. Holds no more than the unsent part of one answer and one request's header.
// Not thread-safe.
class Connection {
 public:
  struct Wants {
    bool close = false;
    bool read = false;
    bool write = false;  // neither: only to hear that the client went away
    std::optional<SteadyTime> timer;
  };

  // Takes the socket over. `tls`: the client begins with a handshake.
  Connection(ConnectionService& service, int socket_fd, uint64_t id, bool tls);
  // A request that is not answered to its end is recorded as aborted.
  ~Connection();

  int fd() const { return transport_.fd(); }

  // A request has come whose answer is not yet on its way in full.
  bool answering() const { return visit_ != 0; }

  Wants OnReady();
  Wants OnTimer();
  // The client has closed its side.
  Wants OnHangup();

  // Since when nothing has come from the client that it has to send, or it has not taken what it
  // was sent; nullopt while it is we who let it wait.
  std::optional<SteadyTime> IdleSince() const;

 private:
  enum class State : uint8_t {
    kHandshake,
    kReading,
    kWaiting,   // to send at timer_at_
    kSending,   // what the socket did not take
    kDripping,  // a piece at each timer
    kHanging,
  };
  enum class Afterwards : uint8_t { kReadOn, kClose, kReset, kTunnel };

  Wants Run();
  bool ReadRequest(Wants* wants);
  bool Consume(std::string_view bytes, Wants* wants);
  void Handle();
  void OpenTunnel();
  void Deliver(const Answer& answer, SteadyTime now);
  void Refuse(int status);
  // Sends `head` and `body` now as far as the socket takes them, the rest later.
  void Send(std::string_view head, std::string_view body);
  void SendPending();
  void Finish();
  void EndVisit(int status, SteadyTime at);
  bool ReadyToWait() const;
  Wants WantsNow() const;

  ConnectionService& service_;
  const uint64_t id_;
  Transport transport_;

  State state_;
  bool closing_ = false;
  Afterwards afterwards_ = Afterwards::kReadOn;
  SteadyTime last_progress_;
  SteadyTime timer_at_{};
  std::string input_;  // the beginning of a request
  std::string tunnel_host_;
  bool tunnel_tls_ = false;

  std::string pending_;  // of an answer; sent up to sent_, and allowed to be sent up to allowed_
  size_t sent_ = 0;
  size_t allowed_ = 0;
  size_t piece_bytes_ = 0;
  Duration piece_pause_{};

  uint64_t visit_ = 0;  // 0: none
  SteadyTime arrived_at_{};
  int status_ = 0;
  std::optional<std::chrono::seconds> retry_after_;
  SteadyTime last_write_at_{};
};

}  // namespace orbweaver::synthetic
