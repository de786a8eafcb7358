#include "tests/support/synthetic_web/event_loop.h"

#include <algorithm>
#include <ctime>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"

namespace orbweaver::synthetic {
namespace {

constexpr Duration kSweepInterval = std::chrono::seconds(1);
constexpr int kEvents = 1024;
// Also how far back an answer that was broken off may be taken to have ended.
constexpr std::chrono::milliseconds kLongestWait{5};
// So that accepting never keeps the others waiting.
constexpr int kAcceptsAtOnce = 64;

double ThreadCpuSeconds() {
  timespec time{};
  CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool IsLoopback(int socket_fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  return getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
         ntohl(address.sin_addr.s_addr) >> 24 == 127;
}

uint32_t EventsOf(const Connection::Wants& wants) {
  if (wants.write) return EPOLLOUT;
  return EPOLLRDHUP | (wants.read ? EPOLLIN : 0u);
}

bool IsHangup(const epoll_event& event) {
  return (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}

}  // namespace

EventLoop::EventLoop(const EventLoopOptions& options, ConnectionService& service)
    : options_(options),
      service_(service),
      epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      next_sweep_(SystemClock().Now() + kSweepInterval) {
  CHECK(epoll_fd_ >= 0 && wake_fd_ >= 0);
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event) == 0);
}

EventLoop::~EventLoop() {
  clients_.clear();
  for (const auto& listener : listeners_) close(listener->fd);
  close(wake_fd_);
  close(epoll_fd_);
}

void EventLoop::AddListener(int socket_fd, bool tls) {
  listeners_.push_back(std::make_unique<Listener>(Listener{.fd = socket_fd, .tls = tls}));
  epoll_event event{.events = EPOLLIN, .data = {.ptr = listeners_.back().get()}};
  CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, socket_fd, &event) == 0);
}

void EventLoop::Wake() {
  const uint64_t one = 1;
  CHECK(write(wake_fd_, &one, sizeof one) == sizeof one);
}

void EventLoop::Run(const std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_acquire)) {
    Round();
    FireTimers();
    if (SystemClock().Now() >= next_sweep_) Sweep();
  }
  service_.counters.cpu_s.store(ThreadCpuSeconds(), std::memory_order_relaxed);
}

void EventLoop::Round() {
  epoll_event events[kEvents];
  const SteadyTime now = SystemClock().Now();
  const int count = epoll_wait(epoll_fd_, events, kEvents, WaitMilliseconds());
  // Events that are ready now were not ready at the look before; after a full round more may be
  // ready.
  service_.seen_up_to = looked_at_;
  if (count < kEvents) looked_at_ = now;
  // First who broke an answer off, which may have happened before anything else of this round: its
  // next request must not be found to overlap. Each closes none but itself, so that the other
  // events stay valid.
  for (epoll_event& event : std::span(events, static_cast<size_t>(std::max(count, 0)))) {
    if (event.data.ptr == nullptr || FindListener(event.data.ptr) != nullptr) continue;
    Client& client = *static_cast<Client*>(event.data.ptr);
    if (!IsHangup(event) || !client.connection->answering()) continue;
    Apply(client, client.connection->OnHangup());
    event.data.ptr = nullptr;
  }
  for (const epoll_event& event : std::span(events, static_cast<size_t>(std::max(count, 0)))) {
    if (event.data.ptr == nullptr) continue;
    if (const Listener* const listener = FindListener(event.data.ptr)) {
      Accept(*listener);
      continue;
    }
    Client& client = *static_cast<Client*>(event.data.ptr);
    Apply(client, IsHangup(event) ? client.connection->OnHangup() : client.connection->OnReady());
  }
}

const EventLoop::Listener* EventLoop::FindListener(const void* data) const {
  const auto found = std::find_if(listeners_.begin(), listeners_.end(),
                                  [data](const auto& l) { return l.get() == data; });
  return found == listeners_.end() ? nullptr : found->get();
}

int EventLoop::WaitMilliseconds() const {
  const SteadyTime next =
      timers_.empty() ? next_sweep_ : std::min(next_sweep_, timers_.begin()->first);
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(next - SystemClock().Now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, kLongestWait.count()));
}

void EventLoop::Accept(const Listener& listener) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    if (clients_.size() >= options_.max_connections) return WatchListeners(false);
    const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      // Out of file descriptors: the sweep tries again.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        WatchListeners(false);
      }
      return;
    }
    if (options_.loopback_only && !IsLoopback(fd)) {
      close(fd);
      continue;
    }
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto client = std::make_unique<Client>();
    client->connection = std::make_unique<Connection>(service_, fd, next_id_++, listener.tls);
    client->events = EventsOf({.read = true});
    epoll_event event{.events = client->events, .data = {.ptr = client.get()}};
    CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0);
    Client* const key = client.get();
    clients_.emplace(key, std::move(client));
    service_.counters.open_connections.store(clients_.size(), std::memory_order_relaxed);
  }
}

void EventLoop::WatchListeners(bool watch) {
  if (listening_ == watch) return;
  listening_ = watch;
  for (const auto& listener : listeners_) {
    epoll_event event{.events = watch ? static_cast<uint32_t>(EPOLLIN) : 0u,
                      .data = {.ptr = listener.get()}};
    CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, listener->fd, &event) == 0);
  }
}

void EventLoop::Apply(Client& client, const Connection::Wants& wants) {
  if (wants.close) return Close(client);
  if (const uint32_t events = EventsOf(wants); events != client.events) {
    client.events = events;
    epoll_event event{.events = events, .data = {.ptr = &client}};
    CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, client.connection->fd(), &event) == 0);
  }
  SetTimer(client, wants.timer.value_or(SteadyTime{}));
}

void EventLoop::SetTimer(Client& client, SteadyTime at) {
  if (client.timer == at) return;
  if (client.timer != SteadyTime{}) timers_.erase({client.timer, &client});
  client.timer = at;
  if (at != SteadyTime{}) timers_.emplace(at, &client);
}

void EventLoop::Close(Client& client) {
  SetTimer(client, SteadyTime{});
  // Not by closing alone: a child that has been forked and not yet become another program holds the
  // socket open, and the events would go on for a client that is gone.
  CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, client.connection->fd(), nullptr) == 0);
  clients_.erase(&client);
  service_.counters.open_connections.store(clients_.size(), std::memory_order_relaxed);
}

void EventLoop::FireTimers() {
  const SteadyTime now = SystemClock().Now();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Client& client = *timers_.begin()->second;
    SetTimer(client, SteadyTime{});
    Apply(client, client.connection->OnTimer());
  }
}

void EventLoop::Sweep() {
  const SteadyTime now = SystemClock().Now();
  next_sweep_ = now + kSweepInterval;
  std::vector<Client*> idle;
  for (const auto& [client, owned] : clients_) {
    const std::optional<SteadyTime> since = client->connection->IdleSince();
    if (since && now - *since > options_.idle_timeout) idle.push_back(client);
  }
  for (Client* const client : idle) Close(*client);
  WatchListeners(true);
  service_.counters.cpu_s.store(ThreadCpuSeconds(), std::memory_order_relaxed);
}

}  // namespace orbweaver::synthetic
