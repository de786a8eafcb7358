#include "spider/parse/css_urls.h"

#include <algorithm>
#include <cstdint>

#include "spider/parse/ascii.h"
#include "spider/parse/write_utf8.h"

namespace orbweaver {
namespace {

bool IsNameByte(char c) {
  return IsAsciiLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool EndsLine(char c) { return c == '\n' || c == '\r' || c == '\f'; }

// The value of a hexadecimal digit, or -1.
int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = LowerAscii(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Behind the line break at `at`; "\r\n" is one.
size_t SkipLineBreak(std::string_view text, size_t at) {
  return text.substr(at, 2) == "\r\n" ? at + 2 : at + 1;
}

// Appends the character that the escape behind the backslash stands for; returns its size.
size_t Unescape(std::string_view text, std::string* out) {
  if (text.empty()) return 0;
  if (EndsLine(text[0])) return SkipLineBreak(text, 0);  // a string that goes on in the next line
  constexpr size_t kMaxDigits = 6;
  uint32_t code = 0;
  size_t size = 0;
  while (size < kMaxDigits && size < text.size() && HexValue(text[size]) >= 0) {
    code = code * 16 + static_cast<uint32_t>(HexValue(text[size++]));
  }
  if (size == 0) {
    out->push_back(text[0]);
    return 1;
  }
  const bool is_character = code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  char bytes[4];
  out->append(bytes, WriteUtf8(is_character ? code : 0xFFFD, bytes));
  if (size < text.size() && IsSpace(text[size])) size = SkipLineBreak(text, size);
  return size;
}

}  // namespace

bool CssUrlReader::Next(CssUrl* found) {
  while (at_ < css_.size()) {
    const char c = css_[at_];
    if (c == '/') {
      SkipComment();
    } else if (c == '"' || c == '\'') {
      size_t begin = 0;
      size_t end = 0;
      if (!ReadString(&begin, &end)) continue;
      const bool is_image = in_image_set_ != 0 && in_image_set_ == depth_;
      if (rule_ != Rule::kImport && !is_image) continue;
      Take(begin, end, found);
      return true;
    } else if (c == '@') {
      ReadAtRule();
    } else if (c == ';' || c == '{' || c == '}') {
      // Parentheses that a mistake has left open end with its rule.
      rule_ = Rule::kNone;
      depth_ = in_image_set_ = 0;
      ++at_;
    } else if (c == '(') {
      ++depth_;
      ++at_;
    } else if (c == ')') {
      Close();
      ++at_;
    } else if (c == '\\') {
      at_ += 2;
    } else if (IsNameByte(c)) {
      const size_t begin = at_;
      while (at_ < css_.size() && IsNameByte(css_[at_])) ++at_;
      if (at_ == css_.size() || css_[at_] != '(') continue;
      const std::string_view name = css_.substr(begin, at_ - begin);
      ++at_;
      if (ReadFunction(name, found)) return true;
    } else {
      ++at_;
    }
  }
  return false;
}

bool CssUrlReader::ReadFunction(std::string_view name, CssUrl* found) {
  if (EqualsIgnoreCase(name, "url")) {
    const bool is_url = ReadUrl(found);
    while (at_ < css_.size() && IsSpace(css_[at_])) ++at_;
    if (at_ < css_.size() && css_[at_] == ')') ++at_;
    return is_url;
  }
  ++depth_;
  const bool is_set =
      EqualsIgnoreCase(name, "image-set") || EqualsIgnoreCase(name, "-webkit-image-set");
  if (is_set && in_image_set_ == 0) in_image_set_ = depth_;
  return false;
}

void CssUrlReader::Close() {
  if (depth_ > 0) --depth_;
  if (depth_ < in_image_set_) in_image_set_ = 0;
}

void CssUrlReader::SkipComment() {
  if (!css_.substr(at_).starts_with("/*")) {
    ++at_;
    return;
  }
  const size_t end = css_.find("*/", at_ + 2);
  at_ = end == std::string_view::npos ? css_.size() : end + 2;
}

void CssUrlReader::ReadAtRule() {
  const size_t begin = ++at_;
  while (at_ < css_.size() && IsNameByte(css_[at_])) ++at_;
  const std::string_view name = css_.substr(begin, at_ - begin);
  rule_ = EqualsIgnoreCase(name, "import") ? Rule::kImport
          : EqualsIgnoreCase(name, "namespace") ||
                  EndsWithIgnoreCase(name, "document")  // @-moz-document too
              ? Rule::kNames
              : Rule::kNone;
}

bool CssUrlReader::ReadString(size_t* begin, size_t* end) {
  const char quote = css_[at_++];
  *begin = at_;
  while (at_ < css_.size() && css_[at_] != quote) {
    if (EndsLine(css_[at_])) return false;
    at_ += css_[at_] != '\\'                                  ? 1
           : at_ + 1 < css_.size() && EndsLine(css_[at_ + 1]) ? SkipLineBreak(css_, at_ + 1) - at_
                                                              : 2;
  }
  // The text's end ends a string too.
  *end = at_ = std::min(at_, css_.size());
  if (at_ < css_.size()) ++at_;
  return true;
}

bool CssUrlReader::ReadUrl(CssUrl* found) {
  while (at_ < css_.size() && IsSpace(css_[at_])) ++at_;
  size_t begin = at_;
  size_t end = at_;
  if (at_ < css_.size() && (css_[at_] == '"' || css_[at_] == '\'')) {
    if (!ReadString(&begin, &end)) return false;
  } else {
    const auto ends = [](char c) {
      return c == ')' || c == '"' || c == '\'' || c == '(' || IsSpace(c);
    };
    while (at_ < css_.size() && !ends(css_[at_])) {
      at_ += css_[at_] == '\\' ? 1 + Unescape(css_.substr(at_ + 1), &unescaped_) : 1;
    }
    unescaped_.clear();
    end = at_ = std::min(at_, css_.size());
    while (at_ < css_.size() && IsSpace(css_[at_])) ++at_;
    if (at_ < css_.size() && css_[at_] != ')') {
      // A bad URL goes up to the next parenthesis (4.3.14).
      while (at_ < css_.size() && css_[at_] != ')') at_ += css_[at_] == '\\' ? 2 : 1;
      return false;
    }
  }
  if (rule_ == Rule::kNames) return false;
  Take(begin, end, found);
  return true;
}

void CssUrlReader::Take(size_t begin, size_t end, CssUrl* found) {
  found->kind = rule_ == Rule::kImport ? CssUrl::Kind::kImport : CssUrl::Kind::kOther;
  // Its layers and conditions, which stand behind it, have no other.
  if (rule_ == Rule::kImport) rule_ = Rule::kNone;
  found->begin = begin;
  found->end = end;
  found->url = css_.substr(begin, end - begin);
  if (found->url.find('\\') == std::string_view::npos) return;
  const std::string_view raw = found->url;
  unescaped_.clear();
  for (size_t at = 0; at < raw.size();) {
    if (raw[at] == '\\') {
      at += 1 + Unescape(raw.substr(at + 1), &unescaped_);
    } else {
      unescaped_.push_back(raw[at++]);
    }
  }
  found->url = unescaped_;
}

bool NamesFile(std::string_view url) {
  url = TrimSpace(url);
  return !url.empty() && url[0] != '#' && !StartsWithIgnoreCase(url, "data:");
}

std::string EscapeCssUrl(std::string_view url) {
  std::string escaped;
  for (const char c : url) {
    // White space and line breaks are none in a URL; by number they are right everywhere.
    if (IsSpace(c)) {
      escaped += "%20";
      continue;
    }
    if (c == '"' || c == '\'' || c == '(' || c == ')' || c == '\\') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

}  // namespace orbweaver
