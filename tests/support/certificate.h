// A certificate for tests of TLS. Users link OpenSSL::SSL.
#pragma once

#include <cstdio>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string>

#include "common/base/check.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {

// A certificate that signs itself, for `names` ("IP:127.0.0.1"), in two PEM files.
struct Certificate {
  explicit Certificate(const char* names) {
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, void (*)(X509*)> x509(X509_new(), X509_free);
    X509_set_version(x509.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(x509.get()), 3600);
    X509_set_pubkey(x509.get(), key.get());
    X509_NAME* const name = X509_get_subject_name(x509.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(x509.get(), name);
    X509_EXTENSION* const extension =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names);
    CHECK(extension != nullptr && X509_add_ext(x509.get(), extension, -1) == 1);
    X509_EXTENSION_free(extension);
    CHECK(X509_sign(x509.get(), key.get(), EVP_sha256()) != 0);
    Write(certificate_file, [&](FILE* f) { return PEM_write_X509(f, x509.get()); });
    Write(key_file, [&](FILE* f) {
      return PEM_write_PrivateKey(f, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }

  template <typename Writer>
  static void Write(const std::string& path, Writer writer) {
    FILE* const file = std::fopen(path.c_str(), "w");
    CHECK(file != nullptr && writer(file) == 1 && std::fclose(file) == 0);
  }

  const ScratchFolder folder;
  const std::string certificate_file = folder.path() / "certificate.pem";
  const std::string key_file = folder.path() / "key.pem";
};

}  // namespace orbweaver
