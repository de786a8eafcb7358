#include "common/store/hbase/tls.h"

#include <cerrno>
#include <cstdint>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/tls/refused_certificate.h"

namespace orbweaver {
namespace {

std::string TakeOpenSslErrors() {
  std::string text;
  while (const unsigned long code = ERR_get_error()) {
    char line[256];
    ERR_error_string_n(code, line, sizeof line);
    if (!text.empty()) text += "; ";
    text += line;
  }
  return text;
}

int FdOf(BIO* bio) { return static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))); }

int RetryOrFail(BIO* bio, ssize_t count, void (*set_retry)(BIO*)) {
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) set_retry(bio);
  return static_cast<int>(count);
}

// OpenSSL's own socket BIO uses write(), which ends the process by SIGPIPE when the server has gone
// away.
BIO_METHOD* SocketMethod() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* const method =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "orbweaver");
    BIO_meth_set_write(method, [](BIO* bio, const char* bytes, int count) {
      BIO_clear_retry_flags(bio);
      return RetryOrFail(bio, send(FdOf(bio), bytes, static_cast<size_t>(count), MSG_NOSIGNAL),
                         [](BIO* b) { BIO_set_retry_write(b); });
    });
    BIO_meth_set_read(method, [](BIO* bio, char* into, int count) {
      BIO_clear_retry_flags(bio);
      return RetryOrFail(bio, recv(FdOf(bio), into, static_cast<size_t>(count), 0),
                         [](BIO* b) { BIO_set_retry_read(b); });
    });
    BIO_meth_set_ctrl(method, [](BIO*, int command, long, void*) -> long {
      return command == BIO_CTRL_FLUSH ? 1 : 0;
    });
    return method;
  }();
  return kMethod;
}

absl::Status LoadFiles(SSL_CTX* context, const HBaseTlsOptions& options) {
  if (options.verify) {
    const bool loaded = options.ca_file.empty()
                            ? SSL_CTX_set_default_verify_paths(context) == 1
                            : SSL_CTX_load_verify_file(context, options.ca_file.c_str()) == 1;
    if (!loaded) {
      return FatalError("load certificate authorities '{}': {}", options.ca_file,
                        TakeOpenSslErrors());
    }
  }
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return FatalError(
        "load client certificate: a certificate and its key come together, and one of the two is "
        "not set");
  }
  if (options.certificate_file.empty()) return absl::OkStatus();
  if (SSL_CTX_use_certificate_chain_file(context, options.certificate_file.c_str()) != 1) {
    return FatalError("load client certificate '{}': {}", options.certificate_file,
                      TakeOpenSslErrors());
  }
  if (SSL_CTX_use_PrivateKey_file(context, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return FatalError("load client key '{}': {}", options.key_file, TakeOpenSslErrors());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Create(const HBaseTlsOptions& options) {
  SSL_CTX* const raw = SSL_CTX_new(TLS_client_method());
  CHECK(raw != nullptr);
  std::unique_ptr<TlsContext> context(new TlsContext(raw, options.verify));
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  // A write that was begun is repeated with the rest of the caller's bytes at the same place.
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_verify(raw, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  RETURN_IF_ERROR(LoadFiles(raw, options));
  return context;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

TlsSession::TlsSession(const TlsContext& context, int fd, const std::string& host)
    : ssl_(SSL_new(context.get())) {
  CHECK(ssl_ != nullptr);
  BIO* const bio = BIO_new(SocketMethod());
  CHECK(bio != nullptr);
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(fd)));
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  X509_VERIFY_PARAM* const rules = SSL_get0_param(ssl_);
  // An address is looked for among the certificate's addresses, and is no server name (RFC 6066,
  // section 3).
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1) return;
  SSL_set_tlsext_host_name(ssl_, host.c_str());
  if (context.verify()) CHECK(SSL_set1_host(ssl_, host.c_str()) == 1);
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

IoStep TlsSession::Handshake() {
  ERR_clear_error();
  const IoStep step = StepOf(SSL_connect(ssl_));
  if (step == IoStep::kFailed && !refused_) {
    error_ += ". Does it speak TLS there? See hbase.tls.enabled and hbase.hosts";
  }
  return step;
}

IoStep TlsSession::Read(std::span<char> into, size_t* count) {
  ERR_clear_error();
  return StepOf(SSL_read_ex(ssl_, into.data(), into.size(), count));
}

IoStep TlsSession::Write(std::span<const char> bytes, size_t* count) {
  ERR_clear_error();
  return StepOf(SSL_write_ex(ssl_, bytes.data(), bytes.size(), count));
}

IoStep TlsSession::StepOf(int result) {
  if (result == 1) return IoStep::kDone;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return IoStep::kWaitToRead;
    case SSL_ERROR_WANT_WRITE:
      return IoStep::kWaitToWrite;
    case SSL_ERROR_ZERO_RETURN:
      return IoStep::kClosed;
    default:
      break;
  }
  const unsigned long first = ERR_peek_error();
  const long verified = SSL_get_verify_result(ssl_);
  refused_ = ERR_GET_REASON(first) == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK;
  if (refused_) {
    error_ = RefusedCertificate(verified, "hbase.tls.ca_file");
  } else if (first == 0 || ERR_GET_REASON(first) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    error_ = "the server closed the connection";
  } else {
    error_ = TakeOpenSslErrors();
  }
  return IoStep::kFailed;
}

}  // namespace orbweaver
