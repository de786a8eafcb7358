// Heads of WARC records and of the answers in them, read from files.
#pragma once

#include <string_view>

namespace orbweaver {

// The value of the first header of that name, up to the empty line; empty when there is none.
std::string_view HeaderOf(std::string_view head, std::string_view name);

// "200" of "HTTP/1.1 200 OK".
std::string_view StatusOf(std::string_view http_head);

}  // namespace orbweaver
