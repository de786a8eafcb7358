// A page's directives for crawlers: <meta name=robots>, <meta name=OURS> and X-Robots-Tag.
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"

namespace orbweaver {

// Gathers the directives that hold for this crawler, from all places, each once.
//
// Place: in PageParser, one a page at a time. Not thread-safe.
class RobotsDirectives {
 public:
  // `name`: by what name pages may speak to this crawler alone; in lower case.
  explicit RobotsDirectives(std::string_view name) : name_(name) {}

  void Clear();

  // A <meta> of this name; ignored unless it is `robots` or ours.
  void AddMeta(std::string_view meta_name, std::string_view content);

  // A header's value: `noindex, nofollow`, or `otherbot: noindex`, whose directives hold for
  // otherbot alone.
  void AddHeader(std::string_view value);

  // Lower-case, joined by commas, at most kMaxRobotsDirectivesBytes. Valid until the next call that
  // is not const.
  std::string_view text() const { return text_; }

  // Whether all links of the page are not to be followed: `nofollow` or `none`.
  bool nofollow() const { return nofollow_; }

 private:
  // Adds the text between two commas: some authors write blanks instead of commas.
  void AddAll(std::string_view directives);
  void Add(std::string_view directive);

  const std::string name_;
  std::string text_;
  std::string lower_;
  absl::flat_hash_set<std::string> known_;  // those in `text_`
  bool nofollow_ = false;
};

}  // namespace orbweaver
