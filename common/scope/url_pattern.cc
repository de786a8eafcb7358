#include "common/scope/url_pattern.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <re2/re2.h>
#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/url/canonical.h"

namespace orbweaver {
namespace {

constexpr std::string_view kExpressionPrefix = "re:";
// Top-level names that no list has (RFC 6761, RFC 6762, RFC 9476).
constexpr std::string_view kSpecialNames[] = {"alt",       "example", "internal", "invalid",
                                              "localhost", "local",   "onion",    "test"};

std::string Quoted(std::string_view text) {
  return RE2::QuoteMeta(re2::StringPiece(text.data(), text.size()));
}

bool IsTopLevel(std::string_view label, const PublicSuffixes& suffixes) {
  return std::ranges::find(kSpecialNames, label) != std::end(kSpecialNames) ||
         suffixes.KnowsTopLevel(label);
}

// As canonical URLs write what stands behind their host.
std::string Escaped(std::string_view text) {
  std::string out;
  size_t digits = 0;  // of an escape, still to come
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte >= 0x7f || c == '"' || c == '<' || c == '>') {
      out += fmt::format("%{:02X}", byte);
      continue;
    }
    out.push_back(digits > 0 && c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c);
    if (digits > 0) --digits;
    if (c == '%') digits = 2;
  }
  return out;
}

// From where the glob begins to the end of the URL.
std::string GlobExpression(std::string_view glob) {
  std::string text = Escaped(glob);
  if (text.ends_with('/')) text.push_back('*');
  const bool is_open = text.ends_with('*');
  const bool has_query = text.find('?') != std::string::npos;
  while (text.ends_with('*')) text.pop_back();
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t star = std::min(text.find('*', begin), text.size());
    out += Quoted(std::string_view(text).substr(begin, star - begin));
    if (star < text.size()) out += ".*";
    begin = star + 1;
  }
  if (is_open) return out;
  return out + (has_query ? "$" : "(?:\\?.*)?$");
}

struct Hosts {
  std::string name;  // canonical; empty: any
  bool itself = true;
  bool below = true;
  std::string port;  // empty: see any_port
  bool any_port = true;
  bool is_named = false;  // surely meant for a host: it has a port, or a name that hosts have
};

// nullopt: `text` has not the form of one. `suffixes` tell whether it is one for sure.
std::optional<Hosts> ParseHosts(std::string_view text, const PublicSuffixes& suffixes) {
  Hosts hosts;
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos) {
    hosts.port = text.substr(colon + 1);
    text = text.substr(0, colon);
    const bool is_number =
        !hosts.port.empty() && hosts.port.size() <= 5 && hosts.port.front() != '0' &&
        std::ranges::all_of(hosts.port, [](char c) { return c >= '0' && c <= '9'; }) &&
        std::stoi(hosts.port) <= 65535;
    if (hosts.port == "*") {
      hosts.port.clear();
    } else if (!is_number) {
      return std::nullopt;
    } else {
      hosts.any_port = false;
    }
    hosts.is_named = true;
    if (text.empty() || text == "*") return hosts;
  }
  if (text.starts_with("*.")) {
    text.remove_prefix(2);
    hosts.itself = false;
  }
  UrlCanonicalizer canonicalizer({});
  const std::string url = fmt::format("http://{}/", text);
  if (text.find_first_of("*@/?#\\%") != std::string_view::npos ||
      canonicalizer.Canonicalize(url) != UrlError::kNone) {
    return std::nullopt;
  }
  hosts.name = canonicalizer.host();
  if (hosts.name.ends_with('.')) hosts.name.pop_back();
  if (IsIpAddress(hosts.name)) {
    // `1.5` is an address to browsers, and to nobody who writes patterns.
    if (hosts.name != text || !hosts.itself) return std::nullopt;
    hosts.below = false;
    hosts.is_named = true;
    return hosts;
  }
  const size_t dot = hosts.name.rfind('.');
  const bool is_known = hosts.name == "localhost" ||
                        (dot != std::string::npos &&
                         IsTopLevel(std::string_view(hosts.name).substr(dot + 1), suffixes));
  hosts.is_named |= is_known;
  return hosts;
}

// Up to the slash behind host and port. `scheme` is an expression too.
std::string HostsExpression(std::string_view scheme, const Hosts& hosts) {
  std::string name = Quoted(hosts.name);
  if (hosts.name.empty()) {
    name = R"((?:\[[^/\]]*\]|[^/:]*))";
  } else if (!hosts.itself) {
    name = R"([^/:]*\.)" + name;
  } else if (hosts.below) {
    name = R"((?:[^/:]*\.)?)" + name;
  }
  if (!hosts.name.starts_with('[')) name += R"(\.?)";
  const std::string begin = fmt::format("^{}://{}", scheme, name);
  if (hosts.any_port) return begin + "(?::[0-9]+)?/";
  if (hosts.port.empty()) return begin + "/";
  std::string out = fmt::format("(?:{}:{}", begin, hosts.port);
  // A canonical URL does not name the port that its scheme has anyway.
  if (hosts.port == "80" && scheme != "https") out += fmt::format("|^http://{}", name);
  if (hosts.port == "443" && scheme != "http") out += fmt::format("|^https://{}", name);
  return out + ")/";
}

