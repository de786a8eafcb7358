// A crawl strategy as the core calls it: a shared library that was loaded and made.
//
// Place: below strategy_worker/core; loader.h makes it. The structs are the plugin ABI's own
// (strategy_worker/sdk/strategy_abi.h), so that nothing is copied between the core and a plugin.
// Not thread-safe; used by the core's thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual std::string_view name() const = 0;
  virtual uint32_t version() const = 0;

  // The three below are poison, with the plugin's name and its message, when the plugin fails or
  // throws: the event goes to dead-letter. Their outputs must not be used then.

  // keep[i] is 1 on entry; 0 drops links[i]. Called for LINKS and SEEDS, before states are loaded.
  virtual absl::Status Filter(const orbweaver_event& event, std::span<const orbweaver_link> links,
                              std::span<uint8_t> keep) = 0;

  // The spans have one length. *output and decisions are initialised by the caller as the ABI says.
  // On success messages and states can carry what was decided (output_check.h): poison otherwise.
  virtual absl::Status OnEvent(const orbweaver_event& event, std::span<const orbweaver_link> links,
                               std::span<const orbweaver_state> states,
                               std::span<orbweaver_decision> decisions,
                               orbweaver_output* output) = 0;

  // Turns another strategy's (or version's) domain bytes into this one's, kMaxStrategyBytes at
  // most.
  virtual absl::StatusOr<std::string> Adopt(std::string_view from_name, uint32_t from_version,
                                            std::string_view data) = 0;

  // Whether the crawl has reached its aim.
  virtual absl::StatusOr<bool> Finished() = 0;
};

}  // namespace orbweaver
