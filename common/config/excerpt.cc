#include "common/config/excerpt.h"

namespace orbweaver::config {

std::string Excerpt(std::string_view text) {
  constexpr size_t kMaxBytes = 100;
  std::string out(text.substr(0, kMaxBytes));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  if (text.size() > kMaxBytes) out += "…";
  return out;
}

}  // namespace orbweaver::config
