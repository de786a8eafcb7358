// The shape of a URL: what many URLs of a site have in common.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver::lab {

// Host with port, first segment of the path, names of the query's parameters; each run of digits
// after the host as N: "https://a.com/item/17?page=3&s=x" and "http://a.com/item/9/more?page=1&s="
// are "a.com/item/…?page&s". "…" says that the path goes on.
std::string UrlPattern(std::string_view canonical_url);

}  // namespace orbweaver::lab
