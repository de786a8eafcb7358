// A page of the table of domains as JSON.
//
// Place: the console. Pure functions.
#pragma once

#include <string>

#include "cli/frontier/domain_table.h"

namespace orbweaver {

// An object: `domains`, `matches`, `domains_read`, `share`. Times are milliseconds since 1970, 0
// for none.
std::string DomainPageJson(const DomainPage& page);

}  // namespace orbweaver
