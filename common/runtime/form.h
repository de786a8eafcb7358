// Parameters as browsers and curl send them: `domain=example.com&for=1h`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace orbweaver {

using FormParams = std::map<std::string, std::string, std::less<>>;

// Decodes application/x-www-form-urlencoded; a name without `=` has an empty value. Poison when a
// percent sign is not followed by two hexadecimal digits or a name comes twice.
absl::StatusOr<FormParams> ParseForm(std::string_view text);

// The other way round; any bytes.
std::string EncodeForm(const FormParams& params);

}  // namespace orbweaver
