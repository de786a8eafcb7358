#include "spider/robots/robots_rules.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/base/utf8.h"
#include "common/model/limits.h"

namespace orbweaver {
namespace {

constexpr double kMaxCrawlDelaySeconds = 24 * 60 * 60;
constexpr std::string_view kSpaces = " \t";

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return Lower(x) == Lower(y); });
}

// The directives that are known, with the misspellings that Google takes for them. Its parser
// compares beginnings, so does this one: "Disallowed" and "User-agents" are meant so too.
enum class Directive : uint8_t { kUserAgent, kAllow, kDisallow, kCrawlDelay, kSitemap, kOther };

Directive DirectiveOf(std::string_view key) {
  constexpr std::pair<std::string_view, Directive> kBeginnings[] = {
      {"user-agent", Directive::kUserAgent},   {"useragent", Directive::kUserAgent},
      {"user agent", Directive::kUserAgent},   {"allow", Directive::kAllow},
      {"disallow", Directive::kDisallow},      {"dissallow", Directive::kDisallow},
      {"dissalow", Directive::kDisallow},      {"disalow", Directive::kDisallow},
      {"diasllow", Directive::kDisallow},      {"disallaw", Directive::kDisallow},
      {"crawl-delay", Directive::kCrawlDelay}, {"sitemap", Directive::kSitemap},
      {"site-map", Directive::kSitemap}};
  for (const auto& [beginning, directive] : kBeginnings) {
    if (EqualsIgnoreCase(key.substr(0, beginning.size()), beginning)) return directive;
  }
  return Directive::kOther;
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool IsTokenByte(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || c == '-' || c == '_';
}

// -1 when `c` is no hexadecimal digit.
int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = Lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void AppendEscape(unsigned char byte, std::string* out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  out->append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
}

bool IsUnreserved(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Characters that the URL standard escapes in paths and queries.
bool IsEscapedInUrls(char c) {
  return c <= ' ' || c == 0x7f || c == '"' || c == '<' || c == '>' || c == '`' || c == '{' ||
         c == '}';
}

// Appends a rule's path so that it can be compared with canonical URLs byte by byte
// (section 2.2.2): escapes of unreserved characters decoded, others in upper case, what is not
// ASCII escaped. `*` and a final `$` stay special; a `$` elsewhere is escaped, as those of URLs are
// for comparison (section 2.2.3).
void AppendNormalPath(std::string_view path, std::string* out) {
  for (size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (c == '%' && i + 2 < path.size() && HexValue(path[i + 1]) >= 0 &&
        HexValue(path[i + 2]) >= 0) {
      const char decoded = static_cast<char>(HexValue(path[i + 1]) * 16 + HexValue(path[i + 2]));
      if (IsUnreserved(decoded)) {
        out->push_back(decoded);
      } else {
        AppendEscape(static_cast<unsigned char>(decoded), out);
      }
      i += 2;
    } else if (IsEscapedInUrls(c) || (c == '$' && i + 1 < path.size())) {
      AppendEscape(static_cast<unsigned char>(c), out);
    } else if (c == '*' && out->ends_with('*')) {
      // Two are no more than one, and would only cost.
    } else {
      out->push_back(c);
    }
  }
}

std::optional<std::chrono::milliseconds> ReadCrawlDelay(std::string_view value) {
  const std::string text(value.substr(0, 32));
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(seconds) || seconds < 0) return std::nullopt;
  return std::chrono::milliseconds(
      static_cast<int64_t>(std::min(seconds, kMaxCrawlDelaySeconds) * 1000));
}

}  // namespace

bool IsProductToken(std::string_view token) {
  return !token.empty() && std::all_of(token.begin(), token.end(), IsTokenByte);
}

namespace {

// "Bot/2.1" is "Bot" with a version that nobody compares, and "Bot2" is "Bot" to a robots.txt,
// whose names have no digits.
std::string_view TokenOf(std::string_view name) {
  const auto end = std::find_if_not(name.begin(), name.end(), IsTokenByte);
  return name.substr(0, static_cast<size_t>(end - name.begin()));
}

}  // namespace

