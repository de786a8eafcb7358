// Every coroutine of the folder is in here: what they share are Asio's types, which no header of
// ours may name. That makes it long; each of them is a step of one way from a connection to an
// answer.
#include "spider/fetch/exchange.h"

#include <algorithm>
#include <exception>
#include <poll.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "spider/fetch/request_head.h"
#include "spider/fetch/socks5.h"

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
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
using Io = TlsStream::Io;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable_t<Executor>());

// The most memory of a finished fetch's body that is kept for the next one.
constexpr size_t kKeptBodyBytes = size_t{256} << 10;
constexpr uint32_t kProxyAuthenticationRequired = 407;

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

// The packets did not leave: no route, no address of that version, a firewall of ours.
bool IsOfThisMachine(const error_code& error) {
  namespace e = asio::error;
  namespace errc = boost::system::errc;
  return error == e::network_unreachable || error == e::network_down ||
         error == errc::address_not_available || error == errc::operation_not_permitted;
}

// Why there is no connection.
FailureCause CauseOf(const error_code& error) {
  namespace e = asio::error;
  if (error == e::connection_refused) return FailureCause::kRefused;
  if (error == e::connection_reset || error == e::connection_aborted) return FailureCause::kReset;
  if (error == e::timed_out) return FailureCause::kTimeoutConnect;
  if (error == e::network_unreachable || error == e::host_unreachable ||
      error == e::access_denied || error == e::network_down || IsOfThisMachine(error)) {
    return FailureCause::kUnreachable;
  }
  return FailureCause::kUnspecified;
}

std::string Describe(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown exception";
  }
}

// The answer to CONNECT has no body.
class NoBody : public BodySink {
  bool TakePiece(std::string_view) override { return false; }
};

}  // namespace

struct WebConnection {
  WebConnection(asio::io_context& io, const IpAddress& to) : socket(io), address(to) {}

  // Whether poll() finds one of `events` there.
  bool IsReady(short events) {
    pollfd ready{.fd = socket.native_handle(), .events = events, .revents = 0};
    return poll(&ready, 1, 0) == 1;
  }

  // Into `buffer`, without waiting.
  Io Read(std::span<char> buffer, size_t* size, std::string* why) {
    if (tls != nullptr) {
      const Io io = tls->Read(buffer, size);
      if (io == Io::kFailed) *why = tls->error();
      return io;
    }
    error_code error;
    *size = socket.read_some(asio::buffer(buffer.data(), buffer.size()), error);
    if (!error) return Io::kDone;
    if (error == asio::error::would_block) return Io::kWantRead;
    if (error == asio::error::eof) return Io::kEnd;
    *why = error.message();
    return Io::kFailed;
  }

  // Takes the written bytes off the front of `text`.
  Io Write(std::string_view* text, std::string* why) {
    if (tls != nullptr) {
      const Io io = tls->Write(*text);
      if (io == Io::kDone) *text = {};
      if (io == Io::kFailed) *why = tls->error();
      return io;
    }
    error_code error;
    text->remove_prefix(socket.write_some(asio::buffer(text->data(), text->size()), error));
    if (!error) return Io::kDone;
    if (error == asio::error::would_block) return Io::kWantWrite;
    *why = error.message();
    return Io::kFailed;
  }

  Socket socket;
  std::unique_ptr<TlsStream> tls;
  IpAddress address;
};

void CloseConnection::operator()(WebConnection* connection) const { delete connection; }

// ---- the coroutines

struct Exchange::Network {
  // A kept connection if there is one, else a new one.
  static Awaitable<void> Run(Exchange& x) {
    if (TakeKept(x)) {
      x.result.kept_alive = true;
      ++x.shared_.stats.kept_alive;
      // A GET may be sent again (RFC 9110, section 9.2.2), but not by us: another request needs
      // another turn.
      x.result.stale = !co_await Ask(x);
    } else if (co_await Connect(x)) {
      co_await Ask(x);
    }
  }

