#include "spider/publish/warc_head.h"

#include <algorithm>

#include "spider/parse/ascii.h"

namespace orbweaver {

std::string_view HeaderOf(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const size_t end = head.find('\n');
    const std::string_view line = TrimSpace(head.substr(0, end));
    if (line.empty()) return {};
    const size_t colon = line.find(':');
    if (EqualsIgnoreCase(line.substr(0, colon), name) && colon != std::string_view::npos) {
      return TrimSpace(line.substr(colon + 1));
    }
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
  }
  return {};
}

std::string_view StatusOf(std::string_view http_head) {
  std::string_view line = http_head.substr(0, http_head.find('\n'));
  line.remove_prefix(std::min(line.find(' '), line.size()));
  line = TrimSpace(line);
  return line.substr(0, line.find(' '));
}

}  // namespace orbweaver
