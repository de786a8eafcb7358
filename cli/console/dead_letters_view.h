// A page of dead letters as JSON.
//
// Place: the console's API. A pure function.
#pragma once

#include <string>

#include "cli/frontier/dead_letter_list.h"

namespace orbweaver {

// An object: `letters`, and `next`, null behind the last page.
std::string LetterPageJson(const LetterPage& page);

}  // namespace orbweaver