  static bool TakeKept(Exchange& x) {
    const bool any_address = x.request_.address.empty() || x.shared_.proxy != nullptr;
    for (;;) {
      auto kept = x.shared_.pool.Take(x.PoolKey(), [&](const WebConnectionPtr& connection) {
        return any_address || connection->address == x.request_.address;
      });
      if (!kept) {
        x.connection_.reset();
        return false;
      }
      x.connection_ = std::move(*kept);
      // Whatever can be read of it now, its end above all, is no answer of ours.
      size_t size = 0;
      std::string why;
      if (x.connection_->Read(x.shared_.buffer, &size, &why) == Io::kWantRead) return true;
    }
  }

  // False after a failure.
  static Awaitable<bool> Connect(Exchange& x) {
    if (x.url.https) co_await EnterHandshake(x);
    const bool connected = co_await ConnectNow(x);
    x.LeaveHandshake();
    co_return connected;
  }

  // The time that it waits here is not the server's.
  static Awaitable<void> EnterHandshake(Exchange& x) {
    const SteadyTime began = x.shared_.patience.Now();
    Timer turn(x.shared_.io, Timer::time_point::max());
    if (!x.shared_.handshakes.Enter([&turn] { turn.cancel(); })) {
      co_await turn.async_wait(kAwait);
    }
    x.in_handshake_ = true;
    x.deadline_ += x.shared_.patience.Now() - began;
  }

  static Awaitable<bool> ConnectNow(Exchange& x) {
    const bool by_proxy = x.shared_.proxy != nullptr;
    const SteadyTime began = x.shared_.clock.Now();
    x.Arm(by_proxy ? FailureCause::kProxy : FailureCause::kTimeoutConnect,
          x.shared_.options.connect_timeout);
    for (const IpAddress& address : x.addresses_) {
      x.connection_.reset(new WebConnection(x.shared_.io, address));
      const error_code error = co_await Open(x, EndpointOf(address, x.port_));
      if (!error && !x.expired_) {
        ++x.shared_.stats.connections;
        x.result.times.connect = x.shared_.clock.Now() - began;
        x.result.failure.reset();
        x.result.suspect.reset();
        x.result.message.clear();
        co_return co_await Prepare(x);
      }
      if (!by_proxy) {
        x.result.address = address;
        x.shared_.resolver.Demote(x.url.host, address);
      }
      if (x.expired_) {
        x.FailExpired("connect");
        break;
      }
      const bool is_ours = by_proxy || IsOfThisMachine(error);
      // Of several addresses the one that could be tried says more.
      if (is_ours && x.result.failure && !x.result.suspect) continue;
      x.Fail(by_proxy ? FailureCause::kProxy : CauseOf(error),
             fmt::format("connect {}{}:{}: {}", by_proxy ? "to the proxy " : "", address.Text(),
                         x.port_, error.message()));
      if (is_ours) x.result.suspect = by_proxy ? OwnSide::kProxy : OwnSide::kNetwork;
    }
    co_return false;
  }

  static Awaitable<error_code> Open(Exchange& x, tcp::endpoint endpoint) {
    Socket& socket = x.connection_->socket;
    error_code error;
    socket.open(endpoint.protocol(), error);
    if (!error) socket.non_blocking(true, error);
    if (!error) socket.set_option(tcp::no_delay(true), error);
    x.waits_for_ = POLLOUT;
    if (!error) std::tie(error) = co_await socket.async_connect(endpoint, kAwait);
    x.has_looked_ = true;
    co_return error;
  }

  // Opens the proxy's tunnel and TLS on a new connection, where the URL needs them.
  static Awaitable<bool> Prepare(Exchange& x) {
    const Proxy* const proxy = x.shared_.proxy;
    if (proxy != nullptr && proxy->kind == Proxy::Kind::kSocks5 && !co_await OpenSocks(x)) {
      co_return false;
    }
    if (!x.url.https) co_return true;
    if (proxy != nullptr && proxy->kind == Proxy::Kind::kHttp && !co_await OpenTunnel(x)) {
      co_return false;
    }
    co_return co_await Handshake(x);
  }

