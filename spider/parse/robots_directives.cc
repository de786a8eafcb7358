#include "spider/parse/robots_directives.h"

#include <algorithm>

#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

// Directives that have a value, and so a colon that ends no name of a crawler.
bool TakesValue(std::string_view directive) {
  return EqualsIgnoreCase(directive, "unavailable_after") ||
         EqualsIgnoreCase(directive, "max-snippet") ||
         EqualsIgnoreCase(directive, "max-image-preview") ||
         EqualsIgnoreCase(directive, "max-video-preview");
}

}  // namespace

void RobotsDirectives::Clear() {
  text_.clear();
  nofollow_ = false;
}

void RobotsDirectives::AddMeta(std::string_view meta_name, std::string_view content) {
  meta_name = TrimSpace(meta_name);
  const bool is_ours = !name_.empty() && EqualsIgnoreCase(meta_name, name_);
  if (!is_ours && !EqualsIgnoreCase(meta_name, "robots")) return;
  std::string_view directive;
  while (NextPart(&content, ",", &directive)) Add(directive);
}

void RobotsDirectives::AddHeader(std::string_view value) {
  bool ours = true;
  std::string_view directive;
  while (NextPart(&value, ",", &directive)) {
    const size_t colon = directive.find(':');
    if (colon != std::string_view::npos) {
      const std::string_view name = TrimSpace(directive.substr(0, colon));
      if (!TakesValue(name)) {
        // A name holds for what follows it in this header.
        ours = EqualsIgnoreCase(name, name_) || EqualsIgnoreCase(name, "robots") || name == "*";
        directive = TrimSpace(directive.substr(colon + 1));
      }
    }
    if (ours) Add(directive);
  }
}

void RobotsDirectives::Add(std::string_view directive) {
  if (directive.empty() || directive.size() > kMaxRobotsDirectivesBytes) return;
  std::string lower(directive);
  std::transform(lower.begin(), lower.end(), lower.begin(), LowerAscii);
  if (!IsValidUtf8(lower)) return;  // a header may be any bytes
  nofollow_ = nofollow_ || lower == "nofollow" || lower == "none";
  std::string_view known = text_;
  std::string_view part;
  while (!text_.empty() && NextPart(&known, ",", &part)) {
    if (part == lower) return;
  }
  const size_t separator = text_.empty() ? 0 : 1;
  if (text_.size() + separator + lower.size() > kMaxRobotsDirectivesBytes) return;
  if (separator != 0) text_.push_back(',');
  text_.append(lower);
}

}  // namespace orbweaver
