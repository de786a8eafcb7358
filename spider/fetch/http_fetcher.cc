// The network's side of fetching, all of it that is coroutines: what they share are Asio's types,
// which no header of ours names.
#include "spider/fetch/http_fetcher.h"

#include <array>
#include <charconv>
#include <deque>
#include <exception>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/domain.h"
#include "spider/fetch/address_policy.h"
#include "spider/fetch/answer_reader.h"
#include "spider/fetch/dns_client.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/host_resolver.h"
#include "spider/fetch/idle_pool.h"
#include "spider/fetch/request_head.h"
#include "spider/fetch/tls.h"

namespace orbweaver {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Concrete types instead of any_io_executor: a third less CPU a request.
using Executor = asio::io_context::executor_type;
template <typename T>
using Awaitable = asio::awaitable<T, Executor>;
using Socket = asio::basic_stream_socket<tcp, Executor>;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable_t<Executor>());

// How often all that runs is held against its deadlines: one look instead of a timer a connection.
constexpr auto kTick = std::chrono::milliseconds(50);
// Read at once. One buffer serves all connections, since nothing waits while it is full.
constexpr size_t kReadBytes = size_t{64} << 10;
// After this many fetches or handlers Run tells what has finished, so that bodies do not pile up.
constexpr size_t kFinishedAtOnce = 16;
constexpr size_t kHandlersAtOnce = 256;
// Finished fetches whose memory is kept for new ones, and how much of each.
constexpr size_t kSpareFetches = 64;
constexpr size_t kSpareBodyBytes = size_t{256} << 10;

// A socket, TLS over it if there is any, and the other end.
struct Connection {
  Connection(asio::io_context& io, const IpAddress& to) : socket(io), address(to) {}

  Socket socket;
  std::unique_ptr<TlsStream> tls;
  IpAddress address;
};

tcp::endpoint EndpointOf(const IpAddress& address, uint16_t port) {
  if (address.is_v4()) {
    asio::ip::address_v4::bytes_type bytes;
    std::ranges::copy(address.bytes(), bytes.begin());
    return {asio::ip::address_v4(bytes), port};
  }
  asio::ip::address_v6::bytes_type bytes;
  std::ranges::copy(address.bytes(), bytes.begin());
  return {asio::ip::address_v6(bytes), port};
}

IpAddress AddressOf(const asio::ip::address& address) {
  if (address.is_v4()) return IpAddress(address.to_v4().to_bytes());
  return IpAddress(address.to_v6().to_bytes());
}

FailureCause CauseOf(const error_code& error) {
  namespace e = asio::error;
  if (error == e::connection_refused) return FailureCause::kRefused;
  if (error == e::connection_reset || error == e::connection_aborted || error == e::broken_pipe) {
    return FailureCause::kReset;
  }
  if (error == e::timed_out) return FailureCause::kTimeoutConnect;
  if (error == e::network_unreachable || error == e::host_unreachable ||
      error == e::access_denied || error == e::network_down) {
    return FailureCause::kUnreachable;
  }
  return FailureCause::kUnspecified;
}

// One fetch from Fetch to OnFetched. Stays where it is: its coroutine refers to it.
struct Running {
  Running(const FetchOptions& options, const ContentTypes& types) : answer(options, types) {}

  FetchResult result;
  AnswerReader answer;

  // What was asked for.
  std::string url;
  FetchUrl parts;        // views into url
  FetchRequest request;  // without its views
  std::vector<IpAddress> addresses;
  uint16_t port = 0;

  std::optional<Connection> connection;
  SteadyTime began;
  SteadyTime first_byte;  // zero: none yet
  uint64_t received = 0;

  // What ends it, as the next tick sees it.
  SteadyTime deadline;
  SteadyTime step_deadline;
  FailureCause step_cause = FailureCause::kTimeoutTotal;
  bool expired = false;
  size_t place = 0;  // in running_

  void Arm(FailureCause cause, Duration timeout, SteadyTime now) {
    step_cause = cause;
    step_deadline = now + timeout;
  }
  void Disarm() { step_deadline = SteadyTime::max(); }

  void Fail(FailureCause cause, std::string message) {
    result.failure = cause;
    result.message = std::move(message);
  }
};

}  // namespace

