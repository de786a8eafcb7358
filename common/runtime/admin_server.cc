// Long, since its coroutines share types of Asio and Beast, which no header of ours may name.
#include "common/runtime/admin_server.h"

#include <exception>
#include <memory>
#include <pthread.h>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/runtime/admin_tls.h"
#include "common/runtime/connection_table.h"
#include "common/runtime/host_check.h"

namespace orbweaver {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// Concrete types instead of any_io_executor: less to compile and a third less CPU a request.
using Executor = asio::io_context::executor_type;
template <typename T>
using Awaitable = asio::awaitable<T, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Stream = beast::basic_stream<tcp, Executor>;
using TlsStream = asio::ssl::stream<Stream>;
using Request = http::request<http::string_body>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable_t<Executor>());
constexpr asio::use_awaitable_t<Executor> kAwaitResult;

constexpr char kModule[] = "admin";

// How long accepting rests when the process has no file descriptor left for a connection.
constexpr auto kAcceptPause = std::chrono::milliseconds(100);
// The number of bytes that are read and dropped after the last answer, so that the client reads the
// answer before its connection is reset (RFC 9112, section 9.6).
constexpr size_t kMaxDrainBytes = size_t{256} << 10;

std::string_view ToStd(beast::string_view text) { return {text.data(), text.size()}; }

// The client at the other end.
struct Peer {
  std::string address;
  std::string peer_end;  // as AdminRequest has it
  std::string own_end;
};

// Empty texts where the client has gone already.
Peer PeerOf(const Socket& socket) {
  const auto text = [](const tcp::endpoint& end, const error_code& error) {
    std::ostringstream stream;
    if (!error) stream << end;
    return stream.str();
  };
  error_code gone;
  const tcp::endpoint peer = socket.remote_endpoint(gone);
  error_code closed;
  const tcp::endpoint own = socket.local_endpoint(closed);
  return {.address = peer.address().to_string(),
          .peer_end = text(peer, gone),
          .own_end = text(own, closed)};
}

AdminResponse Refusal(int status, const char* text) {
  AdminResponse response;
  response.status = status;
  response.body = text;
  return response;
}

// Nothing when the client is not to be answered: it went away, or was too slow.
const char* Complaint(const error_code& error, int* status) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    *status = 431;
    return "the request's header is too large\n";
  }
  if (error == http::error::body_limit) {
    *status = 413;
    return "the request's body is too large\n";
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != http::make_error_code(http::error::bad_method).category()) {
    return nullptr;
  }
  *status = 400;
  return "this is not HTTP/1.1\n";
}

}  // namespace

namespace {

// As `top -H` shows it.
void NameThread(const char* name) { pthread_setname_np(pthread_self(), name); }

// A thread for what may take long; one call at a time.
struct SlowThread {
  void Start(const char* name) {
    thread = std::thread([this, name] {
      NameThread(name);
      io.run();
    });
  }
  void Stop() {
    io.stop();
    if (thread.joinable()) thread.join();
  }
  // Makes it the last to run where the processors are busy: nobody's crawl slows down because
  // somebody looks at it. Linux has priorities for threads, too.
  void YieldToOthers() {
    asio::post(io.get_executor(), [] {
      constexpr int kLast = 19;
      static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kLast));
    });
  }

  asio::io_context io{1};
  const asio::executor_work_guard<Executor> work{io.get_executor()};
  std::thread thread;
};

}  // namespace

bool IsLoopback(const std::string& address) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  return !error && parsed.is_loopback();
}

// One span from Start to Stop.
class AdminServer::Impl {
 public:
  Impl(const AdminServerOptions& options, const Handler& handler)
      : options_(options),
        handler_(handler),
        hosts_(options.hosts),
        connections_(options.max_connections, options.max_connections_per_address),
        io_(1),
        acceptor_(io_) {}

  ~Impl() {
    calls_.Stop();
    slow_reads_.Stop();
    io_.stop();
    if (thread_.joinable()) thread_.join();
    // The members' order then ends the sessions with io_, after all that they refer to is still
    // there.
  }

  absl::Status Start() {
    if (!options_.tls_certificate.empty() || !options_.tls_key.empty()) {
      tls_ = std::make_unique<TlsCertificate>(options_.tls_certificate, options_.tls_key);
      RETURN_IF_ERROR(tls_->Load());
    }
    error_code error;
    const auto address = asio::ip::make_address(options_.listen, error);
    if (!error) {
      const tcp::endpoint endpoint(address, static_cast<uint16_t>(options_.port));
      acceptor_.open(endpoint.protocol(), error);
      if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
      if (!error) acceptor_.bind(endpoint, error);
      if (!error) acceptor_.listen(Acceptor::max_listen_connections, error);
    }
    if (error) {
      return FatalError("admin server on {}:{}: {}. Choose another address by {}", options_.listen,
                        options_.port, error.message(), options_.address_option);
    }
    port_ = acceptor_.local_endpoint().port();
    asio::co_spawn(io_, Accept(), [](std::exception_ptr failure) { CHECK(failure == nullptr); });
    thread_ = std::thread([this] {
      NameThread("admin");
      io_.run();
    });
    calls_.Start("admin-calls");
    if (!options_.slow_reads.empty()) {
      slow_reads_.Start("admin-reads");
      slow_reads_.YieldToOthers();
    }
    return absl::OkStatus();
  }

