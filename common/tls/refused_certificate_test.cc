#include "common/tls/refused_certificate.h"

#include <openssl/x509_vfy.h>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(RefusedCertificateTest, SaysTheCauseAndWhatToDoAboutIt) {
  EXPECT_EQ(RefusedCertificate(X509_V_ERR_CERT_HAS_EXPIRED, "ca"),
            "the server's certificate has expired. Renew it at the server");
  EXPECT_EQ(RefusedCertificate(X509_V_ERR_IP_ADDRESS_MISMATCH, "ca"),
            "the server's certificate is for another host (IP address mismatch). Reach the server "
            "by a name or an address that its certificate has");
  EXPECT_EQ(RefusedCertificate(X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, "hbase.tls.ca_file"),
            "no known authority has signed the server's certificate (self-signed certificate in "
            "certificate chain). Name the authority's file in hbase.tls.ca_file");
  EXPECT_EQ(RefusedCertificate(X509_V_ERR_CERT_REVOKED, "ca"),
            "the server's certificate is refused: certificate revoked");
}

}  // namespace
}  // namespace orbweaver
