// The header by which a reader knows that it can understand a message at all. Messages of
// orbweaver.v1 need none: a header a record costs a tenth of what sending it does.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace orbweaver {

inline constexpr std::string_view kSchemaHeader = "schema";
inline constexpr std::string_view kSchema = "orbweaver.v1";

// `value` is the message's `schema` header, empty when it has none: then it is of v1. Poison,
// naming what was found and what is known, when it is not ours. To be called before any decoder.
absl::Status CheckSchema(std::string_view value);

}  // namespace orbweaver
