// Handshakes with servers that offer keys and versions which browsers no longer accept.
#include <csignal>
#include <fstream>
#include <memory>
#include <openssl/dh.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/check.h"
#include "tests/support/http_fetcher_fixture.h"
#include "tests/support/raw_server.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

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
using Connection = std::unique_ptr<SSL, Freed<SSL_free>>;

Key RsaKey(unsigned bits) { return Key(EVP_RSA_gen(bits)); }
// The same one each time: it takes long to make.
Key Rsa2048Key() {
  static const Key key = RsaKey(2048);
  EVP_PKEY_up_ref(key.get());
  return Key(key.get());
}
Key EcKey() { return Key(EVP_EC_gen("P-256")); }

void AddExtension(X509* certificate, int nid, const char* value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
  CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Without `alternative_name` the name stands in the subject alone. `issuer` nullptr: an authority,
// signed by itself.
Certificate Make(EVP_PKEY* key, const char* name, const char* alternative_name, const X509* issuer,
                 EVP_PKEY* issuer_key) {
  Certificate certificate(X509_new());
  X509* const x = certificate.get();
  X509_set_version(x, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
  X509_gmtime_adj(X509_getm_notBefore(x), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x), 3600);
  X509_set_pubkey(x, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509_set_issuer_name(x, X509_get_subject_name(issuer == nullptr ? x : issuer));
  if (issuer == nullptr) AddExtension(x, NID_basic_constraints, "critical,CA:TRUE");
  if (alternative_name != nullptr) AddExtension(x, NID_subject_alt_name, alternative_name);
  CHECK(X509_sign(x, issuer == nullptr ? key : issuer_key, EVP_sha256()) > 0);
  return certificate;
}

struct Offer {
  Key key = EcKey();
  Key authority_key = EcKey();
  const char* alternative_name = "DNS:a.test";
  const char* dh_group = nullptr;  // TLS 1.2 with DHE alone
};

class TlsStrengthTest : public HttpFetcherTest {
 protected:
  TlsStrengthTest() { signal(SIGPIPE, SIG_IGN); }  // of servers whose client has gone
  ~TlsStrengthTest() override { fetcher_.reset(); }

  void Serve(const Offer& offer) {
    fetcher_.reset();
    server_.reset();
    const Certificate authority =
        Make(offer.authority_key.get(), "authority", nullptr, nullptr, nullptr);
    const Certificate certificate = Make(offer.key.get(), "a.test", offer.alternative_name,
                                         authority.get(), offer.authority_key.get());
    options_.authorities_file = (folder_.path() / "authority.pem").string();
    FILE* const file = fopen(options_.authorities_file.c_str(), "w");
    CHECK(file != nullptr && PEM_write_X509(file, authority.get()) == 1);
    fclose(file);
    context_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX* const context = context_.get();
    CHECK(SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0") == 1);
    CHECK(SSL_CTX_use_certificate(context, certificate.get()) == 1);
    CHECK(SSL_CTX_use_PrivateKey(context, offer.key.get()) == 1);
    SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("x"), 1);
    if (offer.dh_group != nullptr) OfferDh(offer.dh_group);
    server_ = std::make_unique<RawServer>([context](RawConnection& connection, int) {
      const Connection ssl(SSL_new(context));
      SSL_set_fd(ssl.get(), connection.fd());
      char request[4096];
      if (SSL_accept(ssl.get()) != 1 || SSL_read(ssl.get(), request, sizeof request) <= 0) return;
      constexpr std::string_view kAnswer =
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
      SSL_write(ssl.get(), kAnswer.data(), static_cast<int>(kAnswer.size()));
      connection.WaitForEnd();
    });
    LeadTo(server_->port());
  }

  // The outcome and its message.
  std::string Told() {
    const FetchResult result = Fetch("https://a.test/");
    return result.failure ? OutcomeOf(result) + ": " + result.message : OutcomeOf(result);
  }

  const ScratchFolder folder_;
  Context context_;
  std::unique_ptr<RawServer> server_;

 private:
  void OfferDh(const char* group) {
    EVP_PKEY_CTX* const make = EVP_PKEY_CTX_new_from_name(nullptr, "DH", nullptr);
    EVP_PKEY* parameters = nullptr;
    CHECK(EVP_PKEY_paramgen_init(make) == 1);
    CHECK(EVP_PKEY_CTX_set_group_name(make, group) == 1);
    CHECK(EVP_PKEY_paramgen(make, &parameters) == 1);
    EVP_PKEY_CTX_free(make);
    CHECK(SSL_CTX_set0_tmp_dh_pkey(context_.get(), parameters) == 1);
    CHECK(SSL_CTX_set_cipher_list(context_.get(), "DHE:@SECLEVEL=0") == 1);
    SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
  }
};

TEST_F(TlsStrengthTest, WhatBrowsersTakeIsTaken) {
  Serve({});
  EXPECT_EQ(Told(), "200");
  Serve({.key = Rsa2048Key(), .authority_key = Rsa2048Key()});
  EXPECT_EQ(Told(), "200");
  Serve({.key = Rsa2048Key(), .dh_group = "ffdhe2048"});
  EXPECT_EQ(Told(), "200");
}

TEST_F(TlsStrengthTest, AnRsaKeyBelow2048BitsIsRefusedAnywhereInTheChain) {
  for (const bool allowed : {false, true}) {
    options_.allow_weak_tls = allowed;
    Serve({.key = RsaKey(1024)});
    EXPECT_EQ(Told(),
              allowed ? "200" : "tls_certificate: certificate: EE certificate key too weak");
    Serve({.authority_key = RsaKey(1024)});
    EXPECT_EQ(Told(),
              allowed ? "200" : "tls_certificate: certificate: CA certificate key too weak");
  }
}

TEST_F(TlsStrengthTest, ACertificateWithoutAlternativeNamesIsRefused) {
  const Offer offer{.alternative_name = nullptr};
  Serve(offer);
  EXPECT_EQ(
      Told(),
      "tls_certificate: certificate: hostname mismatch, the certificate has no subjectAltName");
  // Where the names are others, they are what is wrong.
  Serve({.alternative_name = "DNS:b.test"});
  EXPECT_EQ(Told(), "tls_certificate: certificate: hostname mismatch");
  options_.allow_weak_tls = true;
  Serve(offer);
  EXPECT_EQ(Told(), "200");
}

TEST_F(TlsStrengthTest, ADhKeyBelow2048BitsEndsTheHandshake) {
  for (const char* group : {"modp_1536", "dh_1024_160"}) {
    for (const bool allowed : {false, true}) {
      options_.allow_weak_tls = allowed;
      Serve({.key = Rsa2048Key(), .dh_group = group});
      // The second could resume a session.
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(Told(), allowed ? "200" : "tls: TLS handshake: dh key too small") << group;
      }
    }
  }
}

TEST_F(TlsStrengthTest, TheEndOfACertificateIsToldWhetherItIsGoodOrNot) {
  const auto end = WallTime(std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch() + std::chrono::hours(1)));
  for (const char* name : {"DNS:a.test", "DNS:b.test"}) {
    Serve({.alternative_name = name});
    // The second resumes a session.
    for (int i = 0; i < 2; ++i) {
      const FetchResult result = Fetch("https://a.test/");
      ASSERT_TRUE(result.certificate_end.has_value()) << OutcomeOf(result);
      EXPECT_LT(std::chrono::abs(*result.certificate_end - end), std::chrono::minutes(10));
    }
  }
}

TEST_F(TlsStrengthTest, AWeakCertificateIsNotedWhereNoneIsRefusedAndResumingChangesNothing) {
  options_.verify_certificates = false;
  Serve({.key = RsaKey(1024)});
  for (const bool resumed : {false, true}) {
    const FetchResult noted = Fetch("https://a.test/");
    EXPECT_EQ(OutcomeOf(noted), "200");
    EXPECT_EQ(noted.tls_error, "EE certificate key too weak");
    EXPECT_EQ(fetcher().stats().tls_resumed, resumed ? 1u : 0u);
  }
}

}  // namespace
}  // namespace orbweaver
