#include "spider/fetch/tls.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <list>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <utility>

#include "absl/container/flat_hash_map.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "spider/fetch/ip_address.h"
#include "spider/fetch/tls_library.h"

namespace orbweaver {
namespace {

constexpr unsigned char kAlpn[] = "\x08http/1.1";
// A stricter level would end handshakes for what is to be judged behind them, or is taken by
// allow_weak_tls.
constexpr char kCiphers[] = "DEFAULT:@SECLEVEL=1";
// The least that browsers accept: 112 bits of security, which are 2,048 of RSA.
constexpr int kBrowsersLevel = 2;
constexpr int kMinDhBits = 2048;

std::string LastError(const char* otherwise) {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? otherwise : reason;
}

// The socket, written to without a signal when the server has gone. OpenSSL's own would raise
// SIGPIPE.
int BioWrite(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  int fd = -1;
  BIO_get_fd(bio, &fd);
  const ssize_t n = send(fd, bytes, static_cast<size_t>(size), MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(n);
}

const BIO_METHOD* SocketMethod() {
  static const BIO_METHOD* const method = [] {
    const BIO_METHOD* const base = BIO_s_socket();
    BIO_METHOD* const own = BIO_meth_new(
        BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "socket without signals");
    CHECK(own != nullptr);
    BIO_meth_set_write(own, BioWrite);
    BIO_meth_set_read(own, BIO_meth_get_read(base));
    BIO_meth_set_ctrl(own, BIO_meth_get_ctrl(base));
    BIO_meth_set_create(own, BIO_meth_get_create(base));
    BIO_meth_set_destroy(own, BIO_meth_get_destroy(base));
    return own;
  }();
  return method;
}

// As OpenSSL does by itself, but for the level: its own is that of the handshake.
int VerifyAsBrowsers(X509_STORE_CTX* context, void*) {
  X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), kBrowsersLevel);
  return X509_verify_cert(context);
}

using SecurityCallback = int (*)(const SSL*, const SSL_CTX*, int, int, int, void*, void*);

// The security callback that stands in every context, before ours.
SecurityCallback DefaultSecurity() {
  static const SecurityCallback callback = [] {
    SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
    CHECK(context != nullptr);
    const SecurityCallback found = SSL_CTX_get_security_callback(context);
    SSL_CTX_free(context);
    return found;
  }();
  return callback;
}

// 0 ends the handshake.
int CheckDhKey(const SSL* ssl, const SSL_CTX* context, int operation, int bits, int nid,
               void* other, void* ex) {
  if (operation == SSL_SECOP_TMP_DH && other != nullptr &&
      EVP_PKEY_get_bits(static_cast<EVP_PKEY*>(other)) < kMinDhBits) {
    return 0;
  }
  return DefaultSecurity()(ssl, context, operation, bits, nid, other, ex);
}

bool HasAlternativeNames(const X509* certificate) {
  return X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) >= 0;
}

}  // namespace

// Sessions by origin, the one used last first.
class TlsSessions {
 public:
  explicit TlsSessions(size_t max) : max_(max) {}
  ~TlsSessions() {
    while (!entries_.empty()) DropLast();
  }

  // Takes `session` over.
  void Put(const std::string& origin, SSL_SESSION* session) {
    if (const auto found = by_origin_.find(origin); found != by_origin_.end()) {
      SSL_SESSION_free(found->second->session);
      found->second->session = session;
      return entries_.splice(entries_.begin(), entries_, found->second);
    }
    entries_.push_front({.origin = origin, .session = session});
    by_origin_[entries_.front().origin] = entries_.begin();
    while (entries_.size() > max_) DropLast();
  }

  SSL_SESSION* Find(std::string_view origin) {
    const auto found = by_origin_.find(origin);
    if (found == by_origin_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->session;
  }

 private:
  struct Entry {
    std::string origin;
    SSL_SESSION* session;
  };
  using Entries = std::list<Entry>;

  void DropLast() {
    SSL_SESSION_free(entries_.back().session);
    by_origin_.erase(entries_.back().origin);
    entries_.pop_back();
  }

  const size_t max_;
  Entries entries_;
  absl::flat_hash_map<std::string_view, Entries::iterator> by_origin_;
};

struct WebTls::Impl {
  explicit Impl(size_t max_sessions) : sessions(max_sessions) {}
  ~Impl() { SSL_CTX_free(context); }

