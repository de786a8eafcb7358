// The small languages that stand in attributes of HTML.
#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver {

// The words of a rel attribute, in any case, that bear on links.
struct Rel {
  uint32_t bits = 0;  // the kRel… of common/model
  bool canonical = false;
  bool alternate = false;
  bool stylesheet = false;
  bool other_page = false;  // next, author and the like
  bool embedded = false;    // stylesheet, icon and the like
};
Rel ReadRel(std::string_view rel);

// The URL of <meta http-equiv=refresh content="5; url=…">; empty when it only reloads, or is no
// refresh at all. HTML standard, 4.2.5.3.
std::string_view RefreshUrl(std::string_view content);

// Takes the next URL of a srcset ("a.png 1x, b.png 2x"). False when there is none left. HTML
// standard, 4.8.4.2.2.
bool NextSrcsetUrl(std::string_view* srcset, std::string_view* url);

}  // namespace orbweaver
