// The client's side of TLS over sockets that do not block. OpenSSL only: no Asio.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "spider/fetch/fetch_options.h"

typedef struct ssl_st SSL;

namespace orbweaver {

class TlsSessions;

// One connection's TLS, between Connect and its destruction; does not own the socket. Not
// thread-safe.
class TlsStream {
 public:
  enum class Io : uint8_t {
    kDone,
    kWantRead,   // call again when the socket is readable
    kWantWrite,  // ... writable
    kEnd,        // the server has ended the connection
    kFailed,     // error() says why
  };

  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  Io Handshake();
  // kDone: *size bytes, at least one, are in `buffer`.
  Io Read(std::span<char> buffer, size_t* size);
  // kDone: all was written. After kWant* call again with the same text.
  Io Write(std::string_view text);

  // After the handshake. Why the certificate should be refused; empty: it is good.
  std::string CertificateError() const;
  // Until when it is valid; nullopt when it does not say.
  std::optional<WallTime> CertificateEnd() const;
  bool resumed() const;
  // For people.
  const std::string& error() const { return error_; }

 private:
  friend class WebTls;
  TlsStream(SSL* ssl, std::string origin, TlsSessions* sessions);
  Io ResultOf(int result);

  SSL* const ssl_;
  const std::string origin_;
  TlsSessions* const sessions_;
  std::string error_;
};

// TLS 1.2 and 1.3, ALPN http/1.1. Strength that browsers no longer accept is refused unless
// allow_weak_tls says otherwise: a DH key below 2,048 bits ends the handshake, a certificate with
// an RSA key below that or without alternative names is one that should be refused. Keeps sessions
// of servers for resumption, at most tls_sessions, those used last.
//
// Place: one in each HttpFetcher; outlives its streams. Not thread-safe.
class WebTls {
 public:
  // Fatal when the authorities cannot be read.
  static absl::StatusOr<std::unique_ptr<WebTls>> Create(const FetchOptions& options);
  ~WebTls();

  // Over a connected socket. `origin` names whose sessions may be resumed; `host` is what the
  // certificate must be for, a name (sent as SNI) or an address, IPv6 with its brackets.
  std::unique_ptr<TlsStream> Connect(int socket_fd, std::string_view origin, std::string_view host);

 private:
  struct Impl;
  explicit WebTls(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace orbweaver
