#pragma once

#include "absl/status/statusor.h"

#include "common/runtime/stop_request.h"

namespace orbweaver {

// All that comes from `fd`, in a file without a name that goes with its descriptor, which is the
// caller's to close. Blocks until the end or until a stop is requested, which is an error as well.
absl::StatusOr<int> CopyToFile(int fd, const StopRequest& stop);

}  // namespace orbweaver
