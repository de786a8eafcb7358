// How much of a document Gumbo can be given without harm.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace orbweaver {

// The bounds that hold for what is given to Gumbo, which itself has none: its time grows with the
// square of the depth, of a tag's attributes and of unclosed formatting elements.
inline constexpr size_t kMaxGumboBytes = size_t{2} << 20;
inline constexpr size_t kMaxGumboDepth = 512;  // as browsers have it
inline constexpr size_t kMaxGumboFormatting = 64;
inline constexpr size_t kMaxGumboAttributes = 512;  // of one tag
// Elements that end tags may make it look at, a byte of the document; pages have fewer than one.
inline constexpr size_t kMaxGumboStepsPerByte = 8;

// The longest prefix of `html` within these bounds, as far as one pass without building a tree can
// tell; ends between two tags. A document made to deceive it meets the bound on Gumbo's memory.
// `nul_names` gets the places of NULs that names of attributes begin with.
std::string_view BoundForGumbo(std::string_view html, std::vector<size_t>* nul_names);

}  // namespace orbweaver
