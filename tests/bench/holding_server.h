// A web server on all of 127.0.0.0/8 that answers any request at once, or holds all back until it
// is told to answer.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <netinet/in.h>
#include <new>
#include <string_view>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "common/base/check.h"

namespace orbweaver {

// Served by as many child processes as are needed for the connections that are held, since each may
// have so many files open.
class HoldingServer {
 public:
  HoldingServer(int processes, bool hold) {
    held_ = new (Shared()) std::atomic<size_t>(0);
    int first = Listen(0);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    CHECK(getsockname(first, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    std::vector<int> listening = {first};
    while (static_cast<int>(listening.size()) < processes) listening.push_back(Listen(port_));
    int release[2];
    CHECK(pipe(release) == 0);
    for (const int fd : listening) {
      const pid_t child = fork();
      CHECK(child >= 0);
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        close(release[1]);  // whose end releases
        Serve(fd, release[0], hold);
        _exit(0);
      }
      children_.push_back(child);
      close(fd);
    }
    close(release[0]);
    release_ = release[1];
  }
  ~HoldingServer() {
    Release();
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    munmap(held_, sizeof *held_);
  }
  HoldingServer(const HoldingServer&) = delete;
  HoldingServer& operator=(const HoldingServer&) = delete;

  int port() const { return port_; }

  // Requests that wait for their answers, each on a connection of its own.
  size_t held() const { return held_->load(); }

  // From now on it answers, also what it has held.
  void Release() {
    // A byte that nobody reads: threads may hold copies of the end, so closing it would not do.
    if (release_ >= 0) CHECK(write(release_, "x", 1) == 1), close(release_);
    release_ = -1;
  }

 private:
  static constexpr std::string_view kAnswer =
      "HTTP/1.1 200 OK\r\nServer: holding\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n";

  // Memory that the children see too.
  static void* Shared() {
    void* const memory = mmap(nullptr, sizeof(std::atomic<size_t>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
  }

  static int Listen(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int yes = 1;
    CHECK(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) == 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    CHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    CHECK(listen(fd, 4096) == 0);
    return fd;
  }

  static void Watch(int epoll, int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
  }

  // The heads of requests are small: each comes in one piece.
  void Serve(int listening, int release, bool hold) {
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    Watch(epoll, listening);
    Watch(epoll, release);
    std::vector<int> held;
    std::vector<char> buffer(65536);
    std::vector<epoll_event> events(1024);
    for (;;) {
      const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<size_t>(i)].data.fd;
        if (fd == listening) {
          for (int client; (client = accept4(fd, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
            Watch(epoll, client);
          }
        } else if (fd == release) {
          hold = false;
          epoll_ctl(epoll, EPOLL_CTL_DEL, fd, nullptr);
          for (const int client : held) Answer(client);
          held.clear();
        } else if (read(fd, buffer.data(), buffer.size()) <= 0) {
          close(fd);
        } else if (hold) {
          held.push_back(fd);
          ++*held_;
        } else {
          Answer(fd);
        }
      }
    }
  }

  static void Answer(int fd) {
    if (write(fd, kAnswer.data(), kAnswer.size()) < 0) shutdown(fd, SHUT_RDWR);
  }

  std::atomic<size_t>* held_ = nullptr;
  int port_ = 0;
  int release_ = -1;
  std::vector<pid_t> children_;
};

}  // namespace orbweaver
