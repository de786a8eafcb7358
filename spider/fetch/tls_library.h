#pragma once

typedef struct ossl_lib_ctx_st OSSL_LIB_CTX;

namespace orbweaver {

// OpenSSL with its default algorithms, but of what reads and holds keys only that which TLS and the
// certificates of web servers need. To read a public key OpenSSL 3.0 asks everything that might
// read one: most of the 100 us that a certificate costs there. openssl.cnf is not read.
//
// Made once a process, for ever, and thread-safe. nullptr, which is OpenSSL's own, when it cannot
// be made.
OSSL_LIB_CTX* TlsLibrary();

}  // namespace orbweaver
