// The files that the console serves, which stand in the program: assets.cmake makes them from the
// folder page/ and from openapi.json.
#pragma once

#include <span>
#include <string_view>

namespace orbweaver {

struct Asset {
  std::string_view name;  // "console.js"
  std::string_view content_type;
  std::string_view content;
  std::string_view gzipped;  // the same, compressed
};

// All of them; their contents live as long as the program.
std::span<const Asset> Assets();

// Null when there is none of this name.
const Asset* FindAsset(std::string_view name);

// A hash of all files together, in hexadecimal digits: other files, another hash.
std::string_view AssetsHash();

}  // namespace orbweaver
