// Certificates for the hosts of the synthetic web, good and bad, from an authority of its own.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "tests/support/synthetic_web/web.h"

typedef struct ssl_st SSL;

namespace orbweaver::synthetic {

// Place: in the server. One key for all; a certificate is signed when its host is first asked for,
// and kept while there is room. Not thread-safe.
class Certificates {
 public:
  // Makes the authority: a key and a certificate that live as long as this.
  static absl::StatusOr<std::unique_ptr<Certificates>> Create(const Web& web);
  ~Certificates();

  // The authority that a client must trust, as PEM.
  const std::string& authority_pem() const;

  // A new server side of a TLS connection, nonblocking over `socket_fd`. `host` is the name the
  // client asked a proxy for; it may be empty, and then the client must name one itself (SNI). A
  // handshake for a name that is none of the web's fails. The caller frees it.
  SSL* NewConnection(int socket_fd, const std::string& host);

 private:
  struct Impl;
  explicit Certificates(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace orbweaver::synthetic
