// Compresses the folder's values before RocksDB sees them: each byte of a value is written to the
// write-ahead log, mostly to a table file, and again by compactions. Texts that repeat, as the URLs
// of one domain do, take a third of the room.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// Appends to *out and returns true where that saves an eighth at least; leaves it alone otherwise.
// Few bytes are not tried.
bool Compress(std::string_view bytes, std::string* out);

// Appends to *out. False for what Compress did not write, with anything in *out; any bytes are
// safe.
[[nodiscard]] bool Decompress(std::string_view compressed, std::string* out);

}  // namespace orbweaver
