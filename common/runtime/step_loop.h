// How a process runs a worker's core: one step after the other, and what each kind of error means.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/runtime/stop_request.h"

namespace orbweaver {

// A worker's core, as its process sees it. Used by one thread.
class Stepped {
 public:
  virtual ~Stepped() = default;

  // Does some work, or waits a moment for some; returns within seconds.
  //   retry    a server is away: the next call goes on where this one stood.
  //   Fenced   its partitions are another's, or a record that it sent was given up: of no use any
  //            more. Another made in its place goes on from what is written down, as after a crash.
  //   fatal    going on would be wrong.
  virtual absl::Status Step() = 0;

  // Finishes what is in hand, commits it and leaves the group. Errors as above; after a retry error
  // it is called again.
  virtual absl::Status Close() = 0;
};

// The fate of a process's core after a call that returned a status; making the core is such a call.
enum class CoreFate : uint8_t { kGoesOn, kWaits, kIsMadeAnew, kEndsTheProcess };

// The rule of RunSteps; simulated processes go by it too.
CoreFate FateAfter(const absl::Status& status);

// Makes a core and steps it until `stop` is requested, then closes it. Waits, longer each time,
// after retry errors; makes the core anew when it was fenced. Returns what is fatal, and poison,
// which no core should return. `name` is the log's module.
absl::Status RunSteps(std::string_view name,
                      const std::function<absl::StatusOr<std::unique_ptr<Stepped>>()>& make,
                      const StopRequest& stop);

}  // namespace orbweaver
