// TLS for the store's connections, on OpenSSL.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/store/hbase/hbase_options.h"

struct ssl_ctx_st;
struct ssl_st;

namespace orbweaver {

// The result of one attempt at a socket; an attempt never blocks.
enum class IoStep {
  kDone,
  kWaitToRead,
  kWaitToWrite,
  kClosed,  // by the other side
  kFailed,
};

// The certificates and rules of all connections. Immutable, thread-safe.
class TlsContext {
 public:
  // Fatal when a file cannot be used.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Create(const HBaseTlsOptions& options);

  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* get() const { return context_; }
  bool verify() const { return verify_; }

 private:
  TlsContext(ssl_ctx_st* context, bool verify) : context_(context), verify_(verify) {}

  ssl_ctx_st* const context_;
  const bool verify_;
};

// The client's side of TLS on a connected, non-blocking socket. Not thread-safe.
class TlsSession {
 public:
  // `fd` stays the caller's. `host` is the name or address that the certificate must be for.
  TlsSession(const TlsContext& context, int fd, const std::string& host);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // To be called until done, before anything else.
  IoStep Handshake();
  IoStep Read(std::span<char> into, size_t* count);
  IoStep Write(std::span<const char> bytes, size_t* count);

  // Why the last step failed.
  const std::string& error() const { return error_; }
  // Whether it failed since the server's certificate was refused: it would be again.
  bool refused() const { return refused_; }

 private:
  IoStep StepOf(int result);

  ssl_st* const ssl_;
  std::string error_;
  bool refused_ = false;
};

}  // namespace orbweaver
