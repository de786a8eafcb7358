#include "spider/mirror/mirror_layout.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

#include "common/url/percent.h"
#include "spider/publish/mirror_path.h"

namespace orbweaver {
namespace {

struct Claim {
  size_t page = 0;
  bool spelled = false;
};

// Whether `a` gets a path that both want.
bool GoesBefore(const Claim& a, const Claim& b, const std::vector<MirrorPage>& pages) {
  if (a.spelled != b.spelled) return a.spelled;
  const std::string& first = pages[a.page].url;
  const std::string& second = pages[b.page].url;
  const bool secure = first.starts_with("https:");
  return secure != second.starts_with("https:") ? secure : first < second;
}

}  // namespace

void ArrangeMirror(
    std::vector<MirrorPage>* pages,
    absl::FunctionRef<bool(const MirrorPage& owner, const MirrorPage& other)> is_same) {
  absl::flat_hash_map<std::string, Claim> best;
  absl::flat_hash_set<std::string> folders;
  for (size_t i = 0; i < pages->size(); ++i) {
    MirrorPath wanted = MirrorPathOf((*pages)[i].url, (*pages)[i].content_type);
    for (size_t slash = wanted.path.find('/'); slash != std::string::npos;
         slash = wanted.path.find('/', slash + 1)) {
      folders.insert(wanted.path.substr(0, slash));
    }
    const Claim claim{.page = i, .spelled = wanted.spelled};
    const auto [known, is_new] = best.try_emplace(wanted.path, claim);
    if (!is_new && GoesBefore(claim, known->second, *pages)) known->second = claim;
    (*pages)[i].path = std::move(wanted.path);
  }
  for (size_t i = 0; i < pages->size(); ++i) {
    MirrorPage& page = (*pages)[i];
    const size_t owner = best.at(page.path).page;
    const bool is_file = !folders.contains(page.path);
    if (is_file && owner == i) continue;
    page.shares_file = is_file && is_same((*pages)[owner], page);
    if (!page.shares_file) page.path = UniqueMirrorPath(page.path, page.url);
  }
}

std::string RelativeLink(std::string_view from, std::string_view to) {
  // The folders that both stand in.
  size_t common = 0;
  for (size_t i = 0; i < std::min(from.size(), to.size()) && from[i] == to[i]; ++i) {
    if (from[i] == '/') common = i + 1;
  }
  std::string link;
  const auto up = std::count(from.begin() + static_cast<std::ptrdiff_t>(common), from.end(), '/');
  for (std::ptrdiff_t i = 0; i < up; ++i) link += "../";
  for (const char c : to.substr(common)) {
    if (c == '/' || IsUnreserved(c)) {
      link.push_back(c);
    } else {
      AppendPercentEscape(c, &link);
    }
  }
  return link;
}

}  // namespace orbweaver
