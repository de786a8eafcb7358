// Which known name a misspelled one was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::config {

// The nearest of `known` by edits, when few are needed; else the only one that ends in the same
// word ("port" for "admin.port"); else empty.
std::string Nearest(std::string_view name, const std::vector<std::string>& known);

}  // namespace orbweaver::config
