// A TCP server that answers exactly what a test tells it to, for clients under attack.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace orbweaver {

// One accepted connection; closed when it goes.
class RawConnection {
 public:
  explicit RawConnection(int fd) : fd_(fd) {}
  ~RawConnection() { close(fd_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Up to and with the empty line of the next request; empty when the client has gone.
  std::string ReadHead() {
    size_t end;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      char buffer[4096];
      const ssize_t n = recv(fd_, buffer, sizeof buffer, 0);
      if (n <= 0) return {};
      received_.append(buffer, static_cast<size_t>(n));
    }
    std::string head = received_.substr(0, end + 4);
    received_.erase(0, end + 4);
    return head;
  }

  // False when the client has gone.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  // For those who speak TLS over it.
  int fd() const { return fd_; }

  // Until the client ends the connection.
  void WaitForEnd() const {
    char byte;
    while (recv(fd_, &byte, 1, 0) > 0) {
    }
  }

 private:
  const int fd_;
  std::string received_;
};

// Listens on a free port of loopback for its life; a thread a connection. Handlers are told which
// connection it is, from 0 on, and must come to an end when the client goes.
class RawServer {
 public:
  using Handler = std::function<void(RawConnection& connection, int number)>;

  explicit RawServer(Handler handler)
      : handler_(std::move(handler)), fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(fd_, generic, size), 0);
    EXPECT_EQ(listen(fd_, 128), 0);
    EXPECT_EQ(getsockname(fd_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Accept(); });
  }
  // After the clients have gone.
  ~RawServer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
    for (std::thread& serving : serving_) serving.join();
  }

  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void Accept() {
    for (;;) {
      const int client = accept(fd_, nullptr, nullptr);
      if (client < 0) return;
      serving_.emplace_back([this, client, number = connections_++] {
        RawConnection connection(client);
        handler_(connection, number);
      });
    }
  }

  const Handler handler_;
  const int fd_;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::vector<std::thread> serving_;  // of the accepting thread, until it has ended
  std::thread thread_;
};

}  // namespace orbweaver
