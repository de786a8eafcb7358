// The certificate that the admin server shows.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace boost::asio::ssl {
class context;
}

namespace orbweaver {

// TLS 1.2 or later, with the chain of certificates in the file `certificate` and its private key in
// the file `key`, both PEM.
//
// Place: one in an admin server that speaks HTTPS. Certificates are renewed every few weeks, and by
// programs that know nothing of this one: so the files are looked at for each new connection, which
// costs microseconds where a handshake costs hundreds. Connections that are open keep the
// certificate that they began with. Not thread-safe.
class TlsCertificate {
 public:
  TlsCertificate(std::string certificate, std::string key);
  ~TlsCertificate();

  // Fatal, naming the file, when one cannot be read or is no such thing, the key has a password, or
  // it is not the certificate's.
  absl::Status Load();

  // For a new connection, after a successful Load: of the files as they are now. Where they cannot
  // be used, as between the writing of the one and of the other, the former ones go on, and the log
  // says why, once for each change.
  boost::asio::ssl::context& Current();

 private:
  // Of both files: what of a file changes whenever its bytes do; zeros of one that is not there.
  using Stamp = std::array<int64_t, 14>;
  Stamp StampNow() const;
  absl::StatusOr<std::unique_ptr<boost::asio::ssl::context>> Read() const;

  const std::string certificate_;
  const std::string key_;
  Stamp stamp_{};  // taken before the files were last read
  std::unique_ptr<boost::asio::ssl::context> context_;
};

}  // namespace orbweaver
