// The head of an HTTP/1.1 response.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/synthetic_web/web.h"

namespace orbweaver::synthetic {

// With the headers that the answer has; dates are counted from now.
void AppendHead(const Answer& answer, bool keep_alive, std::string* out);

// With no more than this.
void AppendPlainHead(int status, std::string_view content_type, uint64_t content_length,
                     bool keep_alive, std::string* out);

}  // namespace orbweaver::synthetic
