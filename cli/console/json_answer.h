// Answers of the console's API.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "common/runtime/admin_message.h"

namespace orbweaver {

AdminResponse JsonAnswer(int status, std::string body);

// {"error": TEXT}
AdminResponse JsonError(int status, std::string_view text);
// With HttpStatusOf(status).
AdminResponse JsonError(const absl::Status& status, std::string_view hint = "");
// 405. `allowed`: methods, as in the header Allow: "GET, HEAD".
AdminResponse JsonNotAllowed(std::string_view allowed);

}  // namespace orbweaver
