// Masks secrets in a configuration that is shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::config {

// Replaces a secret.
inline constexpr char kMask[] = "********";
// Replaces a user and a password in a URL.
inline constexpr char kMaskedUser[] = "********@";

// `text` with the mask in place of what stands before an `@` in its URLs and addresses, since a
// password may stand there: `http://********@proxy:3128`. Rather too much than too little.
std::string WithoutUserinfo(std::string_view text);

// Whether `key` matches one of `patterns`, in any case; a `*` at the end, at the beginning or alone
// stands for any text.
bool MatchesAny(std::string_view key, const std::vector<std::string>& patterns);

}  // namespace orbweaver::config