  SSL_CTX* const context = SSL_CTX_new_ex(TlsLibrary(), nullptr, TLS_client_method());
  TlsSessions sessions;
  bool lacks_authorities = false;
  bool allow_weak = false;
};

WebTls::WebTls(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WebTls::~WebTls() = default;

absl::StatusOr<std::unique_ptr<WebTls>> WebTls::Create(const FetchOptions& options) {
  auto impl = std::make_unique<Impl>(options.tls_sessions);
  SSL_CTX* const context = impl->context;
  CHECK(context != nullptr);
  // The system's are 150 certificates to parse, a tenth of a second: not before they are needed.
  impl->lacks_authorities = options.authorities_file.empty();
  if (!impl->lacks_authorities &&
      SSL_CTX_load_verify_file(context, options.authorities_file.c_str()) != 1) {
    return FatalError("spider.fetch.authorities_file '{}': {}. Name a PEM file of certificates.",
                      options.authorities_file, LastError("cannot be read"));
  }
  CHECK(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
  CHECK(SSL_CTX_set_cipher_list(context, kCiphers) == 1);
  // 0 means success, unlike in all the others.
  CHECK(SSL_CTX_set_alpn_protos(context, kAlpn, sizeof kAlpn - 1) == 0);
  // The certificate is judged all the same; what follows from it is for the caller.
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  impl->allow_weak = options.allow_weak_tls;
  if (!impl->allow_weak) {
    SSL_CTX_set_cert_verify_callback(context, VerifyAsBrowsers, nullptr);
    SSL_CTX_set_security_callback(context, CheckDhKey);
  }
  // Servers end connections without saying so, and old ones know no secure renegotiation, which
  // nobody asks for here.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_LEGACY_SERVER_CONNECT);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(context, [](SSL* ssl, SSL_SESSION* session) {
    auto* const stream = static_cast<TlsStream*>(SSL_get_app_data(ssl));
    stream->sessions_->Put(stream->origin_, session);
    return 1;
  });
  return std::unique_ptr<WebTls>(new WebTls(std::move(impl)));
}

std::unique_ptr<TlsStream> WebTls::Connect(int socket_fd, std::string_view origin,
                                           std::string_view host) {
  // It fails for want of memory only: files that are missing leave an empty list.
  if (std::exchange(impl_->lacks_authorities, false)) {
    CHECK(SSL_CTX_set_default_verify_paths(impl_->context) == 1);
  }
  SSL* const ssl = SSL_new(impl_->context);
  CHECK(ssl != nullptr);
  BIO* const bio = BIO_new(SocketMethod());
  CHECK(bio != nullptr);
  BIO_set_fd(bio, socket_fd, BIO_NOCLOSE);
  SSL_set_bio(ssl, bio, bio);
  std::unique_ptr<TlsStream> stream(new TlsStream(ssl, std::string(origin), &impl_->sessions));
  SSL_set_app_data(ssl, stream.get());

  if (const std::optional<IpAddress> address = IpAddress::Parse(host)) {
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set1_ip(wanted, address->bytes().data(), address->bytes().size());
  } else {
    while (host.ends_with('.')) host.remove_suffix(1);
    const std::string name(host);
    SSL_set_tlsext_host_name(ssl, name.c_str());
    SSL_set1_host(ssl, name.c_str());
    if (!impl_->allow_weak) SSL_set_hostflags(ssl, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  }
  if (SSL_SESSION* const session = impl_->sessions.Find(origin)) SSL_set_session(ssl, session);
  return stream;
}

TlsStream::TlsStream(SSL* ssl, std::string origin, TlsSessions* sessions)
    : ssl_(ssl), origin_(std::move(origin)), sessions_(sessions) {}

TlsStream::~TlsStream() {
  // Without it OpenSSL takes a session whose connection is not ended in form for a broken one.
  SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(ssl_);
}

TlsStream::Io TlsStream::ResultOf(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_NONE:
      return Io::kDone;
    case SSL_ERROR_WANT_READ:
      return Io::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Io::kWantWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Io::kEnd;
    case SSL_ERROR_SYSCALL:
      error_ = errno == 0 ? "connection closed" : std::strerror(errno);
      ERR_clear_error();
      return Io::kFailed;
    default:
      error_ = LastError("TLS failed");
      return Io::kFailed;
  }
}

TlsStream::Io TlsStream::Handshake() {
  errno = 0;
  ERR_clear_error();
  return ResultOf(SSL_connect(ssl_));
}

TlsStream::Io TlsStream::Read(std::span<char> buffer, size_t* size) {
  errno = 0;
  ERR_clear_error();
  return ResultOf(SSL_read_ex(ssl_, buffer.data(), buffer.size(), size));
}

TlsStream::Io TlsStream::Write(std::string_view text) {
  errno = 0;
  ERR_clear_error();
  size_t written = 0;
  return ResultOf(SSL_write_ex(ssl_, text.data(), text.size(), &written));
}

std::string TlsStream::CertificateError() const {
  const long result = SSL_get_verify_result(ssl_);
  if (result == X509_V_OK) return {};
  std::string error = X509_verify_cert_error_string(result);
  const X509* const certificate = SSL_get0_peer_certificate(ssl_);
  if (result == X509_V_ERR_HOSTNAME_MISMATCH && certificate != nullptr &&
      !HasAlternativeNames(certificate)) {
    error += ", the certificate has no subjectAltName";
  }
  return error;
}

std::optional<WallTime> TlsStream::CertificateEnd() const {
  const X509* const certificate = SSL_get0_peer_certificate(ssl_);
  std::tm end{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) {
    return std::nullopt;
  }
  return WallTime(std::chrono::seconds(timegm(&end)));
}

bool TlsStream::resumed() const { return SSL_session_reused(ssl_) == 1; }

}  // namespace orbweaver
