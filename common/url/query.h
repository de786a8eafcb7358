// The rules of a canonical query beyond the URL standard: parameters dropped and sorted.
#pragma once

#include <string>

#include "common/url/parameter_names.h"

namespace orbweaver {

// Both work on the query that begins at `start` of `url`, behind the question mark, and reaches to
// its end; parameters are what stands between `&`.

// Removes the parameters whose name `names` has.
void DropQueryParameters(const ParameterNames& names, size_t start, std::string* url);

// Orders the parameters by name, then by value; empty ones go. A URL that is then still longer than
// `max_bytes` is left in any order: nobody takes it.
void SortQueryParameters(size_t start, size_t max_bytes, std::string* url);

}  // namespace orbweaver
