#include "common/store/hbase/socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

// A server machine that vanished without a word is noticed after about a minute, also by a
// connection that nobody uses.
constexpr int kKeepAliveIdleSeconds = 30;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 3;

std::string ErrorText(int error) { return std::strerror(error); }

// Waits for `events`, or an error on the socket, which the next call on it tells.
absl::Status Wait(int fd, short events, std::string_view action, SteadyTime deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SystemClock().Now());
    pollfd entry{.fd = fd, .events = events, .revents = 0};
    const int ready =
        poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30)));
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return RetryError("{}: {}", action, ErrorText(errno));
    if (ready == 0 && left.count() <= 0) return TimeoutError("{}: timed out", action);
  }
}

void SetOption(int fd, int level, int option, int value) {
  // Each is a wish: a connection without it works.
  (void)setsockopt(fd, level, option, &value, sizeof value);
}

absl::Status ConnectFd(int fd, const addrinfo& address, SteadyTime deadline) {
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
  if (connect(fd, address.ai_addr, address.ai_addrlen) == 0) return absl::OkStatus();
  if (errno != EINPROGRESS) return RetryError("connect: {}", ErrorText(errno));
  RETURN_IF_ERROR(Wait(fd, POLLOUT, "connect", deadline));
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? absl::OkStatus() : RetryError("connect: {}", ErrorText(error));
}

IoStep StepOf(ssize_t result, IoStep wait, size_t* count) {
  if (result >= 0) {
    *count = static_cast<size_t>(result);
    return IoStep::kDone;
  }
  return errno == EAGAIN || errno == EINTR ? wait : IoStep::kFailed;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Socket>> Socket::Connect(const HostPort& peer, const TlsContext* tls,
                                                        SteadyTime deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(peer.host.c_str(), std::to_string(peer.port).c_str(), &hints, &found);
  if (error != 0) return RetryError("look up '{}': {}", peer.host, gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);

  absl::Status status;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return RetryError("open a socket: {}", ErrorText(errno));
    std::unique_ptr<Socket> socket(new Socket(fd));
    status = ConnectFd(fd, *address, deadline);
    if (!status.ok()) continue;
    if (tls != nullptr) {
      TlsSession& session = socket->tls_.emplace(*tls, fd, peer.host);
      RETURN_IF_ERROR(
          socket->Drive("TLS handshake", deadline, [&session] { return session.Handshake(); }));
    }
    return socket;
  }
  return status;
}

Socket::~Socket() {
  tls_.reset();
  close(fd_);
}

absl::StatusOr<size_t> Socket::Read(std::span<char> into, SteadyTime deadline) {
  size_t count = 0;
  bool closed = false;
  RETURN_IF_ERROR(Drive("wait for the answer", deadline, [&] {
    const IoStep step =
        tls_ ? tls_->Read(into, &count)
             : StepOf(recv(fd_, into.data(), into.size(), 0), IoStep::kWaitToRead, &count);
    closed = step == IoStep::kClosed;
    return closed ? IoStep::kDone : step;
  }));
  return closed ? 0 : count;
}

absl::Status Socket::Write(std::span<const char> bytes, SteadyTime deadline) {
  while (!bytes.empty()) {
    size_t count = 0;
    RETURN_IF_ERROR(Drive("send", deadline, [&] {
      return tls_ ? tls_->Write(bytes, &count)
                  : StepOf(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                           IoStep::kWaitToWrite, &count);
    }));
    bytes = bytes.subspan(count);
  }
  return absl::OkStatus();
}

absl::Status Socket::Drive(std::string_view action, SteadyTime deadline,
                           absl::FunctionRef<IoStep()> step) {
  for (;;) {
    errno = 0;
    switch (step()) {
      case IoStep::kDone:
        return absl::OkStatus();
      case IoStep::kWaitToRead:
        RETURN_IF_ERROR(Wait(fd_, POLLIN, action, deadline));
        break;
      case IoStep::kWaitToWrite:
        RETURN_IF_ERROR(Wait(fd_, POLLOUT, action, deadline));
        break;
      case IoStep::kClosed:
        return RetryError("{}: the server closed the connection", action);
      case IoStep::kFailed:
        if (tls_ && tls_->refused()) return FatalError("{}: {}", action, tls_->error());
        return RetryError("{}: {}", action, tls_ ? tls_->error() : ErrorText(errno));
    }
  }
}

}  // namespace orbweaver