// Reads a file line by line. Rules for the crawler and rules for all are gathered side by side;
// which of them hold is known at the end.
class RobotsRules::Compiler {
 public:
  explicit Compiler(std::string_view name) : token_(TokenOf(name)) {}

  void ReadLines(std::string_view file) {
    const bool cut = file.size() > kMaxRobotsBytes;
    file = file.substr(0, kMaxRobotsBytes);
    if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);
    uint32_t number = 0;
    while (!file.empty()) {
      const size_t end = file.find_first_of("\r\n");
      // Half of a rule may forbid what the whole one does not.
      if (end == std::string_view::npos && cut) break;
      ReadLine(file.substr(0, end), ++number);
      if (end == std::string_view::npos) break;
      const bool two = file.substr(end).starts_with("\r\n");
      file.remove_prefix(end + (two ? 2 : 1));
    }
  }

  RobotsRules Build() && {
    Gathered& found = named_.exists ? named_ : for_all_;
    RobotsRules rules;
    rules.text_ = std::move(found.text);
    rules.crawl_delay_ = found.crawl_delay;
    rules.sitemaps_ = std::move(sitemaps_);
    Index(found.rules, &rules);
    return rules;
  }

 private:
  struct Gathered {
    bool exists = false;
    std::string text;
    std::vector<Rule> rules;
    size_t patterns = 0;
    std::optional<std::chrono::milliseconds> crawl_delay;

    void Add(std::string_view path, bool allow, uint32_t line) {
      const size_t begin = text.size();
      text.push_back('\n');  // so that a `*` of the path before is not taken for its beginning
      AppendNormalPath(path, &text);
      const size_t special = text.find_first_of("*$", begin + 1);
      if (special != std::string::npos && ++patterns > kMaxRobotsPatterns) {
        text.resize(allow ? begin : special);
        if (allow) return;
      }
      rules.push_back({.path = {.begin = static_cast<uint32_t>(begin + 1),
                                .size = static_cast<uint32_t>(text.size() - begin - 1)},
                       .line = line,
                       .allow = allow});
    }
  };

  void ReadLine(std::string_view line, uint32_t number) {
    line = Trim(line.substr(0, line.find('#')));
    size_t separator = line.find(':');
    if (separator == std::string_view::npos) {
      // Some forget the colon: two words are a directive all the same, more are none.
      separator = line.find_first_of(kSpaces);
      if (separator == std::string_view::npos) return;
      if (Trim(line.substr(separator)).find_first_of(kSpaces) != std::string_view::npos) return;
    }
    const std::string_view value = Trim(line.substr(separator + 1));
    switch (DirectiveOf(Trim(line.substr(0, separator)))) {
      case Directive::kUserAgent:
        return ReadUserAgent(value);
      case Directive::kAllow:
        return ReadRule(value, /*allow=*/true, number);
      case Directive::kDisallow:
        return ReadRule(value, /*allow=*/false, number);
      case Directive::kCrawlDelay:
        return AddCrawlDelay(ReadCrawlDelay(value));
      case Directive::kSitemap:
        return AddSitemap(value);
      case Directive::kOther:
        return;
    }
  }

  void AddCrawlDelay(std::optional<std::chrono::milliseconds> delay) {
    if (in_named_) named_.crawl_delay = std::max(named_.crawl_delay, delay);
    if (in_for_all_) for_all_.crawl_delay = std::max(for_all_.crawl_delay, delay);
  }

  void AddSitemap(std::string_view value) {
    const bool fits = !value.empty() && value.size() <= kMaxUrlBytes && IsValidUtf8(value);
    if (fits && sitemaps_.size() < kMaxSitemaps) sitemaps_.emplace_back(value);
  }

  // Lines of user agents in a row share the rules that follow; other records between them change
  // nothing (section 2.2.4).
  void ReadUserAgent(std::string_view value) {
    if (had_rule_) in_named_ = in_for_all_ = had_rule_ = false;
    if (value.starts_with('*') && (value.size() == 1 || kSpaces.find(value[1]) != kSpaces.npos)) {
      in_for_all_ = for_all_.exists = true;
      return;
    }
    if (!token_.empty() && EqualsIgnoreCase(TokenOf(value), token_)) {
      in_named_ = named_.exists = true;
    }
  }

  void ReadRule(std::string_view path, bool allow, uint32_t number) {
    had_rule_ = true;
    // An empty path matches nothing; one that begins otherwise could not match any URL.
    if (path.empty() || (path[0] != '/' && path[0] != '*')) return;
    if (in_named_) named_.Add(path, allow, number);
    if (in_for_all_) for_all_.Add(path, allow, number);
  }

  static bool AllowFirst(const Rule& a, const Rule& b) {
    return a.allow != b.allow ? a.allow : a.line < b.line;
  }

  // A rule, and what of its path stands before the first special character.
  struct Entry {
    Rule rule;
    uint32_t head = 0;

    bool is_pattern() const { return head < rule.path.size; }
  };

  // Equal rules count once: of an Allow and a Disallow the Allow. Each beginning learns the longest
  // that it begins with itself, which is among those of the one before it.
  static void Index(const std::vector<Rule>& found, RobotsRules* rules) {
    std::vector<Entry> entries;
    entries.reserve(found.size());
    for (const Rule& rule : found) {
      const size_t special = rules->Text(rule.path).find_first_of("*$");
      entries.push_back({rule, std::min(rule.path.size, static_cast<uint32_t>(special))});
    }
    const auto path = [rules](const Entry& entry) { return rules->Text(entry.rule.path); };
    const auto head = [&path](const Entry& entry) { return path(entry).substr(0, entry.head); };
    std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
      if (const int order = head(a).compare(head(b)); order != 0) return order < 0;
      if (a.rule.path.size != b.rule.path.size) return a.rule.path.size > b.rule.path.size;
      if (const int order = path(a).compare(path(b)); order != 0) return order < 0;
      return AllowFirst(a.rule, b.rule);
    });
    const auto again =
        std::unique(entries.begin(), entries.end(),
                    [&](const Entry& a, const Entry& b) { return path(a) == path(b); });
    entries.erase(again, entries.end());
    rules->rule_count_ = entries.size();
    for (const Entry& entry : entries) {
      auto& beginnings = rules->beginnings_;
      if (beginnings.empty() || rules->Text(beginnings.back().text) != head(entry)) {
        AddBeginning({.begin = entry.rule.path.begin, .size = entry.head}, rules);
      }
      if (entry.is_pattern()) {
        rules->patterns_.push_back({entry.rule, /*anchored=*/path(entry).ends_with('$')});
        beginnings.back().patterns_end = static_cast<uint32_t>(rules->patterns_.size());
      } else {
        beginnings.back().rule = entry.rule;
      }
    }
    rules->text_.shrink_to_fit();
    rules->beginnings_.shrink_to_fit();
    rules->patterns_.shrink_to_fit();
  }

  static void AddBeginning(Piece text, RobotsRules* rules) {
    auto& all = rules->beginnings_;
    auto parent = static_cast<int32_t>(all.size()) - 1;
    while (parent >= 0 &&
           !rules->Text(text).starts_with(rules->Text(all[static_cast<size_t>(parent)].text))) {
      parent = all[static_cast<size_t>(parent)].parent;
    }
    const auto patterns = static_cast<uint32_t>(rules->patterns_.size());
    all.push_back({.text = text, .parent = parent, .patterns = patterns, .patterns_end = patterns});
  }

  const std::string_view token_;
  Gathered named_;
  Gathered for_all_;
  std::vector<std::string> sitemaps_;
  // The group that is being read.
  bool in_named_ = false;
  bool in_for_all_ = false;
  bool had_rule_ = false;
};

