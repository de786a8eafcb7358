#include "common/url/fingerprint.h"

// Its functions inlined: hashing a URL takes fewer instructions than calling the library adds.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orbweaver {

Fingerprint FingerprintOf(std::string_view canonical_url) {
  const XXH128_hash_t hash = XXH3_128bits(canonical_url.data(), canonical_url.size());
  return {.high = hash.high64, .low = hash.low64};
}

}  // namespace orbweaver
