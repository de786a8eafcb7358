#pragma once

#include <string_view>

#include "common/base/ids.h"

namespace orbweaver {

// XXH3-128, seed 0, of a canonical URL: the same digits as `xxhsum -H2`.
Fingerprint FingerprintOf(std::string_view canonical_url);

}  // namespace orbweaver
