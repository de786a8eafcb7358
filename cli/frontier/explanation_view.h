// The explanation of a URL, for people and as JSON.
//
// Place: `orbweaver explain` and the console. Pure functions.
#pragma once

#include <string>

#include "cli/frontier/explanation.h"

namespace orbweaver {

// Some lines for people; an object.
std::string ExplanationText(const UrlFacts& facts, const Explanation& explanation, WallTime now);
std::string ExplanationJson(const UrlFacts& facts, const Explanation& explanation);

}  // namespace orbweaver
