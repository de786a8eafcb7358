#include "spider/publish/surt.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

constexpr size_t kSessionBytes = 32;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<int> HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = LowerAscii(c);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return std::nullopt;
}

// Percent-encoded bytes as themselves, however often they were encoded.
std::string Unescaped(std::string text) {
  for (bool changed = true; changed;) {
    changed = false;
    std::string next;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size()) {
        const auto high = HexValue(text[i + 1]);
        const auto low = HexValue(text[i + 2]);
        if (high && low) {
          next.push_back(static_cast<char>(*high * 16 + *low));
          i += 2;
          changed = true;
          continue;
        }
      }
      next.push_back(text[i]);
    }
    text = std::move(next);
  }
  return text;
}

// All but printable ASCII, and what would end the part of a URL. In lower case, as keys are.
std::string Escaped(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '#' && c != '%') {
      escaped.push_back(LowerAscii(c));
    } else {
      escaped.push_back('%');
      escaped.push_back(kHex[byte >> 4]);
      escaped.push_back(kHex[byte & 15]);
    }
  }
  return escaped;
}

// Without empty segments and those of dots. `path` begins with "/", or is empty.
std::string NormalPath(std::string_view path) {
  std::vector<std::string_view> kept;
  path.remove_prefix(std::min<size_t>(path.size(), 1));
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    if (segment == ".." && !kept.empty()) {
      kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  std::string normal = "/";
  for (size_t i = 0; i < kept.size(); ++i) {
    normal += kept[i];
    if (i + 1 < kept.size() && !kept[i].empty()) normal += '/';
  }
  return normal;
}

// Takes "NAME=" and the letters and digits behind it out of `query`, where they end an argument.
void StripSession(std::string_view name, std::string* query) {
  for (size_t at = query->rfind(name); at != std::string::npos && at <= query->size();
       at = at == 0 ? std::string::npos : query->rfind(name, at - 1)) {
    const size_t end = at + name.size() + kSessionBytes;
    if (end > query->size()) continue;
    const auto begin = query->begin() + static_cast<ptrdiff_t>(at + name.size());
    const bool is_value = std::all_of(begin, begin + kSessionBytes,
                                      [](char c) { return IsAsciiLetter(c) || IsDigit(c); });
    if (!is_value || (end < query->size() && (*query)[end] != '&')) continue;
    query->erase(at, end - at + (end < query->size() ? 1 : 0));
    return;
  }
}

std::string SortedQuery(std::string_view query) {
  if (query.size() <= 1) return std::string(query);
  struct Argument {
    std::string_view name;
    std::optional<std::string_view> value;
    auto operator<=>(const Argument&) const = default;
  };
  std::vector<Argument> arguments;
  while (true) {
    const size_t end = query.find('&');
    const std::string_view one = query.substr(0, end);
    const size_t equals = one.find('=');
    arguments.push_back({.name = one.substr(0, equals), .value = std::nullopt});
    if (equals != std::string_view::npos) arguments.back().value = one.substr(equals + 1);
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  std::ranges::sort(arguments);
  std::string sorted;
  for (const Argument& argument : arguments) {
    sorted += argument.name;
    if (argument.value) sorted.append("=").append(*argument.value);
    sorted += '&';
  }
  sorted.pop_back();
  return sorted;
}

// "www.", "www2." and the like say nothing of the site.
std::string_view WithoutWww(std::string_view host) {
  if (!host.starts_with("www")) return host;
  size_t at = 3;
  while (at < host.size() && IsDigit(host[at])) ++at;
  return at < host.size() && host[at] == '.' ? host.substr(at + 1) : host;
}

std::string TurnedHost(std::string_view host) {
  std::string turned;
  while (true) {
    const size_t dot = host.rfind('.');
    turned += dot == std::string_view::npos ? host : host.substr(dot + 1);
    if (dot == std::string_view::npos) return turned;
    turned += ',';
    host = host.substr(0, dot);
  }
}

}  // namespace

std::string SurtOf(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const std::string_view default_port = url.starts_with("https:") ? "443" : "80";
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find('#'));
  const size_t authority_end = std::min(url.find_first_of("/?"), url.size());
  std::string_view host = url.substr(0, authority_end);
  url.remove_prefix(authority_end);
  if (const size_t user = host.rfind('@'); user != std::string_view::npos) {
    host.remove_prefix(user + 1);
  }
  std::string_view port;
  if (const size_t colon = host.rfind(':');
      colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  while (host.ends_with('.')) host.remove_suffix(1);

  std::string key = TurnedHost(WithoutWww(host));
  if (!port.empty() && port != default_port) key.append(":").append(port);
  key += ')';

  const size_t question = url.find('?');
  std::string path = Escaped(NormalPath(Unescaped(std::string(url.substr(0, question)))));
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  key += path;
  if (question == std::string_view::npos) return key;
  std::string query = Escaped(Unescaped(std::string(url.substr(question + 1))));
  for (const std::string_view name : {"jsessionid=", "phpsessid=", "sid="}) {
    StripSession(name, &query);
  }
  query = SortedQuery(query);
  if (!query.empty()) key.append("?").append(query);
  return key;
}

}  // namespace orbweaver
