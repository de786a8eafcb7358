// Which file each URL of a mirror gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"

namespace orbweaver {

struct MirrorPage {
  std::string url;  // canonical
  std::string content_type;
  std::string path;
  bool shares_file = false;  // the file is another page's, which has the same content
};

// Gives each page its path; their URLs differ. No path is what another one needs as a folder. Of
// URLs that want the same path one gets it: first that which spells it (`/a/index.html` before
// `/a/`), then https before http, then by their text. The others share its file where `is_same`
// says that both are one page, and else have a path with their hash. Where a path is a file's and a
// folder's it is the folder's. So the files depend on which pages there are, and on no order.
void ArrangeMirror(
    std::vector<MirrorPage>* pages,
    absl::FunctionRef<bool(const MirrorPage& owner, const MirrorPage& other)> is_same);

// `to`'s place as seen from `from`: a relative link, percent-encoded, so that it means the same in
// any quotes of HTML and CSS. Both are paths of one mirror.
std::string RelativeLink(std::string_view from, std::string_view to);

}  // namespace orbweaver
