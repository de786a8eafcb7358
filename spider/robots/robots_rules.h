// One robots.txt, compiled for one crawler (RFC 9309).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

// The bytes of a robots.txt that are read (RFC 9309, section 2.5: at least 500 KiB).
inline constexpr size_t kMaxRobotsBytes = size_t{500} << 10;

// So many rules of a group may have a `*` or a final `$`: each costs at each URL that begins as it
// does. Of a Disallow beyond them only what stands before counts, which forbids more, and an Allow
// beyond them not at all.
inline constexpr size_t kMaxRobotsPatterns = 4096;

// A product token is what a robots.txt names a crawler by: letters, `-` and `_` (RFC 9309, section
// 2.2.1).
bool IsProductToken(std::string_view token);

struct RobotsDecision {
  bool allowed = true;
  // Where in the file the rule stands that decided, from 1; 0 when no rule matches.
  uint32_t line = 0;
  // Its path, in normal form; empty when no rule matches. Valid as long as the rules.
  std::string_view path;
};

// Place: in RobotsCache, one a host. Immutable after Parse, so thread-safe.
class RobotsRules {
 public:
  // Everything is allowed.
  RobotsRules() = default;

  // Takes the groups of `file`, any bytes, that hold for the crawler named `product_token`: those
  // that name it, or else those for all. An empty name is nobody's. An invalid line is passed over.
  static RobotsRules Parse(std::string_view file, std::string_view product_token);

  // Whether the crawler may fetch the URL with this path and query, as they stand in a canonical
  // URL (common/url). The longest matching rule decides, Allow when two are equally long.
  RobotsDecision Decide(std::string_view path_and_query) const;

  // Crawl-delay of these groups: the longest where they differ, at most a day. Absent when none
  // names one.
  std::optional<std::chrono::milliseconds> crawl_delay() const { return crawl_delay_; }

  // As they stand in the file, for any crawler; as many and as long as HostFacts takes.
  std::span<const std::string> sitemaps() const { return sitemaps_; }

  // Different ones that hold for the crawler.
  size_t rule_count() const { return rule_count_; }
  // Memory held, about.
  size_t HeldBytes() const;

 private:
  class Compiler;

  // A piece of text_.
  struct Piece {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  struct Rule {
    Piece path;
    uint32_t line = 0;  // 0: there is none
    bool allow = false;
  };
  // A rule with `*` or a final `$`.
  struct Pattern {
    Rule rule;
    bool anchored = false;
  };
  // A beginning of paths: a whole rule without special characters, the part of other rules before
  // their first special character, or both.
  struct Beginning {
    Piece text;
    int32_t parent = -1;  // the longest other one that this one begins with
    Rule rule;
    // Of patterns_, the longest first, Allow first of equals.
    uint32_t patterns = 0;
    uint32_t patterns_end = 0;
  };

  std::string_view Text(const Piece& piece) const {
    return std::string_view(text_).substr(piece.begin, piece.size);
  }
  static bool Outranks(const Rule& rule, const Rule& other);
  // The longest that `path` begins with; -1: none.
  int32_t LongestBeginning(std::string_view path) const;
  // Of a path that begins as the pattern does, up to `head`: the first special character.
  bool Matches(const Pattern& pattern, size_t head, std::string_view path) const;

  std::string text_;
  std::vector<Beginning> beginnings_;  // by text
  std::vector<Pattern> patterns_;
  size_t rule_count_ = 0;
  std::optional<std::chrono::milliseconds> crawl_delay_;
  std::vector<std::string> sitemaps_;
};

}  // namespace orbweaver
