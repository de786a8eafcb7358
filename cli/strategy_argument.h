// A strategy on the command line: NAME, FILE.py[#CLASS] or FILE.so[#NAME], and its parameters
// behind a colon.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace orbweaver {

// The options that `--strategy ARGUMENT` stands for, each with its value: strategy.path and
// strategy.name, then one for each parameter; those of the strategy `python` for a file of Python.
// A library counts before a name; it is found again from another working directory.
//
//   opic:max_pages=5,deny_urls=*/a/*,*/b/*,title="x,y=1"
//
// A colon or comma separates only where `PARAMETER=` follows it, so paths may hold colons and lists
// their commas. A value in double quotes may hold anything; "" within them stands for one. Fatal,
// without the name of the option: a parameter that is no PARAMETER=VALUE, or is given twice.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> StrategySettings(
    std::string_view argument);

}  // namespace orbweaver
