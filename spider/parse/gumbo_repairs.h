// Rewrites input that Gumbo reads otherwise than the standard, so that both mean the same.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orbweaver {

// The numbers of character references that are past all characters overflow in Gumbo and become
// some character, and a NUL that an attribute's name begins with is passed over. `nul_names` are
// the places of those, some perhaps behind the end. The document itself when it has neither, else a
// copy in `repaired` of the same size.
std::string_view RepairForGumbo(std::string_view html, std::span<const size_t> nul_names,
                                std::string* repaired);

}  // namespace orbweaver
