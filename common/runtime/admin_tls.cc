#include "common/runtime/admin_tls.h"

#include <cerrno>
#include <cstring>
#include <openssl/err.h>
#include <openssl/x509err.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/ssl/context.hpp>

#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr char kModule[] = "admin";

absl::Status CheckReadable(std::string_view kind, const std::string& file) {
  if (access(file.c_str(), R_OK) == 0) return absl::OkStatus();
  return FatalError("read the {} {}: {}", kind, file, std::strerror(errno));
}

}  // namespace

TlsCertificate::TlsCertificate(std::string certificate, std::string key)
    : certificate_(std::move(certificate)), key_(std::move(key)) {}

TlsCertificate::~TlsCertificate() = default;

absl::Status TlsCertificate::Load() {
  stamp_ = StampNow();
  ASSIGN_OR_RETURN(context_, Read());
  return absl::OkStatus();
}

ssl::context& TlsCertificate::Current() {
  if (const Stamp now = StampNow(); now != stamp_) {
    // Before the files are read: of a change in between the next connection sees another stamp.
    stamp_ = now;
    auto renewed = Read();
    if (renewed.ok()) {
      context_ = *std::move(renewed);
      Log(LogLevel::kInfo, kModule, "the certificate {} has changed: connections have the new one",
          certificate_);
    } else {
      Log(LogLevel::kWarning, kModule, "{}. The former certificate goes on",
          MessageOf(renewed.status()));
    }
  }
  return *context_;
}

TlsCertificate::Stamp TlsCertificate::StampNow() const {
  Stamp stamp{};
  auto* out = stamp.data();
  for (const std::string* const file : {&certificate_, &key_}) {
    struct stat of{};
    if (stat(file->c_str(), &of) != 0) of = {};
    for (const auto part :
         {static_cast<int64_t>(of.st_dev), static_cast<int64_t>(of.st_ino),
          static_cast<int64_t>(of.st_size), int64_t{of.st_mtim.tv_sec}, int64_t{of.st_mtim.tv_nsec},
          int64_t{of.st_ctim.tv_sec}, int64_t{of.st_ctim.tv_nsec}}) {
      *out++ = part;
    }
  }
  return stamp;
}

absl::StatusOr<std::unique_ptr<ssl::context>> TlsCertificate::Read() const {
  RETURN_IF_ERROR(CheckReadable("certificate", certificate_));
  RETURN_IF_ERROR(CheckReadable("private key", key_));
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                       ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  error_code error;
  // OpenSSL would ask at the terminal.
  context->set_password_callback([](size_t, ssl::context::password_purpose) { return ""; }, error);
  context->use_certificate_chain_file(certificate_, error);
  if (error) {
    return FatalError("read the certificate {}: {}. Give a chain of certificates in PEM form",
                      certificate_, error.message());
  }
  context->use_private_key_file(key_, ssl::context::pem, error);
  const auto code = static_cast<unsigned long>(error.value());
  if (error && ERR_GET_LIB(code) == ERR_LIB_X509 &&
      ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH) {
    return FatalError("read the private key {}: it is not the key of the certificate {}", key_,
                      certificate_);
  }
  if (error) {
    return FatalError("read the private key {}: {}. Give one in PEM form, without a password", key_,
                      error.message());
  }
  return context;
}

}  // namespace orbweaver