class HttpFetcher::Impl {
 public:
  Impl(const NetworkOptions& network, const FetchOptions& options, AddressPolicy policy)
      : network_(network),
        options_(options),
        policy_(std::move(policy)),
        types_(options.content_types),
        request_head_(options),
        work_(io_.get_executor()),
        pool_({.max_idle = options.max_idle,
               .max_per_key = network.proxy.empty() ? options.max_idle_per_host : options.max_idle,
               .idle_timeout = options.idle_timeout}) {}

  absl::Status Open() {
    ASSIGN_OR_RETURN(tls_, WebTls::Create(options_));
    ASSIGN_OR_RETURN(
        dns_,
        DnsClient::Create(network_, io_, [this](const std::string& name, const DnsAnswer& answer) {
          resolver_->OnAnswer(name, answer);
        }));
    ASSIGN_OR_RETURN(resolver_,
                     HostResolver::Create(network_, policy_, clock_,
                                          [this](const std::string& name) { dns_->Ask(name); }));
    return network_.proxy.empty() ? absl::OkStatus() : FindProxy();
  }

  void Resolve(FetchId id, std::string_view host) {
    if (HasProxy() && !IsIpAddress(host)) {
      resolved_.push_back({.id = id, .found = {}, .took = {}});
      return;
    }
    resolver_->Find(host, [this, id](const HostAddresses& found, Duration took) {
      resolved_.push_back({.id = id, .found = found, .took = took});
    });
  }

  void Fetch(FetchId id, const FetchRequest& request) {
    Running& x = Begin(id, request);
    const std::optional<FetchUrl> parts = SplitFetchUrl(x.url);
    if (!parts) return End(x, FailureCause::kBadUrl, "not a URL to fetch");
    x.parts = *parts;
    x.port = parts->port;
    if (!policy_.AllowsPort(x.port)) {
      return End(x, FailureCause::kPort, fmt::format("port {} is not among network.ports", x.port));
    }
    request_head_.Write(x.parts, request, HasProxy() && !x.parts.https, &x.result.request_head);
    if (HasProxy()) return StartByProxy(x);
    if (!request.address.empty()) {
      if (!policy_.Allows(request.address)) return EndAsPrivate(x, request.address);
      if (const uint16_t port = resolver_->PortOf(x.parts.host); port != 0) x.port = port;
      x.addresses.assign(1, request.address);
      return Start(x);
    }
    resolver_->Find(x.parts.host, [this, &x](const HostAddresses& found, Duration took) {
      x.result.times.dns = took;
      if (found.failure) return End(x, *found.failure, found.message);
      x.addresses = found.addresses;
      if (found.port != 0) x.port = found.port;
      Start(x);
    });
  }

  void Run(SteadyTime until, FetchListener& listener) {
    for (;;) {
      size_t handled = 0;
      while (handled < kHandlersAtOnce && finished_.size() < kFinishedAtOnce &&
             io_.poll_one() > 0) {
        ++handled;
      }
      const SteadyTime now = clock_.Now();
      if (now >= next_tick_) Tick(now);
      const bool told = Tell(listener);
      if (std::exchange(woken_, false) || told || now >= until) return;
      if (handled == 0) io_.run_one_until(std::min(until, next_tick_));
    }
  }

  void Wake() {
    asio::post(io_, [this] { woken_ = true; });
  }

  FetchStats stats() const {
    FetchStats stats = stats_;
    stats.dns_queries = resolver_->asked();
    stats.dns_hits = resolver_->known();
    stats.idle_connections = pool_.size();
    stats.running = running_.size();
    return stats;
  }

 private:
  struct Resolved {
    FetchId id;
    HostAddresses found;
    Duration took;
  };

  bool HasProxy() const { return proxy_port_ != 0; }

  // Its name is looked up once, as a part of this machine's own configuration.
  absl::Status FindProxy() {
    const auto fail = [&](std::string_view why) {
      return FatalError("network.proxy '{}': {}. Write it as http://HOST:PORT.", network_.proxy,
                        why);
    };
    const std::string url = network_.proxy + (network_.proxy.ends_with('/') ? "" : "/");
    const std::optional<FetchUrl> parts = SplitFetchUrl(url);
    if (!parts || parts->https || parts->target != "/") return fail("no URL of a proxy");
    std::string host(parts->host);
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    error_code error;
    const auto found = tcp::resolver(io_).resolve(host, std::to_string(parts->port), error);
    if (error || found.empty()) return fail(error.message());
    proxy_address_ = AddressOf(found.begin()->endpoint().address());
    proxy_port_ = parts->port;
    return absl::OkStatus();
  }

