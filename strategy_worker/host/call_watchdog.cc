#include "strategy_worker/host/call_watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/time/time.h"
#include "fmt/format.h"

#include "common/config/value_text.h"

namespace orbweaver {
namespace {

constexpr Duration kLongestPause = std::chrono::seconds(1);

}  // namespace

std::optional<std::string> CallAges::FindOverdue(Duration since, Duration limit) {
  std::map<const StrategyCall*, Age> ages;
  std::optional<std::string> found;
  StrategyCall::ForEach([&](StrategyCall& call) {
    const auto number = call.Number();
    if (!number.has_value()) return;
    const auto before = ages_.find(&call);
    const bool is_same = before != ages_.end() && before->second.number == *number;
    const Duration age = is_same ? before->second.age + since : Duration::zero();
    ages[&call] = {*number, age};
    if (found.has_value() || age < limit || !call.Hold(*number)) return;
    FixedText text;
    Describe(call.arguments(), &text);
    call.Release(*number);
    found = fmt::format("strategy '{}' has been in {} for longer than strategy.time_limit ({})",
                        call.strategy(), text.view(), config::PrintDuration(limit));
  });
  ages_ = std::move(ages);
  return found;
}

CallWatchdog::CallWatchdog(Duration limit, std::function<void(std::string)> tell)
    : tell_(std::move(tell)) {
  if (limit > Duration::zero()) thread_ = std::thread([this, limit] { Run(limit); });
}

CallWatchdog::~CallWatchdog() {
  {
    const absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void CallWatchdog::Run(Duration limit) {
  const Duration pause = std::min(limit / 8, kLongestPause);
  CallAges ages;
  SteadyTime last = SystemClock().Now();
  while (true) {
    {
      const absl::MutexLock lock(&mutex_);
      mutex_.AwaitWithTimeout(absl::Condition(&stopping_), absl::FromChrono(pause));
      if (stopping_) return;
    }
    const SteadyTime now = SystemClock().Now();
    auto text = ages.FindOverdue(std::min(now - std::exchange(last, now), 2 * pause), limit);
    if (text.has_value()) return tell_(*std::move(text));
  }
}

}  // namespace orbweaver
