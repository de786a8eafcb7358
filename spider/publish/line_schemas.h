// The columns that lines of each kind have as a Parquet file: the names of their JSON (page_lines,
// failure_file), with types. A field that is not here keeps its lines from becoming rows, so a test
// holds them against each other.
#pragma once

#include <string_view>

#include "common/parquet/schema.h"

namespace orbweaver {

// Of "pages", "links", "texts", "failures"; nullptr for others. Lives for ever.
const parquet::Schema* LineSchema(std::string_view kind);

}  // namespace orbweaver
