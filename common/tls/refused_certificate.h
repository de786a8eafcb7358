// Why a server's certificate was refused, in words for its user.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// `error` is OpenSSL's result of the verification, which is not X509_V_OK. `ca_option` names the
// option with the file of the authorities. The cause, and after a full stop what to do about it.
std::string RefusedCertificate(long error, std::string_view ca_option);

}  // namespace orbweaver
