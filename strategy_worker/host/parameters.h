// The parameters that a strategy declares, and their values from the configuration.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// Fatal when a declaration is broken: no name, one used twice, an unknown type, a default that is
// out of its own bounds.
absl::Status CheckDeclarations(std::span<const orbweaver_parameter> parameters);

// "an integer from 0 to 100".
std::string ExpectedValue(const orbweaver_parameter& parameter);

// A value for each parameter, in the order of declaration: the configured one or the default. Fatal
// with the nearest name, or with what is expected, when something configured does not fit.
absl::StatusOr<std::vector<std::string>> ParameterValues(
    std::span<const orbweaver_parameter> parameters,
    const std::map<std::string, std::string>& configured);

}  // namespace orbweaver
