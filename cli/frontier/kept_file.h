// A small file of a crawl's folder that is written whole, again and again.
//
// Pure functions of a path; block for the disk. A reader sees the old file or the new one. One that
// a power cut tore is known by the checksum at its end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace orbweaver {

// `bytes` with their checksum behind them.
std::string WithChecksum(std::string bytes);

// Takes the checksum off; false: the bytes are not those that WithChecksum returned.
bool TakeChecksum(std::string_view* bytes);

// Written under another name, then renamed. Fatal: it cannot be written.
absl::Status KeepFile(const std::filesystem::path& file, std::string_view bytes);

// At most the first `most` bytes; empty where there is no file.
std::string ReadKeptFile(const std::filesystem::path& file, size_t most);

}  // namespace orbweaver
