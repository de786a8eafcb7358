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

constexpr std::string_view kSpaces = " \t\r\n\f";

// Where the value that begins at `at` ends: a date has blanks, others are one word.
size_t EndOfValue(std::string_view directives, size_t at) {
  if (StartsWithIgnoreCase(directives, "unavailable_after")) return directives.size();
  at = std::min(directives.find_first_not_of(kSpaces, at), directives.size());
  return std::min(directives.find_first_of(kSpaces, at), directives.size());
}

}  // namespace

void RobotsDirectives::Clear() {
  text_.clear();
  known_.clear();
  nofollow_ = false;
}

void RobotsDirectives::AddMeta(std::string_view meta_name, std::string_view content) {
  meta_name = TrimSpace(meta_name);
  const bool is_ours = !name_.empty() && EqualsIgnoreCase(meta_name, name_);
  if (!is_ours && !EqualsIgnoreCase(meta_name, "robots")) return;
  std::string_view directive;
  while (NextPart(&content, ",", &directive)) AddAll(directive);
}

void RobotsDirectives::AddHeader(std::string_view value) {
  bool ours = true;
  std::string_view directive;
  while (NextPart(&value, ",", &directive)) {
    const size_t colon = directive.find(':');
    if (colon != std::string_view::npos) {
      const std::string_view name = TrimSpace(directive.substr(0, colon));
      // Perhaps the last of several.
      if (!TakesValue(name.substr(name.find_last_of(kSpaces) + 1))) {
        // A name holds for what follows it in this header.
        ours = EqualsIgnoreCase(name, name_) || EqualsIgnoreCase(name, "robots") || name == "*";
        directive = TrimSpace(directive.substr(colon + 1));
      }
    }
    if (ours) AddAll(directive);
  }
}

void RobotsDirectives::AddAll(std::string_view directives) {
  while (!directives.empty()) {
    size_t end = std::min(directives.find_first_of(kSpaces), directives.size());
    const size_t colon = directives.substr(0, end).find(':');
    if (colon != std::string_view::npos && TakesValue(directives.substr(0, colon))) {
      end = EndOfValue(directives, colon + 1);
    }
    Add(directives.substr(0, end));
    directives = TrimSpace(directives.substr(end));
  }
}

void RobotsDirectives::Add(std::string_view directive) {
  if (directive.empty() || directive.size() > kMaxRobotsDirectivesBytes) return;
  lower_.resize(directive.size());
  std::transform(directive.begin(), directive.end(), lower_.begin(), LowerAscii);
  if (!IsValidUtf8(lower_)) return;  // a header may be any bytes
  nofollow_ = nofollow_ || lower_ == "nofollow" || lower_ == "none";
  const size_t separator = text_.empty() ? 0 : 1;
  if (text_.size() + separator + lower_.size() > kMaxRobotsDirectivesBytes) return;
  if (!known_.insert(lower_).second) return;
  if (separator != 0) text_.push_back(',');
  text_.append(lower_);
}

}  // namespace orbweaver
