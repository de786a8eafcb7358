// Text from a configuration inside a message of one line.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver::config {

// The beginning of a long text; control characters as '?'.
std::string Excerpt(std::string_view text);

}  // namespace orbweaver::config
