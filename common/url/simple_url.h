// The links that need no parser: what the URL standard leaves as it is, known by one scan.
//
// Most links of real pages are such: `https://host/path?query` in lower case, `/path` or
// `page.html`, without dot segments or bytes to encode. Splitting them here costs a tenth of the
// full parser.
#pragma once

#include <string_view>

#include "common/url/url_parts.h"

namespace orbweaver {

// True when `link` is simple; `out` is then exactly what WhatwgParser gives (simple_url_test.cc and
// the fuzz target hold it to that), as views into `link` and what `base` points into. False says
// nothing about the link: ask the parser. `base` may be nullptr.
bool SplitSimpleUrl(std::string_view link, const UrlParts* base, UrlParts* out);

// The same of what follows the host: sets only path and query.
bool SplitSimplePath(std::string_view text, UrlParts* out);

// Whether the path is surely one of letters, digits and `-./_` without a dot segment or an empty
// one: there is then nothing in it to change. The quickest look; false says nothing.
bool IsPlainPath(std::string_view path);

}  // namespace orbweaver
