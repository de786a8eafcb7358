// A finished file of JSON lines becomes a Parquet file, whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace orbweaver {

inline constexpr std::string_view kParquetSuffix = ".parquet";
// Behind the name of a Parquet file that is still lines.
inline constexpr std::string_view kLinesEnding = ".lines.open";

// Writes `path` from `path`.lines.open, which then goes. Its writer holds that file's lock or has
// none any more; nobody else may convert it meanwhile. The steps: `path`.open is written and
// synced, it gets its name, the lines go. After a crash between any two of them a second call ends
// with the same rows once: a Parquet file says which lines it was made of. When others have the
// name, it gets a number more.
//
// Poison when a line is none of its kind, by the beginning of the name; fatal when the disk does
// not take it. The lines then stay. Memory: a row group of 32 MiB and the longest line.
absl::Status LinesToParquet(const std::string& path);

}  // namespace orbweaver
