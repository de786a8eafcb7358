// The registered domain that an operator names.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/url/domain.h"
#include "common/url/options.h"

namespace orbweaver {

// `name` is a domain, a host or an http URL in any spelling: `example.com`, `WWW.Example.COM`,
// `bücher.de`, `https://www.example.com/a`. Any bytes may be given. Poison when it names no host
// that the DNS could have; so the domain always fits a message and a row key.
//
// Place: wherever a name comes from a person: actions of the admin server, the command line.
absl::StatusOr<std::string> NamedDomain(std::string_view name, const UrlOptions& options,
                                        const PublicSuffixes& suffixes);

}  // namespace orbweaver
