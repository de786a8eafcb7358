// Asks the admin server of another process.
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"

namespace orbweaver {

// Sends `request` to HOST:PORT on a connection of its own and waits for the whole answer, whatever
// its status; a body is sent as a form. Retry when there was none within `timeout`: it may have
// been done all the same. Poison when `address` is no HOST:PORT.
absl::StatusOr<AdminResponse> AskAdmin(const std::string& address, const AdminRequest& request,
                                       Duration timeout);

}  // namespace orbweaver