  static Awaitable<bool> OpenSocks(Exchange& x) {
    x.Arm(FailureCause::kProxy, x.shared_.options.connect_timeout);
    Socks5Handshake socks(*x.shared_.proxy, x.url.host, x.url.port);
    auto next = Socks5Handshake::Next::kSend;
    std::string bytes;
    while (next != Socks5Handshake::Next::kDone) {
      if (next == Socks5Handshake::Next::kSend && !co_await Send(x, socks.output())) {
        x.Fail(FailureCause::kProxy, "open tunnel: " + x.result.message);
        x.result.suspect = OwnSide::kProxy;
        co_return false;
      }
      bytes.clear();
      while (bytes.size() < socks.wanted()) {
        size_t size = 0;
        std::string why;
        const Io io =
            x.connection_->Read(x.shared_.buffer.first(socks.wanted() - bytes.size()), &size, &why);
        if (io == Io::kDone) {
          bytes.append(x.shared_.buffer.data(), size);
        } else if (io != Io::kWantRead) {
          break;  // Take says that it is too short.
        } else if (!co_await WaitFor(x, io)) {
          x.FailExpired("open tunnel");
          co_return false;
        }
      }
      next = socks.Take(bytes);
      if (next == Socks5Handshake::Next::kFailed) {
        x.Fail(socks.cause(), "open tunnel: " + socks.message());
        if (socks.is_suspect()) x.result.suspect = OwnSide::kProxy;
        co_return false;
      }
    }
    co_return true;
  }

  static Awaitable<bool> OpenTunnel(Exchange& x) {
    x.Arm(FailureCause::kProxy, x.shared_.options.connect_timeout);
    const std::string request = ConnectHead(x.url, x.shared_.proxy_authorization);
    if (!co_await Send(x, request)) co_return false;
    NoBody no_body;
    ResponseReader reader(x.shared_.options.max_header_bytes);
    reader.Begin(/*no_body=*/true);
    auto event = ResponseReader::Event::kMore;
    std::string_view bytes;
    while (event == ResponseReader::Event::kMore) {
      size_t size = 0;
      std::string why;
      const Io io = x.connection_->Read(x.shared_.buffer, &size, &why);
      if (io == Io::kWantRead) {
        if (!co_await WaitFor(x, io)) {
          x.FailExpired("open tunnel");
          co_return false;
        }
        continue;
      }
      if (io != Io::kDone) break;
      bytes = {x.shared_.buffer.data(), size};
      event = reader.Read(&bytes, no_body);
    }
    if (event != ResponseReader::Event::kHead) {
      x.Fail(FailureCause::kProxy, "open tunnel: the proxy's answer was not understood");
      co_return false;
    }
    // Bytes behind it would be taken for the server's.
    if (reader.status() / 100 != 2 || !bytes.empty()) {
      x.Fail(FailureCause::kProxy,
             fmt::format("open tunnel: the proxy answered {}", reader.status()));
      // It wants to know us, or has no way out itself; which of its 5xx mean the host, nobody says.
      if (reader.status() == kProxyAuthenticationRequired || reader.status() / 100 == 5) {
        x.result.suspect = OwnSide::kProxy;
      }
      co_return false;
    }
    co_return true;
  }

  static Awaitable<bool> Handshake(Exchange& x) {
    const SteadyTime began = x.shared_.clock.Now();
    x.Arm(FailureCause::kTimeoutTls, x.shared_.options.tls_timeout);
    WebConnection& connection = *x.connection_;
    connection.tls =
        x.shared_.tls.Connect(connection.socket.native_handle(), x.url.origin, x.url.host);
    for (;;) {
      const Io io = connection.tls->Handshake();
      if (io == Io::kDone) break;
      if (io != Io::kWantRead && io != Io::kWantWrite) {
        x.Fail(FailureCause::kTls, "TLS handshake: " + connection.tls->error());
        co_return false;
      }
      if (!co_await WaitFor(x, io)) {
        x.FailExpired("TLS handshake");
        co_return false;
      }
    }
    ++x.shared_.stats.tls_handshakes;
    if (connection.tls->resumed()) ++x.shared_.stats.tls_resumed;
    x.result.times.tls = x.shared_.clock.Now() - began;
    NoteCertificate(x);
    if (x.shared_.options.verify_certificates && !x.result.tls_error.empty()) {
      x.Fail(FailureCause::kTlsCertificate, "certificate: " + x.result.tls_error);
      co_return false;
    }
    co_return true;
  }

