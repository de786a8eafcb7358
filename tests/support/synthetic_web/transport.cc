#include "tests/support/synthetic_web/transport.h"

#include <cerrno>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace orbweaver::synthetic {
namespace {

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Transport::~Transport() {
  SSL_free(ssl_);
  close(fd_);
}

void Transport::StartTls(Certificates& certificates, const std::string& host) {
  ssl_ = certificates.NewConnection(fd_, host);
}

Transport::Result Transport::Handshake() {
  if (ssl_ == nullptr || SSL_is_init_finished(ssl_)) return Result::kDone;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? Result::kDone : TlsResult(result);
}

Transport::Result Transport::TlsResult(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return Result::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Result::kWantWrite;
    default:
      return Result::kClosed;
  }
}

Transport::Result Transport::Read(char* buffer, size_t capacity, size_t* size) {
  if (ssl_ != nullptr) {
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_, buffer, capacity, size);
    return result == 1 ? Result::kDone : TlsResult(result);
  }
  const ssize_t result = recv(fd_, buffer, capacity, 0);
  if (result > 0) {
    *size = static_cast<size_t>(result);
    return Result::kDone;
  }
  return result < 0 && WouldBlock() ? Result::kWantRead : Result::kClosed;
}

Transport::Result Transport::Write(std::string_view first, std::string_view second, size_t* size) {
  *size = 0;
  if (ssl_ != nullptr) {
    const Result result = first.empty() ? Result::kDone : WriteTls(first, size);
    return result == Result::kDone && !second.empty() ? WriteTls(second, size) : result;
  }
  iovec parts[2] = {{const_cast<char*>(first.data()), first.size()},
                    {const_cast<char*>(second.data()), second.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  const ssize_t result = sendmsg(fd_, &message, MSG_NOSIGNAL);
  if (result < 0) return WouldBlock() ? Result::kWantWrite : Result::kClosed;
  *size = static_cast<size_t>(result);
  return *size == first.size() + second.size() ? Result::kDone : Result::kWantWrite;
}

Transport::Result Transport::WriteTls(std::string_view bytes, size_t* size) {
  while (!bytes.empty()) {
    size_t written = 0;
    ERR_clear_error();
    const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written);
    if (result != 1) return TlsResult(result);
    *size += written;
    bytes.remove_prefix(written);
  }
  return Result::kDone;
}

void Transport::ResetOnClose() {
  const linger none{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

}  // namespace orbweaver::synthetic