  // ---- from Fetch to the coroutine, and from there to OnFetched

  Running& Begin(FetchId id, const FetchRequest& request) {
    std::unique_ptr<Running> x;
    if (spare_.empty()) {
      x = std::make_unique<Running>(options_, types_);
    } else {
      x = std::move(spare_.back());
      spare_.pop_back();
    }
    x->url.assign(request.url);
    x->request = {.url = {},
                  .address = request.address,
                  .max_body_bytes = request.max_body_bytes,
                  .any_type = request.any_type};
    x->result.id = id;
    x->result.started_at = clock_.Wall();
    x->began = clock_.Now();
    x->deadline = x->began + options_.total_timeout;
    x->Disarm();
    x->place = running_.size();
    running_.push_back(std::move(x));
    return *running_.back();
  }

  void StartByProxy(Running& x) {
    // What a name leads to is for the proxy to restrict; what a URL says itself is seen here.
    if (const std::optional<IpAddress> address = IpAddress::Parse(x.parts.host);
        address && !policy_.Allows(*address)) {
      return EndAsPrivate(x, *address);
    }
    x.addresses.assign(1, proxy_address_);
    x.port = proxy_port_;
    Start(x);
  }

  void Start(Running& x) {
    asio::co_spawn(io_, Work(x), [this, &x](const std::exception_ptr& failure) {
      if (failure != nullptr) x.Fail(FailureCause::kUnspecified, Describe(failure));
      End(x);
    });
  }

