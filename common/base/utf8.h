// Texts in messages are UTF-8, as Protocol Buffers demand of `string` fields: other languages'
// parsers refuse the whole message otherwise, and so do ours.
#pragma once

#include <cstddef>
#include <string_view>

namespace orbweaver {

// By RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF.
bool IsValidUtf8(std::string_view text);

// The longest prefix of at most `max_bytes` that does not cut a character. For bringing a title or
// an anchor to its bound before it is encoded.
std::string_view ClampUtf8(std::string_view text, size_t max_bytes);

}  // namespace orbweaver