  int port() const { return port_; }

 private:
  Awaitable<void> Accept() {
    Timer pause(io_);
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(kAwait);
      if (error) {
        Log(LogLevel::kWarning, kModule, "accept: {}", error.message());
        pause.expires_after(kAcceptPause);
        co_await pause.async_wait(kAwait);
        continue;
      }
      if (tls_ == nullptr) {
        Welcome(std::make_shared<Stream>(std::move(socket)));
      } else {
        Welcome(std::make_shared<TlsStream>(Stream(std::move(socket)), tls_->Current()));
      }
    }
  }

  template <typename AnyStream>
  void Welcome(std::shared_ptr<AnyStream> stream) {
    Peer peer = PeerOf(beast::get_lowest_layer(*stream).socket());
    const auto handle = connections_.Add(peer.address, [weak = std::weak_ptr(stream)] {
      if (const auto open = weak.lock()) beast::get_lowest_layer(*open).close();
    });
    if (!handle.has_value()) {
      Log(LogLevel::kWarning, kModule, "connection of {} refused: {} are open", peer.address,
          connections_.size());
      return;  // closes it
    }
    asio::co_spawn(io_, Serve(std::move(stream), std::move(peer), *handle),
                   [this, handle](std::exception_ptr failure) {
                     connections_.Remove(*handle);
                     LogFailure(failure);
                   });
  }

  // One connection, until the client leaves, is too slow or is not understood.
  template <typename AnyStream>
  Awaitable<void> Serve(std::shared_ptr<AnyStream> shared_stream, Peer peer,
                        ConnectionTable::Handle handle) {
    AnyStream& stream = *shared_stream;
    if constexpr (std::is_same_v<AnyStream, TlsStream>) {
      beast::get_lowest_layer(stream).expires_after(options_.timeout);
      connections_.BeginWait(handle);
      const auto [refused] = co_await stream.async_handshake(TlsStream::server, kAwait);
      if (refused) co_return;
    }
    // Holds what came of the next requests too. Room for a header and a piece of the body.
    beast::flat_buffer buffer(options_.max_header_bytes + (size_t{16} << 10));
    for (bool keep = true; keep;) {
      http::request_parser<http::string_body> parser;
      parser.header_limit(options_.max_header_bytes);
      parser.body_limit(options_.max_body_bytes);
      beast::get_lowest_layer(stream).expires_after(options_.timeout);
      connections_.BeginWait(handle);
      const auto [read_error, bytes] = co_await http::async_read(stream, buffer, parser, kAwait);
      AdminResponse answer;
      bool head = false;
      if (read_error) {
        int status = 0;
        const char* complaint = Complaint(read_error, &status);
        if (complaint == nullptr) co_return;
        answer = Refusal(status, complaint);
        keep = false;
      } else {
        const auto& request = parser.get();
        head = request.method() == http::verb::head;
        keep = request.keep_alive();
        connections_.TakeInHand(handle);
        answer = co_await Answer(request, peer);
        connections_.BeginWait(handle);
      }
      keep = co_await Send(stream, std::move(answer), head, keep) && keep;
    }
    co_await Drain(stream, buffer);
  }

  // Both outlive the coroutine.
  Awaitable<AdminResponse> Answer(const Request& request, const Peer& peer) {
    // RFC 9112, section 3.2. Only the oldest of clients send none, and browsers are not of them.
    const size_t hosts = request.count(http::field::host);
    if (hosts > 1 || (request.version() >= 11 && hosts == 0)) {
      co_return Refusal(400, "exactly one Host header is needed\n");
    }
    if (hosts == 1 && !hosts_.Allows(ToStd(request[http::field::host]))) {
      co_return Refusal(421,
                        "this server does not answer to the name in the Host header. Use its "
                        "address, or add the name to admin.hosts\n");
    }
    const bool only_looks =
        request.method() == http::verb::get || request.method() == http::verb::head;
    const bool is_slow = !options_.slow_reads.empty() &&
                         OriginForm(ToStd(request.target())).starts_with(options_.slow_reads);
    if (only_looks && !is_slow) co_return Call(request, peer);
    SlowThread& thread = only_looks ? slow_reads_ : calls_;
    int& in_hand = only_looks ? slow_reads_in_hand_ : calls_in_hand_;
    if (in_hand >= (only_looks ? options_.max_slow_reads : options_.max_calls)) {
      co_return Refusal(503, "other calls are being waited for. Try again\n");
    }
    ++in_hand;
    const absl::Cleanup answered = [&in_hand] { --in_hand; };
    co_return co_await asio::co_spawn(thread.io.get_executor(), CallSlowly(request, peer),
                                      kAwaitResult);
  }

  // On a thread of slow calls.
  Awaitable<AdminResponse> CallSlowly(const Request& request, const Peer& peer) {
    co_return Call(request, peer);
  }

  AdminResponse Call(const Request& request, const Peer& peer) const {
    AdminResponse response =
        handler_({.method = ToStd(request.method_string()),
                  .target = OriginForm(ToStd(request.target())),
                  .authorization = ToStd(request[http::field::authorization]),
                  .accept_encoding = ToStd(request[http::field::accept_encoding]),
                  .if_none_match = ToStd(request[http::field::if_none_match]),
                  .body = request.body(),
                  .host = ToStd(request[http::field::host]),
                  .cookie = ToStd(request[http::field::cookie]),
                  .csrf = ToStd(request["X-CSRF"]),
                  .origin = ToStd(request[http::field::origin]),
                  .fetch_site = ToStd(request["Sec-Fetch-Site"]),
                  .peer = peer.address,
                  .peer_end = peer.peer_end,
                  .own_end = peer.own_end});
    Log(LogLevel::kDebug, kModule, "{} {}: {}", ToStd(request.method_string()),
        ToStd(request.target()), response.status);
    return response;
  }

  // False when the client did not take it.
  template <typename AnyStream>
  Awaitable<bool> Send(AnyStream& stream, AdminResponse answer, bool head, bool keep) {
    http::response<http::string_body> response;
    response.result(static_cast<unsigned>(answer.status));
    response.set(http::field::content_type, answer.content_type);
    response.set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : answer.headers) response.set(name, value);
    response.keep_alive(keep);
    response.body() = std::move(answer.body);
    response.prepare_payload();
    http::response_serializer<http::string_body> serializer(response);
    beast::get_lowest_layer(stream).expires_after(options_.timeout);
    error_code error;
    if (head) {
      std::tie(error, std::ignore) = co_await http::async_write_header(stream, serializer, kAwait);
    } else {
      std::tie(error, std::ignore) = co_await http::async_write(stream, serializer, kAwait);
    }
    co_return !error;
  }

  template <typename AnyStream>
  Awaitable<void> Drain(AnyStream& stream, beast::flat_buffer& buffer) {
    error_code error;
    beast::get_lowest_layer(stream).expires_after(options_.timeout);
    if constexpr (std::is_same_v<AnyStream, TlsStream>) {
      // Says that this is the end, and not an attacker's (RFC 8446, section 6.1).
      std::tie(error) = co_await stream.async_shutdown(kAwait);
      co_return;
    }
    beast::get_lowest_layer(stream).socket().shutdown(Socket::shutdown_send, error);
    for (size_t drained = 0; !error && drained < kMaxDrainBytes;) {
      buffer.clear();
      size_t bytes = 0;
      std::tie(error, bytes) =
          co_await stream.async_read_some(buffer.prepare(buffer.max_size()), kAwait);
      drained += bytes;
    }
  }

  static void LogFailure(const std::exception_ptr& failure) {
    if (failure == nullptr) return;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      Log(LogLevel::kError, kModule, "request: {}", error.what());
    }
  }

  // Constant after Start.
  const AdminServerOptions& options_;
  const Handler& handler_;
  int port_ = 0;

  const HostCheck hosts_;

  // The thread of io_ only, after Start.
  std::unique_ptr<TlsCertificate> tls_;  // null: HTTP without TLS
  ConnectionTable connections_;
  int calls_in_hand_ = 0;
  int slow_reads_in_hand_ = 0;

  asio::io_context io_;
  SlowThread calls_;
  SlowThread slow_reads_;
  Acceptor acceptor_;
  std::thread thread_;
};

AdminServer::AdminServer(AdminServerOptions options, Handler handler)
    : options_(std::move(options)), handler_(std::move(handler)) {}

AdminServer::~AdminServer() { Stop(); }

absl::Status AdminServer::Start() {
  if (impl_ != nullptr) return absl::OkStatus();
  auto impl = std::make_unique<Impl>(options_, handler_);
  RETURN_IF_ERROR(impl->Start());
  impl_ = std::move(impl);
  return absl::OkStatus();
}

void AdminServer::Stop() { impl_.reset(); }

int AdminServer::port() const {
  CHECK(impl_ != nullptr);
  return impl_->port();
}

}  // namespace orbweaver
