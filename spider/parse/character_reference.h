// Character references of HTML, "&amp;" and "&#38;" (HTML standard, 13.2.5.72 to 13.2.5.80).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orbweaver {

struct CharacterReference {
  // Of the reference in the document, its "&" included; 0 when there is none, and "&" is text.
  size_t size = 0;
  // The reference's text: one or two characters in UTF-8.
  std::string_view text() const { return {bytes.data(), text_size}; }

  std::array<char, 8> bytes;
  size_t text_size = 0;
};

// The reference that `text` begins with. `in_attribute`: in an attribute's value "&copy=1" is none,
// because values were full of unescaped URLs before there was a standard.
CharacterReference ReadCharacterReference(std::string_view text, bool in_attribute);

}  // namespace orbweaver
