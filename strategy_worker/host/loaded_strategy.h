// A strategy of a shared library, made and running behind the C functions of strategy_abi.h.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "strategy_worker/host/strategy.h"
#include "strategy_worker/host/strategy_call.h"
#include "strategy_worker/host/strategy_library.h"
#include "strategy_worker/host/struct_sizes.h"

namespace orbweaver {

// Place: between the core and a plugin; loader.h makes it. Catches what a plugin throws, and
// refuses decisions that no message could carry, so that the core need not look at them again.
// Whether a requested URL is of the event's domain is the core's to see: it canonicalises.
class LoadedStrategy final : public Strategy {
 public:
  // `values`: one for each declared parameter, checked. Fatal, with the plugin's reason, when it
  // refuses them.
  static absl::StatusOr<std::unique_ptr<LoadedStrategy>> Make(const StrategyLibrary& library,
                                                              std::span<const std::string> values,
                                                              uint64_t seed);
  ~LoadedStrategy() override;
  LoadedStrategy(const LoadedStrategy&) = delete;
  LoadedStrategy& operator=(const LoadedStrategy&) = delete;

  std::string_view name() const override { return abi_.name; }
  uint32_t version() const override { return abi_.version; }

  absl::Status Filter(const orbweaver_event& event, std::span<const orbweaver_link> links,
                      std::span<uint8_t> keep) override;
  absl::Status OnEvent(const orbweaver_event& event, std::span<const orbweaver_link> links,
                       std::span<const orbweaver_state> states,
                       std::span<orbweaver_decision> decisions, orbweaver_output* output) override;
  absl::StatusOr<std::string> Adopt(std::string_view from_name, uint32_t from_version,
                                    std::string_view data) override;
  absl::StatusOr<bool> Finished() override;

  // Between two events: makes the strategy anew from what its author has changed. Fatal, with the
  // reason and what to do, when that cannot be; it goes on as it was then.
  absl::Status Reload();

 private:
  explicit LoadedStrategy(StrategyLibrary library);

  // Runs `function(error)` of the plugin; empty when it returns 0, else why it failed.
  template <typename Function>
  std::string Call(const CallArguments& arguments, Function function);

  // Says once that pages come without what the strategy works on.
  void LookForBody(const orbweaver_event& event);

  const StrategyLibrary library_;
  const orbweaver_strategy& abi_;
  StrategyCall call_;
  // As the strategy has them, and what it has asked for as the host has it: copies only where it
  // was built against smaller structs.
  ArrayOf<orbweaver_link> links_;
  ArrayOf<orbweaver_state> states_;
  ArrayOf<orbweaver_decision> decisions_;
  std::vector<orbweaver_request> requests_;
  void* self_ = nullptr;
  bool made_ = false;
  bool told_of_bodies_ = false;
};

}  // namespace orbweaver
