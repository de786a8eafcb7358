// The certificate that the admin server shows.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace boost::asio::ssl {
class context;
}

namespace orbweaver {

// TLS 1.2 or later, with the chain of certificates in the file `certificate` and its private key in
// the file `key`, both PEM. Fatal, naming the file, when one cannot be read or is no such thing,
// the key has a password, or it is not the certificate's.
absl::StatusOr<std::unique_ptr<boost::asio::ssl::context>> LoadTls(const std::string& certificate,
                                                                   const std::string& key);

}  // namespace orbweaver
