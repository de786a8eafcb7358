// The rules of a canonical path beyond the URL standard: optional rewriting, and protection against
// traps.
#pragma once

#include <string>
#include <string_view>

#include "common/url/options.h"
#include "common/url/parameter_names.h"
#include "common/url/url_error.h"

namespace orbweaver {

// All work on the path that begins at `start` of `url` and reaches to its end.

// Removes the parameters of segments that `names` has: `/a;jsessionid=1/b` becomes `/a/b`.
void DropPathParameters(const ParameterNames& names, size_t start, std::string* url);

// Replaces runs of slashes by one.
void CollapseSlashes(size_t start, std::string* url);

// kTooManySegments, kRepeatedSegments, or kNone. An empty last segment (`/a/`) does not count; the
// rule of repeats looks past empty ones.
UrlError CheckSegments(const UrlOptions& options, std::string_view path);

}  // namespace orbweaver
