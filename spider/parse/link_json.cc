#include "spider/parse/link_json.h"

#include <utility>

namespace orbweaver {

std::string_view LinkKindName(LinkKind kind) {
  static constexpr std::string_view kNames[] = {
      "anchor",    "frame",        "embed",   "redirect",  "refresh",
      "canonical", "sitemap_page", "sitemap", "feed_item", "feed"};
  return kNames[static_cast<size_t>(kind)];
}

std::string RelNames(uint32_t rel, std::string_view separator) {
  static constexpr std::pair<uint32_t, std::string_view> kNames[] = {
      {kRelNofollow, "nofollow"}, {kRelUgc, "ugc"}, {kRelSponsored, "sponsored"}};
  std::string names;
  for (const auto& [bit, name] : kNames) {
    if ((rel & bit) == 0) continue;
    if (!names.empty()) names.append(separator);
    names.append(name);
  }
  return names;
}

void WriteJson(const Link& link, JsonWriter* json) {
  json->BeginObject().Key("url").Value(link.url).Key("anchor").Value(link.anchor);
  json->Key("rel").Value(RelNames(link.rel, " "));
  json->Key("kind").Value(LinkKindName(link.kind)).EndObject();
}

}  // namespace orbweaver