  static std::string Describe(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      return error.what();
    } catch (...) {
      return "unknown exception";
    }
  }

  void EndAsPrivate(Running& x, const IpAddress& address) {
    End(x, FailureCause::kPrivateAddress, address.Text() + " is no public address");
  }

  void End(Running& x, FailureCause cause, std::string message) {
    x.Fail(cause, std::move(message));
    End(x);
  }

  void End(Running& x) {
    x.connection.reset();
    x.result.times.total = clock_.Now() - x.began;
    std::unique_ptr<Running> owned = std::move(running_[x.place]);
    if (x.place + 1 < running_.size()) {
      running_[x.place] = std::move(running_.back());
      running_[x.place]->place = x.place;
    }
    running_.pop_back();
    finished_.push_back(std::move(owned));
  }

  // Tells what is there now; what the listener begins is for the next time.
  bool Tell(FetchListener& listener) {
    const bool any = !resolved_.empty() || !finished_.empty();
    for (size_t left = resolved_.size(); left > 0; --left) {
      const Resolved resolved = std::move(resolved_.front());
      resolved_.pop_front();
      const HostAddresses& found = resolved.found;
      listener.OnResolved(
          {.id = resolved.id,
           .failure = found.failure,
           .message = found.message,
           .address = found.addresses.empty() ? IpAddress() : found.addresses.front(),
           .took = resolved.took});
    }
    for (size_t left = finished_.size(); left > 0; --left) {
      std::unique_ptr<Running> x = std::move(finished_.front());
      finished_.pop_front();
      listener.OnFetched(x->result);
      Recycle(std::move(x));
    }
    return any;
  }

  void Recycle(std::unique_ptr<Running> x) {
    if (spare_.size() >= kSpareFetches || x->result.body.capacity() > kSpareBodyBytes) return;
    FetchResult fresh;
    for (std::string FetchResult::* const text :
         {&FetchResult::body, &FetchResult::header_text, &FetchResult::request_head,
          &FetchResult::response_head}) {
      (fresh.*text).swap(x->result.*text);
      (fresh.*text).clear();
    }
    fresh.headers.swap(x->result.headers);
    fresh.headers.clear();
    x->result = std::move(fresh);
    x->addresses.clear();
    x->first_byte = {};
    x->received = 0;
    x->expired = false;
    spare_.push_back(std::move(x));
  }

  // ---- deadlines

  void Tick(SteadyTime now) {
    next_tick_ = now + kTick;
    for (const auto& x : running_) {
      if (!x->expired && x->connection.has_value()) Look(*x, now);
    }
    pool_.Expire(now);
    resolver_->Tick();
    dns_->Tick();
  }

  // Its coroutine then finds that what it waited for was cancelled.
  void Look(Running& x, SteadyTime now) {
    if (now >= x.step_deadline) {
      Expire(x, x.step_cause);
    } else if (now >= x.deadline) {
      Expire(x, FailureCause::kTimeoutTotal);
    } else if (x.first_byte != SteadyTime() && now - x.first_byte >= options_.slow_after) {
      const double seconds = std::chrono::duration<double>(now - x.first_byte).count();
      if (static_cast<double>(x.received) <
          seconds * static_cast<double>(options_.min_bytes_per_second)) {
        Expire(x, FailureCause::kTooSlow);
      }
    }
  }

  static void Expire(Running& x, FailureCause cause) {
    x.expired = true;
    x.step_cause = cause;
    error_code ignored;
    x.connection->socket.cancel(ignored);
  }

  // ---- the coroutine of a fetch

  Awaitable<void> Work(Running& x) {
    if (TakeKept(x)) {
      x.result.kept_alive = true;
      ++stats_.kept_alive;
      if (co_await Ask(x)) co_return;
      // The server had ended it meanwhile. A GET may be sent again (RFC 9110, section 9.2.2).
      x.result.failure.reset();
      x.result.message.clear();
      x.result.kept_alive = false;
    }
    if (co_await Connect(x)) co_await Ask(x);
  }

  // All requests that a proxy is sent itself share its connections.
  std::string_view KeyOf(const Running& x) const {
    return HasProxy() && !x.parts.https ? std::string_view("proxy") : x.parts.origin;
  }

  bool TakeKept(Running& x) {
    for (;;) {
      x.connection = pool_.Take(KeyOf(x), [&](const Connection& connection) {
        return x.request.address.empty() || HasProxy() || connection.address == x.request.address;
      });
      if (!x.connection) return false;
      // Whatever can be read of it now, its end above all, is no answer of ours.
      size_t size = 0;
      error_code error;
      if (ReadSome(*x.connection, &size, &error) == TlsStream::Io::kWantRead) return true;
    }
  }

  // False after a failure.
  Awaitable<bool> Connect(Running& x) {
    const SteadyTime began = clock_.Now();
    x.Arm(FailureCause::kTimeoutConnect, options_.connect_timeout, began);
    for (const IpAddress& address : x.addresses) {
      x.connection.emplace(io_, address);
      Socket& socket = x.connection->socket;
      const tcp::endpoint endpoint = EndpointOf(address, x.port);
      error_code error;
      socket.open(endpoint.protocol(), error);
      if (!error) socket.non_blocking(true, error);
      if (!error) socket.set_option(tcp::no_delay(true), error);
      if (!error) std::tie(error) = co_await socket.async_connect(endpoint, kAwait);
      if (x.expired) {
        FailExpired(x, "connect");
        break;
      }
      if (!error) {
        ++stats_.connections;
        x.result.times.connect = clock_.Now() - began;
        x.result.failure.reset();
        x.result.message.clear();
        co_return co_await Prepare(x);
      }
      const std::string text = address.Text();
      x.Fail(HasProxy() ? FailureCause::kProxy : CauseOf(error),
             fmt::format("connect {}:{}: {}", text, x.port, error.message()));
      if (!HasProxy()) {
        x.result.address = address;
        resolver_->Demote(x.parts.host, address);
      }
    }
    co_return false;
  }

  // What a new connection needs before a request.
  Awaitable<bool> Prepare(Running& x) {
    if (!x.parts.https) co_return true;
    if (HasProxy() && !co_await OpenTunnel(x)) co_return false;
    co_return co_await Handshake(x);
  }

  Awaitable<bool> OpenTunnel(Running& x) {
    x.Arm(FailureCause::kProxy, options_.connect_timeout, clock_.Now());
    const std::string request = ConnectHead(x.parts);
    if (!co_await Send(x, request)) co_return false;
    class Nothing : public BodySink {
      bool TakePiece(std::string_view) override { return false; }
    } nothing;
    ResponseReader reader(options_.max_header_bytes);
    reader.Begin(/*no_body=*/true);
    auto event = ResponseReader::Event::kMore;
    std::string_view bytes;
    while (event == ResponseReader::Event::kMore) {
      size_t size = 0;
      error_code error;
      const TlsStream::Io io = ReadSome(*x.connection, &size, &error);
      if (io == TlsStream::Io::kWantRead) {
        if (!co_await WaitFor(x, io)) {
          FailExpired(x, "open tunnel");
          co_return false;
        }
        continue;
      }
      if (io != TlsStream::Io::kDone) break;
      bytes = {buffer_.data(), size};
      event = reader.Read(&bytes, nothing);
    }
    if (event != ResponseReader::Event::kHead || reader.status() / 100 != 2 || !bytes.empty()) {
      x.Fail(FailureCause::kProxy,
             event == ResponseReader::Event::kHead
                 ? fmt::format("open tunnel: the proxy answered {}", reader.status())
                 : std::string("open tunnel: the proxy's answer was not understood"));
      co_return false;
    }
    co_return true;
  }

  Awaitable<bool> Handshake(Running& x) {
    const SteadyTime began = clock_.Now();
    x.Arm(FailureCause::kTimeoutTls, options_.tls_timeout, began);
    Connection& connection = *x.connection;
    connection.tls = tls_->Connect(connection.socket.native_handle(), x.parts.origin, x.parts.host);
    for (;;) {
      const TlsStream::Io io = connection.tls->Handshake();
      if (io == TlsStream::Io::kDone) break;
      if (io != TlsStream::Io::kWantRead && io != TlsStream::Io::kWantWrite) {
        x.Fail(FailureCause::kTls, "TLS handshake: " + connection.tls->error());
        co_return false;
      }
      if (!co_await WaitFor(x, io)) {
        FailExpired(x, "TLS handshake");
        co_return false;
      }
    }
    ++stats_.tls_handshakes;
    if (connection.tls->resumed()) ++stats_.tls_resumed;
    x.result.times.tls = clock_.Now() - began;
    x.result.tls_error = connection.tls->CertificateError();
    if (options_.verify_certificates && !x.result.tls_error.empty()) {
      x.Fail(FailureCause::kTlsCertificate, "certificate: " + x.result.tls_error);
      co_return false;
    }
    co_return true;
  }

  // One request and its answer. False: a connection that was kept had been ended before, and
  // nothing of an answer came.
  Awaitable<bool> Ask(Running& x) {
    if (!HasProxy()) x.result.address = x.connection->address;
    if (x.connection->tls != nullptr) x.result.tls_error = x.connection->tls->CertificateError();
    const SteadyTime sent = clock_.Now();
    x.Arm(FailureCause::kTimeoutFirstByte, options_.first_byte_timeout, sent);
    x.answer.Begin(x.request, &x.result);
    auto next = AnswerReader::Next::kRead;
    if (co_await Send(x, x.result.request_head)) {
      // The answer needs its time: the first look at the socket would be in vain.
      auto io = TlsStream::Io::kWantRead;
      while (next == AnswerReader::Next::kRead) {
        if (io == TlsStream::Io::kWantRead || io == TlsStream::Io::kWantWrite) {
          if (!co_await WaitFor(x, io)) {
            if (!x.answer.settled()) FailExpired(x, "read");
            break;
          }
        }
        size_t size = 0;
        error_code error;
        io = ReadSome(*x.connection, &size, &error);
        if (io == TlsStream::Io::kDone) {
          if (x.first_byte == SteadyTime()) OnFirstByte(x, sent);
          x.received += size;
          next = x.answer.Take({buffer_.data(), size});
        } else if (io == TlsStream::Io::kEnd) {
          next = x.answer.TakeEnd();
        } else if (io == TlsStream::Io::kFailed) {
          if (!x.answer.settled()) FailRead(x, error);
          break;
        }
      }
    }
    const bool stale = x.result.kept_alive && x.result.failure == FailureCause::kReset &&
                       x.answer.untouched() && !x.expired;
    if (next == AnswerReader::Next::kKeep && !x.result.failure) {
      pool_.Put(KeyOf(x), std::move(*x.connection), clock_.Now());
    }
    x.connection.reset();
    co_return !stale;
  }

  void OnFirstByte(Running& x, SteadyTime sent) {
    x.first_byte = clock_.Now();
    x.result.times.first_byte = x.first_byte - sent;
    x.Disarm();
  }

  void FailRead(Running& x, const error_code& error) {
    if (x.connection->tls != nullptr) {
      x.Fail(FailureCause::kReset, "read: " + x.connection->tls->error());
    } else {
      const FailureCause cause = CauseOf(error);
      x.Fail(cause, "read: " + error.message());
    }
    x.result.body.clear();
  }

  static void FailExpired(Running& x, std::string_view step) {
    if (!x.expired) return x.Fail(FailureCause::kUnspecified, fmt::format("{}: cancelled", step));
    x.Fail(x.step_cause, x.step_cause == FailureCause::kTooSlow
                             ? fmt::format("{}: too slow", step)
                             : fmt::format("{}: took too long", step));
    x.result.body.clear();
  }

  Awaitable<bool> Send(Running& x, std::string_view text) {
    Connection& connection = *x.connection;
    while (!text.empty()) {
      TlsStream::Io io;
      error_code error;
      if (connection.tls != nullptr) {
        io = connection.tls->Write(text);
        if (io == TlsStream::Io::kDone) co_return true;
      } else {
        const size_t n = connection.socket.write_some(asio::buffer(text), error);
        io = !error                              ? TlsStream::Io::kDone
             : error == asio::error::would_block ? TlsStream::Io::kWantWrite
                                                 : TlsStream::Io::kFailed;
        text.remove_prefix(n);
      }
      if (io == TlsStream::Io::kDone) continue;
      if (io == TlsStream::Io::kFailed || io == TlsStream::Io::kEnd) {
        FailRead(x, error);
        co_return false;
      }
      if (!co_await WaitFor(x, io)) {
        FailExpired(x, "send");
        co_return false;
      }
    }
    co_return true;
  }

  // Into buffer_, which holds it until the next call or the next co_await.
  TlsStream::Io ReadSome(Connection& connection, size_t* size, error_code* error) {
    if (connection.tls != nullptr) return connection.tls->Read(buffer_, size);
    *size = connection.socket.read_some(asio::buffer(buffer_), *error);
    if (!*error) return TlsStream::Io::kDone;
    if (*error == asio::error::would_block) return TlsStream::Io::kWantRead;
    return *error == asio::error::eof ? TlsStream::Io::kEnd : TlsStream::Io::kFailed;
  }

  // False: it has expired.
  static Awaitable<bool> WaitFor(Running& x, TlsStream::Io io) {
    const auto [error] = co_await x.connection->socket.async_wait(
        io == TlsStream::Io::kWantWrite ? Socket::wait_write : Socket::wait_read, kAwait);
    co_return !error && !x.expired;
  }

  // Constant after Open.
  const NetworkOptions network_;
  const FetchOptions options_;
  const AddressPolicy policy_;
  const ContentTypes types_;
  const RequestHead request_head_;
  const Clock& clock_ = SystemClock();
  IpAddress proxy_address_;
  uint16_t proxy_port_ = 0;  // 0: no proxy

  FetchStats stats_;
  SteadyTime next_tick_{};
  bool woken_ = false;
  std::array<char, kReadBytes> buffer_;
  std::unique_ptr<WebTls> tls_;

  // Sockets end before it, and it ends the coroutines, which touch nothing any more.
  asio::io_context io_{1};
  asio::executor_work_guard<Executor> work_;
  std::unique_ptr<HostResolver> resolver_;
  std::unique_ptr<DnsClient> dns_;
  IdlePool<Connection> pool_;
  std::vector<std::unique_ptr<Running>> running_;
  std::vector<std::unique_ptr<Running>> spare_;
  std::deque<std::unique_ptr<Running>> finished_;
  std::deque<Resolved> resolved_;
};

absl::StatusOr<std::unique_ptr<HttpFetcher>> HttpFetcher::Create(const NetworkOptions& network,
                                                                 const FetchOptions& options) {
  ASSIGN_OR_RETURN(AddressPolicy policy, AddressPolicy::Create(network));
  auto impl = std::make_unique<Impl>(network, options, std::move(policy));
  RETURN_IF_ERROR(impl->Open());
  return std::unique_ptr<HttpFetcher>(new HttpFetcher(std::move(impl)));
}

HttpFetcher::HttpFetcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpFetcher::~HttpFetcher() = default;

void HttpFetcher::Resolve(FetchId id, std::string_view host) { impl_->Resolve(id, host); }
void HttpFetcher::Fetch(FetchId id, const FetchRequest& request) { impl_->Fetch(id, request); }
void HttpFetcher::Run(SteadyTime until, FetchListener& listener) { impl_->Run(until, listener); }
void HttpFetcher::Wake() { impl_->Wake(); }
FetchStats HttpFetcher::stats() const { return impl_->stats(); }

}  // namespace orbweaver
