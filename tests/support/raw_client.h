// A TCP client that sends exactly what a test tells it to, for servers under attack.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace orbweaver {

// Connected to loopback for its life. Waits at most a minute for anything, which fails the test.
class RawClient {
 public:
  explicit RawClient(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False when the server has closed the connection already.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  // As `shutdown` by a client that only wants to read on.
  void EndSending() { shutdown(fd_, SHUT_WR); }

  // All until the server closes the connection.
  std::string ReadToEnd() {
    while (ReadSome()) {
    }
    return std::exchange(received_, {});
  }

  // All until `text` has come, including it.
  std::string ReadThrough(std::string_view text) {
    size_t at;
    while ((at = received_.find(text)) == std::string::npos) {
      if (!ReadSome()) {
        ADD_FAILURE() << "closed before '" << text << "' came, after: " << received_;
        return {};
      }
    }
    std::string out = received_.substr(0, at + text.size());
    received_.erase(0, at + text.size());
    return out;
  }

 private:
  bool ReadSome() {
    pollfd wanted{.fd = fd_, .events = POLLIN, .revents = 0};
    if (poll(&wanted, 1, 60'000) != 1) {
      ADD_FAILURE() << "the server neither answered nor closed the connection";
      return false;
    }
    char buffer[16 << 10];
    const ssize_t n = recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) return false;
    received_.append(buffer, static_cast<size_t>(n));
    return true;
  }

  const int fd_;
  std::string received_;
};

}  // namespace orbweaver
