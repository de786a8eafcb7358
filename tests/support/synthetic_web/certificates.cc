#include "tests/support/synthetic_web/certificates.h"

#include <ctime>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "absl/container/flat_hash_map.h"

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kMaxKept = 4096;
constexpr time_t kYear_s = 365 * 24 * 3600;

template <auto free_function>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;

struct Wanted {
  std::string common_name;
  std::string dns_name;  // empty: an authority
  time_t from_s = 0;     // from now
  time_t to_s = 0;
};

void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// For `key`, signed by `issuer` with its key; `issuer` nullptr: by itself.
Certificate Make(const Wanted& wanted, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key) {
  Certificate certificate(X509_new());
  X509* const x = certificate.get();
  X509_set_version(x, 2);
  uint64_t serial = 0;
  CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(x), wanted.from_s);
  X509_gmtime_adj(X509_getm_notAfter(x), wanted.to_s);
  X509_set_pubkey(x, key);
  X509_NAME* const name = X509_get_subject_name(x);
  // At most 64 bytes (RFC 5280, ub-common-name); clients look at the alternative name.
  const std::string common = wanted.common_name.substr(0, 64);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0);
  X509* const signer = issuer == nullptr ? x : issuer;
  X509_set_issuer_name(x, X509_get_subject_name(signer));
  AddExtension(x, signer, NID_subject_key_identifier, "hash");
  if (wanted.dns_name.empty()) {
    AddExtension(x, signer, NID_basic_constraints, "critical,CA:TRUE");
    AddExtension(x, signer, NID_key_usage, "critical,keyCertSign,cRLSign");
  } else {
    AddExtension(x, signer, NID_basic_constraints, "critical,CA:FALSE");
    AddExtension(x, signer, NID_subject_alt_name, "DNS:" + wanted.dns_name);
  }
  CHECK(X509_sign(x, issuer == nullptr ? key : issuer_key, EVP_sha256()) > 0);
  return certificate;
}

// OpenSSL's latest error.
std::string Complaint() {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  return text;
}

}  // namespace

struct Certificates::Impl {
  const Web& web;
  Key authority_key;
  Certificate authority;
  std::string authority_pem;
  Key key;  // of all hosts
  Context context;
  absl::flat_hash_map<uint32_t, Certificate> kept;

  X509* For(uint32_t host) {
    if (const auto found = kept.find(host); found != kept.end()) return found->second.get();
    if (kept.size() >= kMaxKept) kept.clear();
    std::string name;
    web.hosts().AppendName(host, &name);
    Wanted wanted{.common_name = name, .dns_name = name, .from_s = -kYear_s, .to_s = kYear_s};
    bool self_signed = false;
    switch (web.hosts().TraitsOf(host).fault) {
      case Fault::kCertificateExpired:
        wanted.to_s = -24 * 3600;
        break;
      case Fault::kCertificateName:
        wanted.dns_name = "elsewhere.test";
        break;
      case Fault::kCertificateSelfSigned:
        self_signed = true;
        break;
      default:
        break;
    }
    Certificate made = self_signed ? Make(wanted, key.get(), nullptr, nullptr)
                                   : Make(wanted, key.get(), authority.get(), authority_key.get());
    return kept.emplace(host, std::move(made)).first->second.get();
  }

  bool Use(SSL* ssl, std::string_view name) {
    const std::optional<uint32_t> host = web.hosts().Find(name);
    if (!host || !web.hosts().TraitsOf(*host).https) return false;
    return SSL_use_certificate(ssl, For(*host)) == 1 && SSL_use_PrivateKey(ssl, key.get()) == 1;
  }

  static int OnServerName(SSL* ssl, int*, void* argument) {
    const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;  // the proxy's name, if there was one
    return static_cast<Impl*>(argument)->Use(ssl, name) ? SSL_TLSEXT_ERR_OK
                                                        : SSL_TLSEXT_ERR_ALERT_FATAL;
  }

  static int OnProtocols(SSL*, const unsigned char** out, unsigned char* out_size,
                         const unsigned char* in, unsigned int in_size, void*) {
    static constexpr unsigned char kHttp11[] = "\x08http/1.1";
    unsigned char* chosen = nullptr;
    const int result =
        SSL_select_next_proto(&chosen, out_size, kHttp11, sizeof kHttp11 - 1, in, in_size);
    *out = chosen;
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
  }
};

absl::StatusOr<std::unique_ptr<Certificates>> Certificates::Create(const Web& web) {
  auto impl = std::make_unique<Impl>(Impl{.web = web});
  impl->authority_key.reset(EVP_EC_gen("P-256"));
  impl->key.reset(EVP_EC_gen("P-256"));
  impl->context.reset(SSL_CTX_new(TLS_server_method()));
  if (!impl->authority_key || !impl->key || !impl->context) {
    return FatalError("make certificates: {}.", Complaint());
  }
  impl->authority = Make({.common_name = "Synthetic web", .from_s = -kYear_s, .to_s = kYear_s},
                         impl->authority_key.get(), nullptr, nullptr);
  BIO* const memory = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(memory, impl->authority.get());
  char* text = nullptr;
  const auto size = static_cast<size_t>(BIO_get_mem_data(memory, &text));
  impl->authority_pem.assign(text, size);
  BIO_free(memory);

  SSL_CTX* const context = impl->context.get();
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // A client that goes away without a word is none that is worth an error.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_tlsext_servername_callback(context, &Impl::OnServerName);
  SSL_CTX_set_tlsext_servername_arg(context, impl.get());
  SSL_CTX_set_alpn_select_cb(context, &Impl::OnProtocols, nullptr);
  return std::unique_ptr<Certificates>(new Certificates(std::move(impl)));
}

Certificates::Certificates(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Certificates::~Certificates() = default;

const std::string& Certificates::authority_pem() const { return impl_->authority_pem; }

SSL* Certificates::NewConnection(int socket_fd, const std::string& host) {
  SSL* const ssl = SSL_new(impl_->context.get());
  CHECK(ssl != nullptr);
  CHECK(SSL_set_fd(ssl, socket_fd) == 1);
  if (!host.empty()) impl_->Use(ssl, host);
  SSL_set_accept_state(ssl);
  return ssl;
}

}  // namespace orbweaver::synthetic