RobotsRules RobotsRules::Parse(std::string_view file, std::string_view product_token) {
  Compiler compiler(product_token);
  compiler.ReadLines(file);
  return std::move(compiler).Build();
}

// Those that `path` begins with are all parents of the last one that is not greater than it, or
// that one itself.
int32_t RobotsRules::LongestBeginning(std::string_view path) const {
  const auto after = std::upper_bound(
      beginnings_.begin(), beginnings_.end(), path,
      [this](std::string_view p, const Beginning& beginning) { return p < Text(beginning.text); });
  auto at = static_cast<int32_t>(after - beginnings_.begin()) - 1;
  while (at >= 0) {
    const Beginning& beginning = beginnings_[static_cast<size_t>(at)];
    if (path.starts_with(Text(beginning.text))) break;
    at = beginning.parent;
  }
  return at;
}

// Each part between two `*` is found at its first place behind the one before: if the whole matches
// at all, it matches so.
bool RobotsRules::Matches(const Pattern& pattern, size_t head, std::string_view path) const {
  std::string_view rest = Text(pattern.rule.path);
  path.remove_prefix(head);
  rest.remove_prefix(head);
  if (pattern.anchored) rest.remove_suffix(1);
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the `*`
    const size_t end = rest.find('*');
    const std::string_view part = rest.substr(0, end);
    if (end == std::string_view::npos && pattern.anchored) return path.ends_with(part);
    const size_t found = path.find(part);
    if (found == std::string_view::npos) return false;
    path.remove_prefix(found + part.size());
    rest.remove_prefix(part.size());
  }
  return !pattern.anchored || path.empty();
}

