// Which file each URL of a mirror gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

struct MirrorPage {
  std::string url;  // canonical
  std::string content_type;
  std::string path;
};

// Gives each page its path; their URLs differ, and so do the paths, none of which is what another
// one needs as a folder. Of URLs that want the same path one gets it, and the others one with their
// hash: first that which spells it (`/a/index.html` before `/a/`), then https before http, then by
// their text. Where a path is a file's and a folder's it is the folder's. So the files depend on
// which URLs there are, and on no order.
void ArrangeMirror(std::vector<MirrorPage>* pages);

// `to`'s place as seen from `from`: a relative link, percent-encoded, so that it means the same in
// any quotes of HTML and CSS. Both are paths of one mirror.
std::string RelativeLink(std::string_view from, std::string_view to);

}  // namespace orbweaver
