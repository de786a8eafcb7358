// Headers whose values are lists.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "common/model/spider_log.h"

namespace orbweaver {

// Calls `take` for each element of each header of that name, in their order, without the white
// space around it; empty ones are passed over (RFC 9110, section 5.6.1). Names are in lower case.
template <typename Take>
void ForEachElement(std::span<const HttpHeader> headers, std::string_view name, const Take& take) {
  constexpr std::string_view kSpaces = " \t";
  for (const HttpHeader& header : headers) {
    if (header.name != name) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      std::string_view element = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(element.size() + 1, rest.size()));
      element.remove_prefix(std::min(element.find_first_not_of(kSpaces), element.size()));
      element = element.substr(0, element.find_last_not_of(kSpaces) + 1);
      if (!element.empty()) take(element);
    }
  }
}

}  // namespace orbweaver
