// Sitemaps that are compressed as files: `sitemap.xml.gz`, which is no content encoding.
#pragma once

#include <string>
#include <string_view>

#include "spider/fetch/body_decoder.h"

namespace orbweaver {

// Whether a body is a gzip file (RFC 1952), as far as its first bytes tell.
bool IsGzipFile(std::string_view body);

enum class Unpacked : uint8_t {
  kWhole,
  kPart,     // cut off, broken further on, or larger than the bound
  kNothing,  // no gzip, no text, or a bomb
};

// Appends the file's text to `text`, which is empty, within `bounds`. Looks at the first piece and
// goes on only where it is text: archives of other kinds cost nothing. After kNothing `text` is
// empty.
Unpacked UnpackGzipFile(std::string_view file, const BodyBounds& bounds, std::string* text);

}  // namespace orbweaver
