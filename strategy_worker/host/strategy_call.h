// The call into a strategy that is under way: for the words that are due when it crashes, or never
// comes back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pthread.h>
#include <span>

#include "absl/functional/function_ref.h"

#include "strategy_worker/host/fixed_text.h"
#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// One call: a handler of the strategy and what it was given. Views of the call's arguments.
struct CallArguments {
  const char* function = "";               // static: "OnPage"
  const orbweaver_event* event = nullptr;  // null: the call has none
  const orbweaver_link* links = nullptr;
  size_t link_count = 0;
};

// "OnPage for https://example.com/a", "OnLinks for 3 links to example.com from https://…",
// "Finished". Async-signal-safe.
void Describe(const CallArguments& call, FixedText* text);

// "OnPage" of an event's kind; static.
const char* HandlerOf(uint32_t kind);

// Place: one in each LoadedStrategy, written around every call by the thread that calls: a few
// stores and one compare-and-swap. Read from any thread by the watchdog (call_watchdog.h) and the
// handler of fatal signals (crash_report.h), which find all that exist; of more than kMostFound in
// one process, the first.
class StrategyCall {
 public:
  static constexpr size_t kMostFound = 8;

  // `strategy`: its name, which must outlive it.
  explicit StrategyCall(const char* strategy);
  ~StrategyCall();
  StrategyCall(const StrategyCall&) = delete;
  StrategyCall& operator=(const StrategyCall&) = delete;

  // The arguments stay as they are until End.
  void Begin(const CallArguments& arguments);
  // Waits while a reader holds the call.
  void End();

  const char* strategy() const { return strategy_; }
  // Of the last call.
  pthread_t thread() const { return thread_.load(std::memory_order_relaxed); }

  // The number of the call under way; nothing between calls.
  std::optional<uint64_t> Number() const;
  // Keeps call `number` from ending, so that its arguments can be read; false when it is over.
  bool Hold(uint64_t number);
  void Release(uint64_t number);
  // Of the call that is held.
  CallArguments arguments() const;

  // Calls `visit` for those that exist; none goes away meanwhile. The second is async-signal-safe
  // and does not keep them from going.
  static void ForEach(absl::FunctionRef<void(StrategyCall&)> visit);
  static void ForEachInSignal(absl::FunctionRef<void(StrategyCall&)> visit);

 private:
  // Of state_, whose other bits are the number of the last call.
  static constexpr uint64_t kUnderWay = 1;
  static constexpr uint64_t kHeld = 2;
  static constexpr int kNumberShift = 2;

  void BeginOnNewThread();

  const char* const strategy_;
  // Own synchronisation: what stands here is of the call that state_ says is under way.
  std::atomic<uint64_t> state_{0};
  std::atomic<const char*> function_{""};
  std::atomic<const orbweaver_event*> event_{nullptr};
  std::atomic<const orbweaver_link*> links_{nullptr};
  std::atomic<size_t> link_count_{0};
  std::atomic<pthread_t> thread_{};
};

// From Begin to End.
class CallScope {
 public:
  CallScope(StrategyCall& call, const CallArguments& arguments) : call_(call) {
    call_.Begin(arguments);
  }
  ~CallScope() { call_.End(); }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  StrategyCall& call_;
};

}  // namespace orbweaver
