// Where the URL stands in a line of a list.
#pragma once

#include <cstddef>
#include <string_view>

namespace orbweaver {

// Without a `column` (0) the URL is the first word of the line, or the text between quotes that
// begins it; with one it is that column, from 1 on, of a line of CSV. Empty: the line is empty, a
// comment (it begins with #), or lacks the column. A view into `line`.
std::string_view UrlColumn(std::string_view line, size_t column);

}  // namespace orbweaver
