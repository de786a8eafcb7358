// gzip as an HTTP content coding (RFC 9110, section 8.4).
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// Whether a client that sent this Accept-Encoding takes gzip; one that sent none does not.
bool AcceptsGzip(std::string_view accept_encoding);

// `text`, compressed quickly rather than well.
std::string Gzip(std::string_view text);

}  // namespace orbweaver
