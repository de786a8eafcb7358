// URLs in the order in which indexes of archives are sorted.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// The key by which tools for web archives look a URL up: the host turned round ("com,example)/a"),
// without scheme, `www.` and session identifiers, in lower case, the query's arguments sorted. The
// rules are those of the Wayback Machine (archive-commons, the Python package `surt`). `url` is
// canonical.
std::string SurtOf(std::string_view url);

}  // namespace orbweaver
