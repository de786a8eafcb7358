#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/model/spider_log.h"

namespace orbweaver {

// As command lines, metrics and logs spell a cause: "timeout_first_byte".
std::string_view FailureCauseName(FailureCause cause);

// The failure that an answer's status stands for; nullopt when the answer is a page, an unchanged
// one (304), or a redirect.
std::optional<FailureCause> FailureOfStatus(uint32_t status);

}  // namespace orbweaver