  static void NoteCertificate(Exchange& x) {
    x.result.tls_error = x.connection_->tls->CertificateError();
    x.result.certificate_end = x.connection_->tls->CertificateEnd();
  }

  // One request and its answer. False: a connection that was kept had been ended before, and
  // nothing of an answer came.
  static Awaitable<bool> Ask(Exchange& x) {
    WebConnection& connection = *x.connection_;
    if (x.shared_.proxy == nullptr) x.result.address = connection.address;
    if (connection.tls != nullptr) NoteCertificate(x);
    const SteadyTime sent = x.shared_.clock.Now();
    x.Arm(FailureCause::kTimeoutFirstByte, x.shared_.options.first_byte_timeout);
    x.answer_.Begin(x.request_, &x.result);
    auto next = AnswerReader::Next::kClose;
    if (co_await Send(x, x.result.request_head)) next = co_await ReadAnswer(x, sent);
    if (x.IsForProxy() && x.result.status == kProxyAuthenticationRequired) {
      x.Fail(FailureCause::kProxy, fmt::format("the proxy answered {}", x.result.status));
      x.result.suspect = OwnSide::kProxy;
    }
    const bool stale = x.result.kept_alive && x.result.failure == FailureCause::kReset &&
                       x.answer_.untouched() && !x.expired_;
    if (next == AnswerReader::Next::kKeep && !x.result.failure) {
      x.shared_.pool.Put(x.PoolKey(), std::move(x.connection_), x.shared_.clock.Now());
    }
    x.connection_.reset();
    co_return !stale;
  }

  static Awaitable<AnswerReader::Next> ReadAnswer(Exchange& x, SteadyTime sent) {
    auto next = AnswerReader::Next::kRead;
    // The answer needs its time: the first look at the socket would be in vain.
    Io io = Io::kWantRead;
    while (next == AnswerReader::Next::kRead) {
      if (io == Io::kWantRead || io == Io::kWantWrite) {
        if (!co_await WaitFor(x, io)) {
          if (!x.answer_.settled()) x.FailExpired("read");
          co_return AnswerReader::Next::kClose;
        }
      }
      size_t size = 0;
      std::string why;
      io = x.connection_->Read(x.shared_.buffer, &size, &why);
      if (io == Io::kDone) {
        if (x.first_byte_ == SteadyTime()) x.OnFirstByte(sent);
        x.received_ += size;
        x.shared_.stats.received_bytes += size;
        next = x.answer_.Take({x.shared_.buffer.data(), size});
      } else if (io == Io::kEnd) {
        next = x.answer_.TakeEnd();
      } else if (io == Io::kFailed) {
        if (!x.answer_.settled()) x.FailLost(why);
        co_return AnswerReader::Next::kClose;
      }
    }
    co_return next;
  }

  static Awaitable<bool> Send(Exchange& x, std::string_view text) {
    while (!text.empty()) {
      std::string why;
      const Io io = x.connection_->Write(&text, &why);
      if (io == Io::kDone) continue;
      if (io == Io::kFailed || io == Io::kEnd) {
        x.FailLost(why);
        co_return false;
      }
      if (!co_await WaitFor(x, io)) {
        x.FailExpired("send");
        co_return false;
      }
    }
    co_return true;
  }

  // False: it has expired.
  static Awaitable<bool> WaitFor(Exchange& x, Io io) {
    const bool writes = io == Io::kWantWrite;
    x.waits_for_ = writes ? POLLOUT : POLLIN;
    const auto [error] = co_await x.connection_->socket.async_wait(
        writes ? Socket::wait_write : Socket::wait_read, kAwait);
    x.has_looked_ = true;
    co_return !error && !x.expired_;
  }
};

// ---- around them

