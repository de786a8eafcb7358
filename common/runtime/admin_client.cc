#include "common/runtime/admin_client.h"

#include <exception>
#include <openssl/x509v3.h>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "common/base/status.h"
#include "common/tls/refused_certificate.h"

namespace orbweaver {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Resolver = asio::ip::basic_resolver<tcp, Executor>;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable_t<Executor>());

struct Exchange {
  const AdminTrust& trust;
  std::string host;
  std::string port;
  http::request<http::string_body> request;
  http::response<http::string_body> response;
  std::string step = "look its name up";  // what went wrong, if anything did
  error_code error;
  std::string refused;  // why the server's certificate was
  bool is_tls = false;
  bool done = false;
};

error_code LoadAuthorities(const std::string& file, asio::ssl::context& context) {
  error_code error;
  if (file.empty()) {
    context.set_default_verify_paths(error);
  } else {
    context.load_verify_file(file, error);
  }
  return error;
}

template <typename Stream>
asio::awaitable<void, Executor> Talk(Exchange& exchange, Stream& stream) {
  exchange.step = "send";
  const auto [unsent, sent] = co_await http::async_write(stream, exchange.request, kAwait);
  exchange.error = unsent;
  if (unsent) co_return;
  exchange.step = "read the answer";
  beast::flat_buffer buffer;
  const auto [unread, read] = co_await http::async_read(stream, buffer, exchange.response, kAwait);
  exchange.error = unread;
  exchange.done = !unread;
}

asio::awaitable<void, Executor> Run(Exchange& exchange, Resolver& resolver, Socket& socket) {
  const auto [unknown, endpoints] =
      co_await resolver.async_resolve(exchange.host, exchange.port, kAwait);
  exchange.error = unknown;
  if (unknown) co_return;
  exchange.step = "connect";
  for (const auto& endpoint : endpoints) {
    error_code ignored;
    socket.close(ignored);
    const auto [refused] = co_await socket.async_connect(endpoint.endpoint(), kAwait);
    exchange.error = refused;
    if (!refused) break;
  }
  if (exchange.error) co_return;
  if (!exchange.is_tls) {
    co_await Talk(exchange, socket);
    co_return;
  }
  exchange.step = "agree on TLS";
  asio::ssl::context context(asio::ssl::context::tls_client);
  if (exchange.trust.verify) {
    exchange.error = LoadAuthorities(exchange.trust.ca_file, context);
    if (exchange.error) {
      exchange.refused = fmt::format("read the authorities '{}' ({}): {}", exchange.trust.ca_file,
                                     exchange.trust.ca_option, exchange.error.message());
      co_return;
    }
  }
  asio::ssl::stream<Socket&> tls(socket, context);
  SSL* const session = tls.native_handle();
  const bool is_address =
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), exchange.host.c_str()) == 1;
  if (!is_address) {
    SSL_set_tlsext_host_name(session, exchange.host.c_str());
    SSL_set1_host(session, exchange.host.c_str());
  }
  tls.set_verify_mode(exchange.trust.verify ? asio::ssl::verify_peer : asio::ssl::verify_none);
  const auto [disagreed] = co_await tls.async_handshake(asio::ssl::stream_base::client, kAwait);
  exchange.error = disagreed;
  if (const long result = SSL_get_verify_result(session);
      disagreed && exchange.trust.verify && result != X509_V_OK) {
    exchange.refused = RefusedCertificate(result, exchange.trust.ca_option);
  }
  if (!disagreed) co_await Talk(exchange, tls);
}

}  // namespace

absl::StatusOr<AdminResponse> AskAdmin(const std::string& url, const AdminRequest& request,
                                       Duration timeout, const AdminTrust& trust) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  const bool is_tls = url.starts_with(kHttps);
  const std::string address = url.substr(is_tls                   ? kHttps.size()
                                         : url.starts_with(kHttp) ? kHttp.size()
                                                                  : 0);
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size()) {
    return PoisonError("ask {}: expected HOST:PORT", address);
  }
  Exchange exchange{.trust = trust,
                    .host = {},
                    .port = {},
                    .request = {},
                    .response = {},
                    .error = {},
                    .refused = {}};
  exchange.is_tls = is_tls;
  exchange.host = address.substr(0, colon);
  exchange.port = address.substr(colon + 1);
  if (exchange.host.starts_with('[') && exchange.host.ends_with(']')) {
    exchange.host = exchange.host.substr(1, exchange.host.size() - 2);  // as IPv6 is written
  }
  exchange.request.version(11);
  exchange.request.method_string({request.method.data(), request.method.size()});
  exchange.request.target({request.target.data(), request.target.size()});
  exchange.request.set(http::field::host, address);
  exchange.request.keep_alive(false);
  if (!request.authorization.empty()) {
    exchange.request.set(http::field::authorization,
                         {request.authorization.data(), request.authorization.size()});
  }
  if (!request.body.empty()) {
    exchange.request.set(http::field::content_type, "application/x-www-form-urlencoded");
  }
  exchange.request.body() = request.body;
  exchange.request.prepare_payload();

  asio::io_context io(1);
  Resolver resolver(io.get_executor());
  Socket socket(io.get_executor());
  try {
    asio::co_spawn(io.get_executor(), Run(exchange, resolver, socket),
                   [](const std::exception_ptr& failed) {
                     if (failed != nullptr) std::rethrow_exception(failed);
                   });
    io.run_for(timeout);
  } catch (const std::exception& error) {
    return RetryError("ask {}: {}", address, error.what());
  }
  if (!exchange.refused.empty()) return FatalError("ask {}: {}", address, exchange.refused);
  if (exchange.error) {
    return RetryError("ask {}: {}: {}", address, exchange.step, exchange.error.message());
  }
  if (!exchange.done) return TimeoutError("ask {}: {}: it takes too long", address, exchange.step);
  AdminResponse response;
  response.status = static_cast<int>(exchange.response.result_int());
  response.body = std::move(exchange.response.body());
  return response;
}

}  // namespace orbweaver
