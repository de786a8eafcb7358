#include "strategy_worker/host/crash_report.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

#include "strategy_worker/host/fixed_text.h"
#include "strategy_worker/host/strategy_call.h"

namespace orbweaver {
namespace {

struct FatalSignal {
  int number;
  const char* name;
  struct sigaction before;
};
FatalSignal fatal_signals[] = {{SIGSEGV, "SIGSEGV", {}},
                               {SIGBUS, "SIGBUS", {}},
                               {SIGILL, "SIGILL", {}},
                               {SIGFPE, "SIGFPE", {}},
                               {SIGABRT, "SIGABRT", {}}};

constexpr std::string_view kEventHint =
    ". Nothing is lost: the next start gives the strategy this event again, so mend the strategy "
    "or take another one.\n";

// Of the thread that reports; a second one waits for the end.
std::atomic<pthread_t> reporter{};
FixedText report;

void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

// The call that is under way, on this thread if there is one; null: none.
StrategyCall* CallUnderWay() {
  StrategyCall* found = nullptr;
  StrategyCall::ForEachInSignal([&found](StrategyCall& call) {
    if (!call.Number().has_value()) return;
    if (found == nullptr || pthread_equal(call.thread(), pthread_self()) != 0) found = &call;
  });
  return found;
}

// Returns how a sentence about it ends.
std::string_view DescribeCall(StrategyCall& call) {
  const auto number = call.Number();
  // It is not released: nothing is to change any more.
  if (!number.has_value() || !call.Hold(*number)) return ".\n";
  Describe(call.arguments(), &report);
  return call.arguments().event == nullptr ? ".\n" : kEventHint;
}

// A piece at a time: whatever the strategy has written over shows when it is read.
void Report(const char* signal) {
  StrategyCall* const call = CallUnderWay();
  report.Add(program_invocation_short_name).Add(": ");
  if (call != nullptr && pthread_equal(call->thread(), pthread_self()) != 0) {
    report.Add("strategy '").Add(call->strategy()).Add("' crashed (").Add(signal).Add(") in ");
    const std::string_view end = DescribeCall(*call);
    Write(report.view());
    Write(end);
    return;
  }
  char thread[16] = {};
  prctl(PR_GET_NAME, thread);
  report.Add("crashed (").Add(signal).Add(") in thread '").Add(thread);
  if (call == nullptr) {
    report.Add("', while no strategy was called");
  } else {
    report.Add("', while strategy '").Add(call->strategy()).Add("' was in ");
    DescribeCall(*call);
    report.Add("; if it has threads of its own, look there first");
  }
  Write(report.view());
  Write(". Nothing is lost: it goes on where it stood when it is started again.\n");
}

void OnFatalSignal(int number, siginfo_t* info, void*) {
  FatalSignal* signal = fatal_signals;
  while (signal->number != number) ++signal;
  pthread_t first{};
  if (reporter.compare_exchange_strong(first, pthread_self())) {
    Report(signal->name);
  } else if (pthread_equal(first, pthread_self()) != 0) {
    // Of the report itself: the arguments are broken.
    Write(report.view());
    Write(" (what it was given cannot be read)");
    Write(kEventHint);
  } else {
    while (true) pause();
  }
  sigaction(number, &signal->before, nullptr);
  // A signal that the processor raised comes again when the handler returns, with all registers as
  // they were.
  if (info->si_code <= 0) raise(number);
}

void AtExit() {
  StrategyCall* const call = CallUnderWay();
  if (call == nullptr || pthread_equal(call->thread(), pthread_self()) == 0) return;
  report.Add(program_invocation_short_name).Add(": strategy '").Add(call->strategy());
  report.Add("' ended the process by exit() in ");
  const std::string_view end = DescribeCall(*call);
  Write(report.view());
  Write(end);
  _exit(1);
}

void Install() {
  for (FatalSignal& signal : fatal_signals) {
    struct sigaction action{};
    action.sa_sigaction = OnFatalSignal;
    // A handler that fails itself must get through, and a stack may be used up.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(signal.number, &action, &signal.before);
  }
  std::atexit(AtExit);
}

}  // namespace

void ReportCrashes() {
  static const bool installed = [] {
    Install();
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace orbweaver