void Exchange::Begin(FetchId id, const FetchRequest& request) {
  url_text_.assign(request.url);
  request_ = {.url = {},
              .address = request.address,
              .max_body_bytes = request.max_body_bytes,
              .any_type = request.any_type,
              .head_only = request.head_only};
  result.id = id;
  result.started_at = shared_.clock.Wall();
  began_ = shared_.clock.Now();
  deadline_ = shared_.patience.Now() + shared_.options.total_timeout;
  step_deadline_ = SteadyTime::max();
  first_byte_ = {};
  received_ = 0;
  expired_ = is_late_ = false;
}

void Exchange::Start(std::vector<IpAddress> addresses, uint16_t port, std::function<void()> done) {
  addresses_ = std::move(addresses);
  port_ = port;
  done_ = std::move(done);
  asio::co_spawn(shared_.io, Network::Run(*this), [this](const std::exception_ptr& failure) {
    if (failure != nullptr) Fail(FailureCause::kUnspecified, Describe(failure));
    done_();
  });
}

void Exchange::Fail(FailureCause cause, std::string message) {
  result.failure = cause;
  result.message = std::move(message);
  result.suspect.reset();
}

void Exchange::FailExpired(std::string_view step) {
  Fail(step_cause_,
       fmt::format("{}: {}", step,
                   step_cause_ == FailureCause::kTooSlow ? "too slow" : "took too long"));
  if (step_cause_ == FailureCause::kProxy) result.suspect = OwnSide::kProxy;
  result.body.clear();
}

void Exchange::FailLost(const std::string& why) {
  Fail(FailureCause::kReset, "connection lost: " + why);
  result.body.clear();
}

void Exchange::End() {
  LeaveHandshake();
  connection_.reset();
  answer_.Abandon();
  MaskSecrets(secrets_at, &result.request_head);
  result.times.total = shared_.clock.Now() - began_;
}

void Exchange::Arm(FailureCause cause, Duration timeout) {
  step_cause_ = cause;
  step_deadline_ = shared_.patience.Now() + timeout;
}

void Exchange::OnFirstByte(SteadyTime sent) {
  first_byte_ = shared_.patience.Now();
  result.times.first_byte = shared_.clock.Now() - sent;
  step_deadline_ = SteadyTime::max();
}

// All requests that a proxy is sent itself share its connections.
std::string_view Exchange::PoolKey() const {
  return IsForProxy() ? std::string_view("proxy") : url.origin;
}

void Exchange::LeaveHandshake() {
  if (std::exchange(in_handshake_, false)) shared_.handshakes.Leave();
}

std::optional<FailureCause> Exchange::LateBy(SteadyTime now) const {
  if (now >= deadline_) return FailureCause::kTimeoutTotal;
  if (now >= step_deadline_) return step_cause_;
  if (first_byte_ == SteadyTime() || now - first_byte_ < shared_.options.slow_after) return {};
  const double seconds = std::chrono::duration<double>(now - first_byte_).count();
  const double wanted = seconds * static_cast<double>(shared_.options.min_bytes_per_second);
  if (static_cast<double>(received_) >= wanted) return {};
  return FailureCause::kTooSlow;
}

void Exchange::CheckDeadlines(SteadyTime now) {
  // Without a connection it waits for its name, which has a time of its own, or for its turn.
  if (expired_ || connection_ == nullptr) return;
  const std::optional<FailureCause> cause = LateBy(now);
  if (!std::exchange(is_late_, cause.has_value())) has_looked_ = false;
  if (!cause) return;
  if (!has_looked_ && connection_->IsReady(waits_for_)) return;
  step_cause_ = *cause;
  expired_ = true;
  // Its coroutine then finds that what it waited for is cancelled.
  error_code ignored;
  connection_->socket.cancel(ignored);
}

bool Exchange::Recycle() {
  if (result.body.capacity() > kKeptBodyBytes) return false;
  FetchResult fresh;
  for (std::string FetchResult::* const text :
       {&FetchResult::body, &FetchResult::header_text, &FetchResult::request_head,
        &FetchResult::response_head}) {
    (fresh.*text).swap(result.*text);
    (fresh.*text).clear();
  }
  fresh.headers.swap(result.headers);
  fresh.headers.clear();
  result = std::move(fresh);
  return true;
}

}  // namespace orbweaver
