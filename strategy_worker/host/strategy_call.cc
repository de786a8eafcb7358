#include "strategy_worker/host/strategy_call.h"

#include <array>
#include <csignal>
#include <memory>
#include <sched.h>
#include <string_view>

#include "absl/base/const_init.h"
#include "absl/synchronization/mutex.h"

namespace orbweaver {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

absl::Mutex registry_mutex(absl::kConstInit);
std::array<std::atomic<StrategyCall*>, StrategyCall::kMostFound> registry;

std::string_view View(orbweaver_text text) { return {text.data, text.size}; }

// A stack for handlers of signals: that of a strategy which calls itself for ever is used up.
class SignalStack {
 public:
  SignalStack() {
    stack_t now{};
    // A sanitizer has its own.
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::make_unique<char[]>(kBytes);
    const stack_t own{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = kBytes};
    if (sigaltstack(&own, nullptr) != 0) memory_.reset();
  }
  ~SignalStack() {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    if (memory_ != nullptr) sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
  std::unique_ptr<char[]> memory_;
};

}  // namespace

const char* HandlerOf(uint32_t kind) {
  static constexpr const char* kNames[] = {"OnEvent", "OnSeeds",   "OnPage",
                                           "OnLinks", "OnFailure", "OnHost"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

void Describe(const CallArguments& call, FixedText* text) {
  text->Add(call.function);
  if (call.event == nullptr) return;
  const orbweaver_event& event = *call.event;
  text->Add(" for ");
  if (event.kind == ORBWEAVER_LINKS) {
    text->Add(call.link_count).Add(call.link_count == 1 ? " link to " : " links to ");
    text->Add(View(event.domain_view->name_view)).Add(" from ");
    text->Add(View(event.source_view->url_view));
  } else if (event.kind == ORBWEAVER_HOST) {
    text->Add(View(event.host_view->host_view));
  } else if (call.link_count > 0) {
    text->Add(View(call.links[0].url_view));
    if (call.link_count > 1) text->Add(" and ").Add(call.link_count - 1).Add(" more");
  } else {
    text->Add(View(event.domain_view->name_view));
  }
}

StrategyCall::StrategyCall(const char* strategy) : strategy_(strategy) {
  const absl::MutexLock lock(&registry_mutex);
  for (std::atomic<StrategyCall*>& place : registry) {
    StrategyCall* none = nullptr;
    if (place.compare_exchange_strong(none, this)) return;
  }
}

StrategyCall::~StrategyCall() {
  const absl::MutexLock lock(&registry_mutex);
  for (std::atomic<StrategyCall*>& place : registry) {
    StrategyCall* self = this;
    if (place.compare_exchange_strong(self, nullptr)) return;
  }
}

void StrategyCall::Begin(const CallArguments& arguments) {
  if (thread_.load(kRelaxed) != pthread_self()) BeginOnNewThread();
  function_.store(arguments.function, kRelaxed);
  event_.store(arguments.event, kRelaxed);
  links_.store(arguments.links, kRelaxed);
  link_count_.store(arguments.link_count, kRelaxed);
  const uint64_t number = (state_.load(kRelaxed) >> kNumberShift) + 1;
  state_.store(number << kNumberShift | kUnderWay, std::memory_order_release);
}

void StrategyCall::BeginOnNewThread() {
  thread_local const SignalStack stack;
  thread_.store(pthread_self(), kRelaxed);
}

void StrategyCall::End() {
  uint64_t under_way = state_.load(kRelaxed) & ~kHeld;
  while (!state_.compare_exchange_weak(under_way, under_way & ~kUnderWay, std::memory_order_acq_rel,
                                       kRelaxed)) {
    under_way &= ~kHeld;
    sched_yield();
  }
}

std::optional<uint64_t> StrategyCall::Number() const {
  const uint64_t state = state_.load(std::memory_order_acquire);
  if ((state & kUnderWay) == 0) return std::nullopt;
  return state >> kNumberShift;
}

bool StrategyCall::Hold(uint64_t number) {
  uint64_t under_way = number << kNumberShift | kUnderWay;
  return state_.compare_exchange_strong(under_way, under_way | kHeld, std::memory_order_acq_rel);
}

void StrategyCall::Release(uint64_t number) {
  state_.store(number << kNumberShift | kUnderWay, std::memory_order_release);
}

CallArguments StrategyCall::arguments() const {
  return {.function = function_.load(kRelaxed),
          .event = event_.load(kRelaxed),
          .links = links_.load(kRelaxed),
          .link_count = link_count_.load(kRelaxed)};
}

void StrategyCall::ForEach(absl::FunctionRef<void(StrategyCall&)> visit) {
  const absl::MutexLock lock(&registry_mutex);
  ForEachInSignal(visit);
}

void StrategyCall::ForEachInSignal(absl::FunctionRef<void(StrategyCall&)> visit) {
  for (const std::atomic<StrategyCall*>& place : registry) {
    if (StrategyCall* const call = place.load(); call != nullptr) visit(*call);
  }
}

}  // namespace orbweaver
