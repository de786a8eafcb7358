// The one place where Abseil's string_view (a type of its own in Debian 12) meets the standard's.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace orbweaver {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

template <typename View>
std::string_view ToStd(View text) {
  return {text.data(), text.size()};
}

}  // namespace orbweaver
