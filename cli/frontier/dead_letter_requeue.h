// Puts events of the dead-letter topic back into the spider log: `orbweaver log requeue`.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "cli/frontier/log_reader.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"

namespace orbweaver {

struct RequeueCounts {
  uint64_t put_back = 0;
  uint64_t before = 0;      // of the range, but put back by an earlier command
  uint64_t others = 0;      // of other topics
  uint64_t unreadable = 0;  // no entry of the spider log: they would come back at once
};

// Appends the events among the letters of `range` that `wanted` says true for, with the original's
// key, value and headers, in their order, and waits until all are durable. After every thousand of
// them a note in the dead-letter topic says which (kDeadLetterPutBackHeader), so that no later call
// puts them back again; a call that is killed has put back up to a thousand events that no note
// names. Letters that a worker's crash has written twice count once. Errors as the bus's; what was
// put back before one stays so.
absl::StatusOr<RequeueCounts> RequeueDeadLetters(Bus& bus, const LogRange& range,
                                                 absl::FunctionRef<bool(const Message&)> wanted,
                                                 Duration timeout);

// The same counts, of what RequeueDeadLetters would do now; writes nothing.
absl::StatusOr<RequeueCounts> CountDeadLetters(Bus& bus, const LogRange& range,
                                               absl::FunctionRef<bool(const Message&)> wanted,
                                               Duration timeout);

}  // namespace orbweaver
