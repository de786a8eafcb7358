// Asks the admin server of another process.
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"

namespace orbweaver {

// Sends `request` to `url`, which is HOST:PORT, http://HOST:PORT or https://HOST:PORT, on a
// connection of its own and waits for the whole answer, whatever its status; a body is sent as a
// form. Retry when there was none within `timeout`: it may have been done all the same. Poison when
// `url` is no such thing. Of https the certificate must be HOST's, and signed by one in the PEM
// file `trusted`. Without such a file it is not verified: so are processes of this machine asked,
// whose certificates are for the names that others know them by.
absl::StatusOr<AdminResponse> AskAdmin(const std::string& url, const AdminRequest& request,
                                       Duration timeout, const std::string& trusted = "");

}  // namespace orbweaver
