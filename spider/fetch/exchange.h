// One fetch on the network: a connection, kept or new; a request; its answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "spider/fetch/answer_reader.h"
#include "spider/fetch/fetch_options.h"
#include "spider/fetch/fetch_result.h"
#include "spider/fetch/fetch_stats.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/handshake_gate.h"
#include "spider/fetch/host_resolver.h"
#include "spider/fetch/idle_pool.h"
#include "spider/fetch/proxy.h"
#include "spider/fetch/tls.h"

namespace boost::asio {
class io_context;
}

namespace orbweaver {

// A socket, TLS over it if there is any, and the other end. Asio's, so it is known to exchange.cc
// only.
struct WebConnection;
struct CloseConnection {
  void operator()(WebConnection* connection) const;
};
using WebConnectionPtr = std::unique_ptr<WebConnection, CloseConnection>;
using WebConnectionPool = IdlePool<WebConnectionPtr>;

// State shared by the exchanges of a fetcher; all of it is the fetcher's and outlives them.
struct ExchangeShared {
  const FetchOptions& options;
  const ContentTypes& types;
  const Clock& clock;
  const Clock& patience;     // for the deadlines of servers
  const Proxy* const proxy;  // nullptr: none
  const std::string& proxy_authorization;
  boost::asio::io_context& io;
  WebTls& tls;
  HandshakeGate& handshakes;
  HostResolver& resolver;
  WebConnectionPool& pool;
  FetchStats& stats;
  // Where all of them read into: nothing waits while it is full.
  std::span<char> buffer;
};

// Place: in HttpFetcher, which finds the addresses, starts it, and looks at its deadlines. From
// Start until `done` it is a coroutine on the io_context that refers to it: it stays where it is.
// Then Begin may use it for the next fetch. Not thread-safe.
class Exchange {
 public:
  explicit Exchange(ExchangeShared& shared)
      : shared_(shared), answer_(shared.options, shared.types) {}

  // Its time runs from here.
  void Begin(FetchId id, const FetchRequest& request);

  // At one of `addresses`, which are tried in turn. Calls `done` when result says what came of it.
  void Start(std::vector<IpAddress> addresses, uint16_t port, std::function<void()> done);

  void Fail(FailureCause cause, std::string message);
  // After done, or instead of Start: nothing of it is open any more, its time is told, and what it
  // keeps of the request has no secrets.
  void End();

  // Ends what takes too long: done comes soon after. Some times a second; `now` is of
  // ExchangeShared::patience. An answer that has come is looked at first, however late.
  void CheckDeadlines(SteadyTime now);

  // Frees and empties what the last fetch has left, but keeps memory for the next. False: it has
  // grown too large to be kept.
  bool Recycle();

  FetchResult result;
  FetchUrl url;  // views into what Begin was given, kept here; set by the fetcher
  const std::string& url_text() const { return url_text_; }
  size_t secrets_at = 0;  // in result.request_head, as RequestHead::Write says
  size_t place = 0;       // among the fetcher's
  // It has a connection, or is making one.
  bool connected() const { return connection_ != nullptr; }
  // The request goes to a proxy, which makes it another's; a tunnel's goes to the host.
  bool IsForProxy() const {
    return shared_.proxy != nullptr && shared_.proxy->kind == Proxy::Kind::kHttp && !url.https;
  }

 private:
  struct Network;  // the coroutines

  void Arm(FailureCause cause, Duration timeout);
  void FailExpired(std::string_view step);
  void FailLost(const std::string& why);
  void OnFirstByte(SteadyTime sent);
  // Why it is too late; nullopt: it is not.
  std::optional<FailureCause> LateBy(SteadyTime now) const;
  void LeaveHandshake();
  std::string_view PoolKey() const;

  ExchangeShared& shared_;
  AnswerReader answer_;

  // The request.
  std::string url_text_;
  FetchRequest request_;  // without its views
  std::vector<IpAddress> addresses_;
  uint16_t port_ = 0;
  std::function<void()> done_;

  WebConnectionPtr connection_;
  bool in_handshake_ = false;  // counted by the gate
  SteadyTime began_;
  SteadyTime first_byte_;  // zero: none yet
  uint64_t received_ = 0;

  // The deadlines that CheckDeadlines compares with the clock, of ExchangeShared::patience.
  SteadyTime deadline_;
  SteadyTime step_deadline_;
  FailureCause step_cause_ = FailureCause::kTimeoutTotal;
  bool expired_ = false;
  short waits_for_ = 0;      // of poll()
  bool is_late_ = false;     // at the last look
  bool has_looked_ = false;  // at its socket, since it is late
};

}  // namespace orbweaver
