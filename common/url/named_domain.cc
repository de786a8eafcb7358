#include "common/url/named_domain.h"

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/excerpt.h"
#include "common/url/canonical.h"

namespace orbweaver {

absl::StatusOr<std::string> NamedDomain(std::string_view name, const UrlOptions& options,
                                        const PublicSuffixes& suffixes) {
  UrlCanonicalizer canonicalizer(options);
  const bool is_url = name.find("://") != std::string_view::npos;
  const UrlError error = canonicalizer.Canonicalize(is_url ? name : fmt::format("http://{}", name));
  if (name.empty() || error != UrlError::kNone) {
    return PoisonError("'{}' is not a valid domain ({}). Give a domain, a host or a URL",
                       config::Excerpt(name), name.empty() ? "empty" : UrlErrorName(error));
  }
  return std::string(suffixes.RegisteredDomain(canonicalizer.host()));
}

}  // namespace orbweaver
