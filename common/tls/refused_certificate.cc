#include "common/tls/refused_certificate.h"

#include <openssl/x509_vfy.h>

#include "fmt/format.h"

namespace orbweaver {

std::string RefusedCertificate(long error, std::string_view ca_option) {
  const char* const words = X509_verify_cert_error_string(error);
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the server's certificate has expired. Renew it at the server";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the server's certificate is not valid yet. Is the clock of this machine right?";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format(
          "the server's certificate is for another host ({}). Reach the server by a name or an "
          "address that its certificate has",
          words);
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return fmt::format(
          "no known authority has signed the server's certificate ({}). Name the authority's file "
          "in {}",
          words, ca_option);
    default:
      return fmt::format("the server's certificate is refused: {}", words);
  }
}

}  // namespace orbweaver
