// A connection's bytes, plain or through TLS.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/synthetic_web/certificates.h"

namespace orbweaver::synthetic {

// Place: in each Connection. Owns the socket, which must not block. Not thread-safe.
class Transport {
 public:
  enum class Result : unsigned char {
    kDone,
    kWantRead,   // call again when the socket is readable
    kWantWrite,  // ... writable
    kClosed,     // by the client, or the handshake failed
  };

  explicit Transport(int socket_fd) : fd_(socket_fd) {}
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  int fd() const { return fd_; }
  bool tls() const { return ssl_ != nullptr; }

  // From now on the client speaks TLS, and begins with a handshake.
  void StartTls(Certificates& certificates, const std::string& host);

  // Finishes the handshake; kDone at once without TLS.
  Result Handshake();

  // kDone: *size bytes were read, at least one.
  Result Read(char* buffer, size_t capacity, size_t* size);

  // Writes what the socket takes of both; *size says how much. kDone: all of it.
  Result Write(std::string_view first, std::string_view second, size_t* size);

  // Lets the client see a reset instead of an orderly end.
  void ResetOnClose();

 private:
  Result TlsResult(int result);
  Result WriteTls(std::string_view bytes, size_t* size);

  const int fd_;
  SSL* ssl_ = nullptr;
};

}  // namespace orbweaver::synthetic
