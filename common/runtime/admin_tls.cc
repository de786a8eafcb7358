#include "common/runtime/admin_tls.h"

#include <cerrno>
#include <cstring>
#include <openssl/err.h>
#include <openssl/x509err.h>
#include <string_view>
#include <unistd.h>

#include <boost/asio/ssl/context.hpp>

#include "common/base/status.h"

namespace orbweaver {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

absl::Status CheckReadable(std::string_view kind, const std::string& file) {
  if (access(file.c_str(), R_OK) == 0) return absl::OkStatus();
  return FatalError("read the {} {}: {}", kind, file, std::strerror(errno));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ssl::context>> LoadTls(const std::string& certificate,
                                                      const std::string& key) {
  RETURN_IF_ERROR(CheckReadable("certificate", certificate));
  RETURN_IF_ERROR(CheckReadable("private key", key));
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                       ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  error_code error;
  // OpenSSL would ask at the terminal.
  context->set_password_callback([](size_t, ssl::context::password_purpose) { return ""; }, error);
  context->use_certificate_chain_file(certificate, error);
  if (error) {
    return FatalError("read the certificate {}: {}. Give a chain of certificates in PEM form",
                      certificate, error.message());
  }
  context->use_private_key_file(key, ssl::context::pem, error);
  const auto code = static_cast<unsigned long>(error.value());
  if (error && ERR_GET_LIB(code) == ERR_LIB_X509 &&
      ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH) {
    return FatalError("read the private key {}: it is not the key of the certificate {}", key,
                      certificate);
  }
  if (error) {
    return FatalError("read the private key {}: {}. Give one in PEM form, without a password", key,
                      error.message());
  }
  return context;
}

}  // namespace orbweaver
