#include "common/runtime/signal_watcher.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "stop";

const char* NameOf(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM";
}

bool IsIgnored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

int PollMilliseconds(SteadyTime deadline) {
  if (deadline == SteadyTime::max()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - SystemClock().Now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

// Takes one signal; 0 when there is none.
int TakeSignal(int signal_fd) {
  signalfd_siginfo info;
  return read(signal_fd, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace

StopSignals::Meaning StopSignals::Take(int signal, SteadyTime now) {
  if (first_ == 0) {
    first_ = signal;
    first_at_ = now;
    return Meaning::kStop;
  }
  const bool by_hand = first_ == SIGINT || signal == SIGINT;
  return by_hand || now - first_at_ >= kSame ? Meaning::kEndAtOnce : Meaning::kSameAgain;
}

SignalWatcher::SignalWatcher(StopRequest& stop, Duration deadline, std::function<void()> hang_up)
    : stop_(stop), deadline_(deadline), hang_up_(std::move(hang_up)) {}

SignalWatcher::~SignalWatcher() { Stop(); }

void SignalWatcher::Start() {
  if (thread_.joinable()) return;
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (hang_up_ != nullptr || !IsIgnored(SIGHUP)) sigaddset(&signals, SIGHUP);
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  CHECK(signal_fd >= 0);
  thread_ = std::thread([this, signal_fd] { Run(signal_fd); });
}

void SignalWatcher::Stop() {
  done_.Request();
  if (thread_.joinable()) thread_.join();
}

void SignalWatcher::Run(int signal_fd) {
  using Meaning = StopSignals::Meaning;
  StopSignals signals;
  SteadyTime deadline = SteadyTime::max();
  while (!done_.requested()) {
    const bool stopping = deadline != SteadyTime::max();
    pollfd wanted[] = {
        {.fd = signal_fd, .events = POLLIN, .revents = 0},
        {.fd = done_.fd(), .events = POLLIN, .revents = 0},
        // Negative descriptors are not looked at.
        {.fd = stopping ? -1 : stop_.fd(), .events = POLLIN, .revents = 0},
    };
    poll(wanted, std::size(wanted), PollMilliseconds(deadline));
    if (done_.requested()) break;
    const int signal = TakeSignal(signal_fd);
    const bool is_hang_up = signal == SIGHUP && hang_up_ != nullptr;
    if (is_hang_up) hang_up_();
    const Meaning meaning =
        signal == 0 || is_hang_up ? Meaning::kSameAgain : signals.Take(signal, SystemClock().Now());
    if (meaning == Meaning::kEndAtOnce) {
      Log(LogLevel::kWarning, kModule, "second signal ({}): ending at once", NameOf(signal));
      _exit(128 + signal);
    }
    if (meaning == Meaning::kStop) {
      Log(LogLevel::kInfo, kModule, "{}: stopping, at most {} s. A second one ends at once.",
          NameOf(signal), Seconds(deadline_));
      stop_.Request();
    }
    if (!stopping && stop_.requested()) deadline = SystemClock().Now() + deadline_;
    if (stopping && SystemClock().Now() >= deadline) {
      Log(LogLevel::kError, kModule,
          "not stopped within {} s: ending at once. The work under way is done again after the "
          "next start.",
          Seconds(deadline_));
      _exit(kExitStopDeadline);
    }
  }
  close(signal_fd);
}

}  // namespace orbweaver
