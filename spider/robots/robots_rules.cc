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

// What the URL standard escapes in paths and queries when somebody writes it as it is.
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

// Reads a file line by line. Rules for the crawler and rules for all are gathered side by side;
// which of them hold is known at the end.
class RobotsRules::Compiler {
 public:
  explicit Compiler(std::string_view product_token) : token_(product_token) {}

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
    for (const Rule& rule : found.rules) {
      const std::string_view path = rules.PathOf(rule);
      const size_t special = path.find_first_of("*$");
      if (special == std::string_view::npos) {
        rules.literals_.push_back({rule});
      } else {
        rules.patterns_.push_back(
            {rule, static_cast<uint32_t>(special), /*anchored=*/path.ends_with('$')});
      }
    }
    SortLiterals(&rules);
    std::sort(rules.patterns_.begin(), rules.patterns_.end(),
              [](const Pattern& a, const Pattern& b) {
                if (a.rule.size != b.rule.size) return a.rule.size > b.rule.size;
                return AllowFirst(a.rule, b.rule);
              });
    return rules;
  }

 private:
  struct Gathered {
    bool exists = false;
    std::string text;
    std::vector<Rule> rules;
    std::optional<std::chrono::milliseconds> crawl_delay;

    void Add(std::string_view path, bool allow, uint32_t line) {
      const size_t begin = text.size();
      text.push_back('\n');  // so that a `*` of the path before is not taken for its beginning
      AppendNormalPath(path, &text);
      rules.push_back({.begin = static_cast<uint32_t>(begin + 1),
                       .size = static_cast<uint32_t>(text.size() - begin - 1),
                       .line = line,
                       .allow = allow});
    }
  };

  void ReadLine(std::string_view line, uint32_t number) {
    line = line.substr(0, line.find('#'));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = Trim(line.substr(0, colon));
    const std::string_view value = Trim(line.substr(colon + 1));
    if (EqualsIgnoreCase(key, "user-agent")) {
      ReadUserAgent(value);
    } else if (EqualsIgnoreCase(key, "allow")) {
      ReadRule(value, /*allow=*/true, number);
    } else if (EqualsIgnoreCase(key, "disallow")) {
      ReadRule(value, /*allow=*/false, number);
    } else if (EqualsIgnoreCase(key, "crawl-delay")) {
      if (const auto delay = ReadCrawlDelay(value)) {
        if (in_named_) named_.crawl_delay = std::max(named_.crawl_delay, delay);
        if (in_for_all_) for_all_.crawl_delay = std::max(for_all_.crawl_delay, delay);
      }
    } else if (EqualsIgnoreCase(key, "sitemap")) {
      const bool fits = !value.empty() && value.size() <= kMaxUrlBytes && IsValidUtf8(value);
      if (fits && sitemaps_.size() < kMaxSitemaps) sitemaps_.emplace_back(value);
    }
  }

  // Lines of user agents in a row share the rules that follow; other records between them change
  // nothing (section 2.2.4).
  void ReadUserAgent(std::string_view value) {
    if (had_rule_) in_named_ = in_for_all_ = had_rule_ = false;
    if (value.starts_with('*') && (value.size() == 1 || kSpaces.find(value[1]) != kSpaces.npos)) {
      in_for_all_ = for_all_.exists = true;
      return;
    }
    // "Bot/2.1" is "Bot" with a version that nobody compares.
    const auto end = std::find_if_not(value.begin(), value.end(), IsTokenByte);
    if (EqualsIgnoreCase(value.substr(0, static_cast<size_t>(end - value.begin())), token_)) {
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

  // By path, each once: of two equal ones an Allow stays. Each learns its longest prefix, which is
  // among those that the one before it has.
  static void SortLiterals(RobotsRules* rules) {
    auto& literals = rules->literals_;
    const auto path = [rules](const Literal& literal) { return rules->PathOf(literal.rule); };
    std::sort(literals.begin(), literals.end(), [&](const Literal& a, const Literal& b) {
      if (const int order = path(a).compare(path(b)); order != 0) return order < 0;
      return AllowFirst(a.rule, b.rule);
    });
    literals.erase(
        std::unique(literals.begin(), literals.end(),
                    [&](const Literal& a, const Literal& b) { return path(a) == path(b); }),
        literals.end());
    for (size_t i = 1; i < literals.size(); ++i) {
      auto parent = static_cast<int32_t>(i - 1);
      while (parent >= 0 &&
             !path(literals[i]).starts_with(path(literals[static_cast<size_t>(parent)]))) {
        parent = literals[static_cast<size_t>(parent)].parent;
      }
      literals[i].parent = parent;
    }
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

// The literals that are prefixes of `path` are all prefixes of the last one that is not greater
// than it, or that one itself.
const RobotsRules::Rule* RobotsRules::LongestLiteral(std::string_view path) const {
  const auto after = std::upper_bound(
      literals_.begin(), literals_.end(), path,
      [this](std::string_view p, const Literal& literal) { return p < PathOf(literal.rule); });
  auto at = static_cast<int32_t>(after - literals_.begin()) - 1;
  while (at >= 0) {
    const Literal& literal = literals_[static_cast<size_t>(at)];
    if (path.starts_with(PathOf(literal.rule))) return &literal.rule;
    at = literal.parent;
  }
  return nullptr;
}

// Each part between two `*` is found at its first place behind the one before: if the whole matches
// at all, it matches so.
bool RobotsRules::Matches(const Pattern& pattern, std::string_view path) const {
  std::string_view rest = PathOf(pattern.rule);
  if (!path.starts_with(rest.substr(0, pattern.head))) return false;
  path.remove_prefix(pattern.head);
  rest.remove_prefix(pattern.head);
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

RobotsDecision RobotsRules::Decide(std::string_view path_and_query) const {
  // Implicitly allowed (section 2.2.2).
  if (path_and_query == "/robots.txt") return {};
  if (literals_.empty() && patterns_.empty()) return {};
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
  const Rule* best = LongestLiteral(path_and_query);
  for (const Pattern& pattern : patterns_) {
    const Rule& rule = pattern.rule;
    if (best != nullptr && rule.size < best->size) break;
    // Of two equally long ones only an Allow changes anything.
    if (best != nullptr && rule.size == best->size && (best->allow || !rule.allow)) continue;
    if (!Matches(pattern, path_and_query)) continue;
    best = &rule;
    break;
  }
  if (best == nullptr) return {};
  return {.allowed = best->allow, .line = best->line, .path = PathOf(*best)};
}

size_t RobotsRules::HeldBytes() const {
  size_t held = sizeof *this + text_.capacity() + literals_.capacity() * sizeof(Literal) +
                patterns_.capacity() * sizeof(Pattern) + sitemaps_.capacity() * sizeof(std::string);
  for (const std::string& sitemap : sitemaps_) held += sitemap.capacity();
  return held;
}

}  // namespace orbweaver
