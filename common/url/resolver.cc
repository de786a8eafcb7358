#include "common/url/resolver.h"

#include "common/url/fingerprint.h"

namespace orbweaver {

UrlError UrlResolver::Resolve(std::string_view link, ResolvedUrl* out) {
  if (const UrlError error = canonicalizer_.Canonicalize(link); error != UrlError::kNone) {
    return error;
  }
  const DomainCache::Answer answer = domains_.Find(canonicalizer_.host());
  *out = {.url = canonicalizer_.url(),
          .domain = answer.domain,
          .slot = answer.slot,
          .fingerprint = FingerprintOf(canonicalizer_.url())};
  return UrlError::kNone;
}

}  // namespace orbweaver
