// A YAML text as a small tree with line numbers, in the subset that a configuration needs.
//
// yaml-cpp's own nodes drop duplicate keys and follow aliases; its events do neither, so the tree
// is built from them. Refused with the line: anchors and aliases, tags, keys that are not plain
// text, a key given twice, a second document, more than kMaxDepth levels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace orbweaver::config {

inline constexpr size_t kMaxFileBytes = 1 << 20;
inline constexpr size_t kMaxDepth = 16;

struct YamlNode {
  enum class Kind { kNothing, kText, kList, kMap };

  Kind kind = Kind::kNothing;
  std::string key;  // in a map
  int line = 0;     // of the key, or of the value where there is none; from 1
  std::string text;
  std::vector<YamlNode> children;  // of a list or map, in their order
};

// `name` stands before the line in errors. An empty text is kNothing.
absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view name);

// Blocks to read. Fails on more than kMaxFileBytes too.
absl::StatusOr<YamlNode> ReadYaml(const std::string& path);

}  // namespace orbweaver::config