// The longest rule decides; of two equally long ones an Allow.
bool RobotsRules::Outranks(const Rule& rule, const Rule& other) {
  if (rule.path.size != other.path.size) return rule.path.size > other.path.size;
  return rule.allow && !other.allow;
}

RobotsDecision RobotsRules::Decide(std::string_view path_and_query) const {
  // Implicitly allowed (section 2.2.2).
  if (path_and_query == "/robots.txt") return {};
  if (beginnings_.empty()) return {};
  std::string escaped;
  if (path_and_query.find_first_of("*$") != std::string_view::npos) {
    for (const char c : path_and_query) {
      if (c == '*' || c == '$') {
        AppendEscape(static_cast<unsigned char>(c), &escaped);
      } else {
        escaped.push_back(c);
      }
    }
    path_and_query = escaped;
  }
  const Rule* best = nullptr;
  for (int32_t at = LongestBeginning(path_and_query); at >= 0;) {
    const Beginning& beginning = beginnings_[static_cast<size_t>(at)];
    const Rule& whole = beginning.rule;
    if (whole.line > 0 && (best == nullptr || Outranks(whole, *best))) best = &whole;
    for (uint32_t i = beginning.patterns; i < beginning.patterns_end; ++i) {
      const Pattern& pattern = patterns_[i];
      if (best != nullptr && pattern.rule.path.size < best->path.size) break;
      if (best != nullptr && !Outranks(pattern.rule, *best)) continue;
      if (Matches(pattern, beginning.text.size, path_and_query)) best = &pattern.rule;
    }
    at = beginning.parent;
  }
  if (best == nullptr) return {};
  return {.allowed = best->allow, .line = best->line, .path = Text(best->path)};
}

size_t RobotsRules::HeldBytes() const {
  size_t held = sizeof *this + text_.capacity() + beginnings_.capacity() * sizeof(Beginning) +
                patterns_.capacity() * sizeof(Pattern) + sitemaps_.capacity() * sizeof(std::string);
  for (const std::string& sitemap : sitemaps_) held += sitemap.capacity();
  return held;
}

}  // namespace orbweaver
