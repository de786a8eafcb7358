#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "common/model/spider_log.h"

namespace orbweaver {

// As command lines, metrics and logs spell a cause: "timeout_first_byte".
std::string_view FailureCauseName(FailureCause cause);

inline bool IsAmong(FailureCause cause, std::initializer_list<FailureCause> causes) {
  return std::ranges::find(causes, cause) != causes.end();
}

// 301, 302, 303, 307 and 308.
bool IsRedirect(uint32_t status);

// The failure that an answer's status stands for; nullopt when the answer is a page, an unchanged
// one (304), or a redirect.
std::optional<FailureCause> FailureOfStatus(uint32_t status);

}  // namespace orbweaver
