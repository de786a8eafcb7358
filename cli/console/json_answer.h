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
// With the HTTP status of the error's kind: 404, 400 for poison, 503 for retry, else 500.
AdminResponse JsonError(const absl::Status& status, std::string_view hint = "");

}  // namespace orbweaver
