// Secrets that are compared with what a stranger sends: tokens, sessions, codes.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// Takes as long for a wrong `presented` of some length as for a right one. False when `secret` is
// empty: nothing is configured, so nothing is right.
bool SameSecret(std::string_view presented, std::string_view secret);

// 32 hexadecimal digits from the system's random source (getrandom), which nobody guesses. Blocks
// only in the first moments after the machine has booted.
std::string NewSecret();

// The token of `Authorization: Bearer TOKEN` (RFC 6750, section 2.1; the scheme's case does not
// matter, RFC 9110, section 11.1). Empty: the header's value is no such thing.
std::string_view BearerToken(std::string_view authorization);

}  // namespace orbweaver
