#include "spider/parse/xml_scanner.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

constexpr size_t kMaxEntityBytes = 10;  // &#x10FFFF;

std::string_view WithoutPrefix(std::string_view name) {
  const size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

void AppendCodePoint(uint32_t c, std::string* out) {
  const bool scalar = c != 0 && (c < 0xd800 || (c > 0xdfff && c <= 0x10ffff));
  if (!scalar) c = 0xfffd;
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
    return;
  }
  const int continuations = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr unsigned char kLeads[] = {0, 0xc0, 0xe0, 0xf0};
  out->push_back(static_cast<char>(kLeads[continuations] | (c >> (6 * continuations))));
  for (int i = continuations - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3f)));
  }
}

// False when `entity`, what stands between & and ;, is none.
bool AppendEntity(std::string_view entity, std::string* out) {
  static constexpr std::pair<std::string_view, char> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, c] : kNamed) {
    if (entity == name) {
      out->push_back(c);
      return true;
    }
  }
  if (!entity.starts_with('#')) return false;
  entity.remove_prefix(1);
  const bool hex = entity.starts_with('x') || entity.starts_with('X');
  if (hex) entity.remove_prefix(1);
  uint32_t number = 0;
  const char* const end = entity.data() + entity.size();
  const auto read = std::from_chars(entity.data(), end, number, hex ? 16 : 10);
  if (entity.empty() || read.ptr != end || read.ec != std::errc()) return false;
  AppendCodePoint(number, out);
  return true;
}

}  // namespace

XmlScanner::Token XmlScanner::Next() {
  if (close_pending_) {
    close_pending_ = false;
    return Token::kEndTag;
  }
  while (!rest_.empty()) {
    if (rest_[0] != '<') {
      const size_t end = std::min(rest_.find('<'), rest_.size());
      text_ = Decode(rest_.substr(0, end));
      rest_.remove_prefix(end);
      return Token::kText;
    }
    if (rest_.starts_with("<![CDATA[")) {
      const size_t end = rest_.find("]]>", 9);
      text_ = rest_.substr(9, end == std::string_view::npos ? end : end - 9);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 3);
      return Token::kText;
    }
    if (rest_.starts_with("<!--")) {
      const size_t end = rest_.find("-->", 4);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 3);
    } else if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
      const size_t end = rest_.find('>');
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    } else {
      return ReadTag();
    }
  }
  return Token::kEnd;
}

XmlScanner::Token XmlScanner::ReadTag() {
  rest_.remove_prefix(1);
  const bool is_end = rest_.starts_with('/');
  if (is_end) rest_.remove_prefix(1);
  // A '>' may stand in an attribute's value.
  size_t end = 0;
  char quote = 0;
  for (; end < rest_.size(); ++end) {
    const char c = rest_[end];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      break;
    }
  }
  std::string_view tag = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  const bool self_closing = !is_end && tag.ends_with('/');
  if (self_closing) tag.remove_suffix(1);
  const size_t name_end = std::min(tag.find_first_of(" \t\r\n"), tag.size());
  name_ = WithoutPrefix(tag.substr(0, name_end));
  attributes_ = tag.substr(name_end);
  close_pending_ = self_closing;
  return is_end ? Token::kEndTag : Token::kStartTag;
}

std::string_view XmlScanner::Attribute(std::string_view name) {
  std::string_view rest = attributes_;
  while (true) {
    const size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view found = TrimSpace(rest.substr(0, equals));
    rest = TrimSpace(rest.substr(equals + 1));
    if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return {};
    const size_t close = rest.find(rest[0], 1);
    if (close == std::string_view::npos) return {};
    if (found == name) return Decode(rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
  }
}

std::string_view XmlScanner::Decode(std::string_view raw) {
  if (raw.find('&') == std::string_view::npos) return raw;
  decoded_.clear();
  while (!raw.empty()) {
    const size_t at = std::min(raw.find('&'), raw.size());
    decoded_.append(raw.substr(0, at));
    raw.remove_prefix(at);
    if (raw.empty()) break;
    const size_t end = raw.substr(0, kMaxEntityBytes + 1).find(';');
    if (end != std::string_view::npos && AppendEntity(raw.substr(1, end - 1), &decoded_)) {
      raw.remove_prefix(end + 1);
    } else {
      decoded_.push_back('&');
      raw.remove_prefix(1);
    }
  }
  return decoded_;
}

}  // namespace orbweaver
