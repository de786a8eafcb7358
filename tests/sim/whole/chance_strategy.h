// A strategy that leaves some links out by chance, so that a replay decides otherwise than what it
// repeats: the crash protocol allows that, and some of its rules are needed for nothing else.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/random.h"
#include "strategy_worker/host/strategy.h"

namespace orbweaver::sim {

// Before another strategy, whose decisions on links it takes back now and then. One a process.
class ChanceStrategy : public Strategy {
 public:
  ChanceStrategy(std::unique_ptr<Strategy> strategy, uint64_t seed)
      : strategy_(std::move(strategy)), random_(seed) {}

  std::string_view name() const override { return strategy_->name(); }
  uint32_t version() const override { return strategy_->version(); }
  absl::Status Filter(const orbweaver_event& event, std::span<const orbweaver_link> links,
                      std::span<uint8_t> keep) override {
    return strategy_->Filter(event, links, keep);
  }
  absl::Status OnEvent(const orbweaver_event& event, std::span<const orbweaver_link> links,
                       std::span<const orbweaver_state> states,
                       std::span<orbweaver_decision> decisions, orbweaver_output* output) override {
    const absl::Status status = strategy_->OnEvent(event, links, states, decisions, output);
    if (!status.ok() || event.kind != ORBWEAVER_LINKS) return status;
    for (orbweaver_decision& decision : decisions) {
      if (random_.Chance(kLeftOut)) decision = orbweaver_decision{};
    }
    return status;
  }
  absl::StatusOr<std::string> Adopt(std::string_view from_name, uint32_t from_version,
                                    std::string_view data) override {
    return strategy_->Adopt(from_name, from_version, data);
  }
  absl::StatusOr<bool> Finished() override { return strategy_->Finished(); }

 private:
  static constexpr double kLeftOut = 0.3;

  const std::unique_ptr<Strategy> strategy_;
  Random random_;
};

}  // namespace orbweaver::sim
