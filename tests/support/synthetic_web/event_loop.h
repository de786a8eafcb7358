// The server's one thread: accepts, and tells each connection when its socket or timer is ready.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "tests/support/synthetic_web/connection.h"

namespace orbweaver::synthetic {

struct EventLoopOptions {
  // More connections wait to be accepted.
  size_t max_connections = 20'000;
  // A client that sends or takes nothing for this long is dropped; also one that sends a request
  // byte by byte.
  Duration idle_timeout = std::chrono::seconds(60);
  // Refuses connections to addresses of this machine outside 127.0.0.0/8.
  bool loopback_only = true;
};

// Level-triggered epoll. Bounded by max_connections. All but Wake is for one thread.
class EventLoop {
 public:
  // `service` must outlive this.
  EventLoop(const EventLoopOptions& options, ConnectionService& service);
  ~EventLoop();

  // Takes a listening, nonblocking socket over. `tls`: its clients begin with a handshake.
  void AddListener(int socket_fd, bool tls);

  // Until `stop` is set and Wake called.
  void Run(const std::atomic<bool>& stop);

  // Makes Run look at `stop`. Thread-safe.
  void Wake();

 private:
  struct Listener {
    int fd;
    bool tls;
  };
  struct Client {
    std::unique_ptr<Connection> connection;
    uint32_t events = 0;  // what epoll watches for it
    SteadyTime timer{};   // its entry of timers_; zero: none
  };

  // Waits and deals with what has happened.
  void Round();
  void Accept(const Listener& listener);
  // nullptr when `data` is a client.
  const Listener* FindListener(const void* data) const;
  void WatchListeners(bool watch);
  void Apply(Client& client, const Connection::Wants& wants);
  void SetTimer(Client& client, SteadyTime at);
  void Close(Client& client);
  void FireTimers();
  // Drops idle clients, and accepts again when that had to pause.
  void Sweep();
  int WaitMilliseconds() const;

  const EventLoopOptions options_;
  ConnectionService& service_;
  const int epoll_fd_;
  const int wake_fd_;

  std::vector<std::unique_ptr<Listener>> listeners_;
  bool listening_ = true;
  std::unordered_map<Client*, std::unique_ptr<Client>> clients_;
  std::set<std::pair<SteadyTime, Client*>> timers_;
  SteadyTime next_sweep_;
  uint64_t next_id_ = 1;
  // When epoll was last asked for all that was ready.
  SteadyTime looked_at_{};
};

}  // namespace orbweaver::synthetic