std::string Meaning(const Hosts& hosts, std::string_view path) {
  std::string out = hosts.name.empty() ? "any host"
                    : !hosts.itself    ? fmt::format("hosts below {}", hosts.name)
                    : hosts.below      ? fmt::format("host {} and those below it", hosts.name)
                                       : fmt::format("host {}", hosts.name);
  if (!hosts.port.empty()) out += fmt::format(" at port {}", hosts.port);
  if (!path.empty() && path != "/") out += fmt::format(", paths {}", path);
  return out;
}

UrlPattern OfHosts(const Hosts& hosts, std::string_view path) {
  std::string expression = HostsExpression("https?", hosts);
  if (path.size() > 1) expression += GlobExpression(path.substr(1));
  return {.expression = std::move(expression), .meaning = Meaning(hosts, path)};
}

absl::StatusOr<UrlPattern> ParseWholeUrl(std::string_view text, size_t colon,
                                         const PublicSuffixes& suffixes) {
  std::string scheme(text.substr(0, colon));
  for (char& c : scheme) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (scheme == "*" || scheme == "http*") {
    scheme = "https?";
  } else if (scheme != "http" && scheme != "https") {
    return FatalError("only http:// and https:// URLs are crawled; *:// stands for both");
  }
  const std::string_view rest = text.substr(colon + 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  auto hosts = authority == "*" ? Hosts() : ParseHosts(authority, suffixes);
  if (!hosts) {
    return FatalError("'{}' is no host. Before it only `*.` may stand, and behind it a port",
                      authority);
  }
  if (authority != "*") {
    hosts->below = !hosts->itself;
    const bool is_own =
        (hosts->port == "80" && scheme == "http") || (hosts->port == "443" && scheme == "https");
    if (is_own) hosts->port.clear();
    if (authority.find(':') == std::string_view::npos || is_own) hosts->any_port = false;
  }
  std::string expression = HostsExpression(scheme, *hosts);
  const std::string_view path = rest.substr(slash);
  if (path.size() > 1) expression += GlobExpression(path.substr(1));
  return UrlPattern{.expression = std::move(expression),
                    .meaning = fmt::format("URLs {}{}", text, text.ends_with('/') ? "*" : "")};
}

absl::StatusOr<UrlPattern> ParseExpression(std::string_view expression) {
  if (expression.empty()) return FatalError("the expression is empty");
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  const RE2 compiled(re2::StringPiece(expression.data(), expression.size()), options);
  if (!compiled.ok()) return FatalError("{} (RE2's syntax)", compiled.error());
  // An open \\Q would take in the patterns that stand behind it.
  if (!RE2(fmt::format("(?:{})", expression), options).ok()) return FatalError("\\Q without \\E");
  return UrlPattern{.expression = std::string(expression),
                    .meaning = fmt::format("URLs in which the expression {} is found", expression)};
}

}  // namespace

absl::StatusOr<UrlPattern> ParseUrlPattern(std::string_view text, const PublicSuffixes& suffixes) {
  if (text.empty()) return FatalError("the pattern is empty");
  if (text.size() > kMaxPatternBytes) {
    return FatalError("{} bytes: expected at most {}", text.size(), kMaxPatternBytes);
  }
  if (std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; })) {
    return FatalError("a control character is in it");
  }
  if (text.starts_with(kExpressionPrefix)) {
    return ParseExpression(text.substr(kExpressionPrefix.size()));
  }
  const bool says_host = text.starts_with("//");
  if (text.starts_with('/') && !says_host) {
    return UrlPattern{.expression = R"(^https?://[^/]+)" + GlobExpression(text),
                      .meaning = fmt::format("paths {}{}", text, text.ends_with('/') ? "*" : "")};
  }
  if (const size_t colon = text.find("://"); colon != std::string_view::npos && !says_host) {
    return ParseWholeUrl(text, colon, suffixes);
  }
  const std::string_view operand = says_host ? text.substr(2) : text;
  const size_t slash = std::min(operand.find('/'), operand.size());
  const std::string_view name = operand.substr(0, slash);
  const std::string_view path = operand.substr(slash);
  const auto hosts = ParseHosts(name, suffixes);
  if (says_host) {
    if (!hosts) return FatalError("'{}' is no host", name);
    return OfHosts(*hosts, path);
  }
  if (hosts && hosts->is_named) return OfHosts(*hosts, path);
  const bool is_top_level = hosts && !hosts->itself && IsTopLevel(hosts->name, suffixes);
  if (is_top_level && path.empty()) {
    return FatalError("could be files or hosts. Write /{} for files, //{} for hosts", text, text);
  }
  if (is_top_level) return OfHosts(*hosts, path);
  if (text.starts_with('*')) {
    std::string_view rest = text;
    while (rest.starts_with('*')) rest.remove_prefix(1);
    if (rest.empty()) return UrlPattern{.expression = "^", .meaning = "all URLs"};
    return UrlPattern{.expression = GlobExpression(rest),
                      .meaning = fmt::format("URLs {}{}", text, text.ends_with('/') ? "*" : "")};
  }
  return FatalError(
      "neither surely a host nor a path. Write //{} for a host, /{} for a path, *{}* for URLs in "
      "which it stands",
      text, text, text);
}

}  // namespace orbweaver
