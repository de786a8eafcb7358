// The small languages that stand in attributes of HTML.
#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver {

// Whether the words of `list` (rel, and the like) have `word`, in any case.
bool HasWord(std::string_view list, std::string_view word);

// The kRel… bits of common/model that a rel attribute stands for.
uint32_t RelBits(std::string_view rel);

// The URL of <meta http-equiv=refresh content="5; url=…">; empty when it only reloads, or is no
// refresh at all. HTML standard, 4.2.5.3.
std::string_view RefreshUrl(std::string_view content);

// Takes the next URL of a srcset ("a.png 1x, b.png 2x"). False when there is none left. HTML
// standard, 4.8.4.2.2.
bool NextSrcsetUrl(std::string_view* srcset, std::string_view* url);

}  // namespace orbweaver
