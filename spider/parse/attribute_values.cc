#include "spider/parse/attribute_values.h"

#include <utility>

#include "common/model/spider_log.h"
#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f";

std::string_view SkipAll(std::string_view text, std::string_view bytes) {
  const size_t begin = text.find_first_not_of(bytes);
  return begin == std::string_view::npos ? text.substr(text.size()) : text.substr(begin);
}

}  // namespace

Rel ReadRel(std::string_view rel) {
  // In one pass, however many words there are.
  static constexpr std::pair<std::string_view, Rel> kWords[] = {
      {"nofollow", {.bits = kRelNofollow}},
      {"ugc", {.bits = kRelUgc}},
      {"sponsored", {.bits = kRelSponsored}},
      {"canonical", {.canonical = true}},
      {"alternate", {.alternate = true}},
      {"stylesheet", {.stylesheet = true, .embedded = true}},
      {"next", {.other_page = true}},
      {"prev", {.other_page = true}},
      {"previous", {.other_page = true}},
      {"first", {.other_page = true}},
      {"last", {.other_page = true}},
      {"start", {.other_page = true}},
      {"index", {.other_page = true}},
      {"contents", {.other_page = true}},
      {"up", {.other_page = true}},
      {"author", {.other_page = true}},
      {"help", {.other_page = true}},
      {"license", {.other_page = true}},
      {"amphtml", {.other_page = true}},
      {"icon", {.embedded = true}},
      {"apple-touch-icon", {.embedded = true}},
      {"preload", {.embedded = true}},
      {"modulepreload", {.embedded = true}},
      {"prefetch", {.embedded = true}},
      {"manifest", {.embedded = true}},
  };
  Rel found;
  std::string_view part;
  while (NextPart(&rel, kSpaces, &part)) {
    if (part.size() < 2) continue;
    for (const auto& [word, means] : kWords) {
      if (part.size() != word.size() || !EqualsIgnoreCase(part, word)) continue;
      found.bits |= means.bits;
      found.canonical |= means.canonical;
      found.alternate |= means.alternate;
      found.stylesheet |= means.stylesheet;
      found.other_page |= means.other_page;
      found.embedded |= means.embedded;
    }
  }
  return found;
}

std::string_view RefreshUrl(std::string_view content) {
  std::string_view rest = SkipAll(content, kSpaces);
  const std::string_view after_time = SkipAll(rest, "0123456789");
  const bool has_time = after_time.size() != rest.size();
  if (!has_time && !rest.starts_with('.')) return {};
  rest = SkipAll(after_time, "0123456789.");
  if (rest.empty() || (rest[0] != ';' && rest[0] != ',' && !IsSpace(rest[0]))) return {};
  rest = SkipAll(rest, kSpaces);
  if (rest.starts_with(';') || rest.starts_with(',')) rest.remove_prefix(1);
  rest = SkipAll(rest, kSpaces);
  if (StartsWithIgnoreCase(rest, "url")) {
    const std::string_view value = SkipAll(rest.substr(3), kSpaces);
    if (value.starts_with('=')) rest = SkipAll(value.substr(1), kSpaces);
  }
  if (rest.starts_with('"') || rest.starts_with('\'')) {
    const char quote = rest[0];
    rest.remove_prefix(1);
    rest = rest.substr(0, rest.find(quote));
  }
  return TrimSpace(rest);
}

bool NextSrcsetUrl(std::string_view* srcset, std::string_view* url) {
  *srcset = SkipAll(*srcset, " \t\r\n\f,");
  if (srcset->empty()) return false;
  *url = srcset->substr(0, srcset->find_first_of(kSpaces));
  srcset->remove_prefix(url->size());
  if (url->ends_with(',')) {
    while (url->ends_with(',')) url->remove_suffix(1);
    return true;
  }
  // Its descriptors, up to the next comma outside of parentheses.
  bool inside = false;
  size_t end = 0;
  while (end < srcset->size() && (inside || (*srcset)[end] != ',')) {
    if ((*srcset)[end] == '(') inside = true;
    if ((*srcset)[end] == ')') inside = false;
    ++end;
  }
  srcset->remove_prefix(end);
  return true;
}

}  // namespace orbweaver
