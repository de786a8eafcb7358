// The files that the console serves, which stand in the program: assets.cmake makes them from the
// folder page/ and from openapi.json.
#pragma once

#include <span>
#include <string_view>

namespace orbweaver {

struct Asset {
  std::string_view path;  // "/console.js"
  std::string_view content_type;
  std::string_view content;
};

// All of them; the content lives as long as the program.
std::span<const Asset> Assets();

// Null when there is none.
const Asset* FindAsset(std::string_view path);

}  // namespace orbweaver
