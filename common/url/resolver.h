// From a link as it stands in a page to all that the rest of the system wants to know about it.
#pragma once

#include <string_view>

#include "common/base/ids.h"
#include "common/url/canonical.h"
#include "common/url/domain_cache.h"

namespace orbweaver {

struct ResolvedUrl {
  std::string_view url;     // canonical
  std::string_view domain;  // registered
  Slot slot;                // of the domain
  Fingerprint fingerprint;  // of the URL
};

// Place: spider (links, redirects), seeds, the command line.
// Not thread-safe; one a thread, kept for long: it owns the buffers and the domain cache.
class UrlResolver {
 public:
  // `suffixes` must outlive this.
  UrlResolver(const UrlOptions& options, const PublicSuffixes& suffixes)
      : canonicalizer_(options), domains_(suffixes) {}

  // As UrlCanonicalizer's.
  UrlError SetBase(std::string_view url) { return canonicalizer_.SetBase(url); }
  void ClearBase() { canonicalizer_.ClearBase(); }

  // `link` may be any bytes. `out` is valid until the next call, and untouched on an error.
  UrlError Resolve(std::string_view link, ResolvedUrl* out);

 private:
  UrlCanonicalizer canonicalizer_;
  DomainCache domains_;
};

}  // namespace orbweaver
