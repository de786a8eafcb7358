#include "spider/parse/html_tokenizer.h"

#include <array>
#include <bit>
#include <cstring>

#include "common/base/byte_mask.h"
#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The first of some bytes, `end` when there is none. Most are near: by 16, not by 64.
template <char... kBytes>
const char* FindAny(const char* at, const char* end) {
  for (; end - at >= 16; at += 16) {
    if (const uint64_t mask = MaskOf16<kBytes...>(at); mask != 0) {
      return at + std::countr_zero(mask);
    }
  }
  while (at != end && !((*at == kBytes) || ...)) ++at;
  return at;
}

// The first byte that makes a value another than it stands in the document.
const char* FindSpecial(const char* at, const char* end) {
  return FindAny<'&', '\r', '\0'>(at, end);
}

// Each byte of a name in lower case; 0 where the name ends. A NUL, which is U+FFFD there, becomes
// what no name has.
constexpr std::array<unsigned char, 256> NameBytes(std::string_view ends) {
  std::array<unsigned char, 256> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(LowerAscii(static_cast<char>(i)));
  }
  bytes[0] = 0xff;
  for (const char end : ends) bytes[static_cast<unsigned char>(end)] = 0;
  return bytes;
}
constexpr auto kTagNameBytes = NameBytes("\t\n\f\r />");
constexpr auto kAttributeNameBytes = NameBytes("\t\n\f\r />=");

// Reads the name at `at`; returns where it ends.
const char* ReadName(const char* at, const char* end, const std::array<unsigned char, 256>& bytes,
                     uint64_t* tail) {
  for (; at != end; ++at) {
    const unsigned char lower = bytes[static_cast<unsigned char>(*at)];
    if (lower == 0) break;
    *tail = AppendToTail(*tail, lower);
  }
  return at;
}

const char* SkipSpace(const char* at, const char* end) {
  while (at != end && IsSpace(*at)) ++at;
  return at;
}
const char* SkipLetters(const char* at, const char* end) {
  while (at != end && IsAsciiLetter(*at)) ++at;
  return at;
}

std::string_view View(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

bool EndsTagName(char c) { return IsSpace(c) || c == '/' || c == '>'; }

// Whether the "<" at `at` begins anything else than text.
bool OpensMarkup(const char* at, const char* end) {
  if (end - at < 2) return false;
  if (at[1] == '/') return end - at > 2;
  return IsAsciiLetter(at[1]) || at[1] == '!' || at[1] == '?';
}

}  // namespace

void HtmlTokenizer::Begin(std::string_view html) {
  at_ = html.data();
  end_ = at_ + html.size();
  content_ = HtmlContent::kMarkup;
  reference_is_next_ = false;
  arena_.Reset();
}

HtmlTokenizer::Token HtmlTokenizer::Next(bool in_foreign) {
  if (reference_is_next_) {
    reference_is_next_ = false;
    text_ = reference_.text();
    return Token::kText;
  }
  return content_ == HtmlContent::kMarkup ? ReadMarkup(in_foreign) : ReadContent();
}

HtmlTokenizer::Token HtmlTokenizer::Text(const char* begin, const char* end) {
  at_ = end;
  if (begin == end) return Token::kEnd;
  text_ = View(begin, end);
  return Token::kText;
}

HtmlTokenizer::Token HtmlTokenizer::TextThenReference(const char* begin, const char* at,
                                                      size_t size) {
  reference_is_next_ = begin != at;
  text_ = reference_is_next_ ? View(begin, at) : reference_.text();
  at_ = at + size;
  return Token::kText;
}

HtmlTokenizer::Token HtmlTokenizer::ReadMarkup(bool in_foreign) {
  const char* begin = at_;
  for (const char* at = begin;; ++at) {
    if (at != end_ && *at != '<') at = FindAny<'<', '&'>(at, end_);
    if (at == end_) return Text(begin, end_);
    if (*at == '&') {
      reference_ = ReadCharacterReference(View(at, end_), /*in_attribute=*/false);
      if (reference_.size != 0) return TextThenReference(begin, at, reference_.size);
      continue;
    }
    if (!OpensMarkup(at, end_)) continue;
    if (at != begin) return Text(begin, at);
    at_ = at + 1;
    if (IsAsciiLetter(*at_)) return ReadTag(Token::kStartTag);
    if (*at_ == '/') {
      ++at_;
      if (IsAsciiLetter(*at_)) return ReadTag(Token::kEndTag);
      SkipPast('>');
    } else if (!SkipDeclaration(in_foreign) && !text_.empty()) {
      return Token::kText;
    }
    begin = at_;
    at = at_ - 1;
  }
}

void HtmlTokenizer::SkipPast(char c) {
  const void* const found = std::memchr(at_, c, static_cast<size_t>(end_ - at_));
  at_ = found == nullptr ? end_ : static_cast<const char*>(found) + 1;
}

bool HtmlTokenizer::SkipDeclaration(bool in_foreign) {
  static constexpr std::string_view kCdata = "![CDATA[";
  const std::string_view rest = View(at_, end_);
  if (rest.starts_with("!--")) {
    SkipComment();
  } else if (in_foreign && rest.starts_with(kCdata)) {
    const size_t close = rest.find("]]>", kCdata.size());
    text_ = rest.substr(kCdata.size(), close - kCdata.size());
    at_ = close == std::string_view::npos ? end_ : at_ + close + 3;
    return false;
  } else {
    SkipPast('>');  // a doctype, or what counts as a comment
  }
  return true;
}

// `at_` is at "!--". The dashes of the end may be those of the beginning in two cases only, "<!-->"
// and "<!--->".
void HtmlTokenizer::SkipComment() {
  const char* const begin = at_ + 3;
  at_ = begin;
  while (at_ != end_) {
    SkipPast('>');
    if (at_[-1] != '>') return;
    const std::string_view comment = View(begin, at_ - 1);
    if (comment.empty() || comment == "-" || comment.ends_with("--") || comment.ends_with("--!")) {
      return;
    }
  }
}

const char* HtmlTokenizer::FindInContent(const char* at) const {
  switch (content_) {
    case HtmlContent::kText:
      return FindAny<'<', '&', '\0'>(at, end_);
    case HtmlContent::kScript:
      if (escape_ != Escape::kNone) return FindAny<'<', '>', '\0'>(at, end_);
      [[fallthrough]];
    case HtmlContent::kRaw:
      return FindAny<'<', '\0'>(at, end_);
    default:
      return FindAny<'\0'>(at, end_);
  }
}

HtmlTokenizer::Token HtmlTokenizer::ReadContent() {
  const char* const begin = at_;
  for (const char* at = begin;;) {
    at = FindInContent(at);
    if (at == end_) return Text(begin, end_);
    if (*at == '\0') {
      reference_.text_size = kReplacement.copy(reference_.bytes.data(), kReplacement.size());
      return TextThenReference(begin, at, 1);
    }
    if (*at == '&') {
      reference_ = ReadCharacterReference(View(at, end_), /*in_attribute=*/false);
      if (reference_.size != 0) return TextThenReference(begin, at, reference_.size);
      ++at;
    } else if (*at == '<' && EndsContent(at)) {
      if (at != begin) return Text(begin, at);
      content_ = HtmlContent::kMarkup;
      at_ = at + 2;
      return ReadTag(Token::kEndTag);
    } else {
      at = content_ == HtmlContent::kScript ? ReadInScript(at) : at + 1;
    }
  }
}

bool HtmlTokenizer::EndsContent(const char* at) const {
  if (escape_ == Escape::kDoubleEscaped) return false;
  const std::string_view tag = View(at + 1, end_);
  const std::string_view name = content_name_->name;
  return tag.size() > name.size() + 1 && tag[0] == '/' && EndsTagName(tag[name.size() + 1]) &&
         EqualsIgnoreCase(tag.substr(1, name.size()), name);
}

// 13.2.5.15 to 13.2.5.31.
const char* HtmlTokenizer::ReadInScript(const char* at) {
  if (*at == '>') {
    // "<!-->" ends it too: both of its dashes count.
    if (at - escape_begin_ >= 2 && at[-1] == '-' && at[-2] == '-') escape_ = Escape::kNone;
    return at + 1;
  }
  ++at;
  switch (escape_) {
    case Escape::kNone:
      if (!View(at, end_).starts_with("!--")) return at;
      escape_ = Escape::kEscaped;
      escape_begin_ = at + 1;
      return at + 3;
    case Escape::kEscaped:
      break;
    case Escape::kDoubleEscaped:
      if (at == end_ || *at != '/') return at;
      ++at;
      break;
  }
  const char* const end = SkipLetters(at, end_);
  if (end != end_ && EndsTagName(*end) && EqualsIgnoreCase(View(at, end), "script")) {
    escape_ = escape_ == Escape::kEscaped ? Escape::kDoubleEscaped : Escape::kEscaped;
  }
  return end;
}

HtmlTokenizer::Token HtmlTokenizer::ReadTag(Token kind) {
  uint64_t tail = 0;
  const char* const end = ReadName(at_, end_, kTagNameBytes, &tail);
  spelling_ = View(at_, end);
  name_ = &FindHtmlName(spelling_, tail);
  at_ = end;
  self_closing_ = false;
  attributes_.Clear();
  const bool has_a_say = name_->tag != HtmlTag::kOther && name_->tag != HtmlTag::kBlock;
  const bool wanted = kind == Token::kStartTag && (has_a_say || all_attributes_);
  if (wanted ? ReadAttributes<true>() : ReadAttributes<false>()) return kind;
  at_ = end_;
  return Token::kEnd;
}

template <bool kWanted>
bool HtmlTokenizer::ReadAttributes() {
  for (;;) {
    at_ = SkipSpace(at_, end_);
    if (at_ == end_) return false;
    if (*at_ == '>') {
      ++at_;
      return true;
    }
    if (*at_ == '/') {
      ++at_;
      self_closing_ = at_ != end_ && *at_ == '>';
      continue;
    }
    const char* const name = at_;
    // A "=" that nothing stands before begins a name.
    uint64_t tail = *at_ == '=' ? AppendToTail(0, '=') : 0;
    at_ = ReadName(*at_ == '=' ? at_ + 1 : at_, end_, kAttributeNameBytes, &tail);
    HtmlAttribute attribute = HtmlAttribute::kNone;
    if constexpr (kWanted) attribute = FindHtmlAttribute(View(name, at_), tail);
    at_ = SkipSpace(at_, end_);
    std::string_view value;
    if (at_ != end_ && *at_ == '=') {
      at_ = SkipSpace(at_ + 1, end_);
      const bool wanted = attribute != HtmlAttribute::kNone && !attributes_.Has(attribute);
      if (at_ == end_ || !(wanted ? ReadValue<true>(&value) : ReadValue<false>(&value))) {
        return false;
      }
    }
    if constexpr (kWanted) attributes_.Set(attribute, value);
  }
}

template <bool kWanted>
bool HtmlTokenizer::ReadValue(std::string_view* value) {
  switch (*at_) {
    case '>':
      return true;
    case '"':
      return ReadQuoted<'"', kWanted>(value);
    case '\'':
      return ReadQuoted<'\'', kWanted>(value);
    default:
      break;
  }
  const char* const begin = at_;
  while (at_ != end_ && !IsSpace(*at_) && *at_ != '>') ++at_;
  *value = View(begin, at_);
  if (kWanted && FindSpecial(begin, at_) != at_) *value = Decode(*value);
  return true;
}

template <char kQuote, bool kWanted>
bool HtmlTokenizer::ReadQuoted(std::string_view* value) {
  const char* const begin = ++at_;
  bool as_it_is = true;
  if constexpr (kWanted) {
    at_ = FindAny<kQuote, '&', '\r', '\0'>(at_, end_);
    as_it_is = at_ == end_ || *at_ == kQuote;
  }
  if (!kWanted || !as_it_is) at_ = FindAny<kQuote>(at_, end_);
  if (at_ == end_) return false;
  *value = View(begin, at_);
  if (!as_it_is) *value = Decode(*value);
  ++at_;
  return true;
}

std::string_view HtmlTokenizer::Decode(std::string_view value) {
  decoded_.clear();
  const char* const end = value.data() + value.size();
  for (const char* at = value.data();;) {
    const char* const special = FindSpecial(at, end);
    decoded_.append(at, special);
    if (special == end) return arena_.Copy(decoded_);
    at = special + 1;
    if (*special == '\r') {
      decoded_.push_back('\n');
      if (at != end && *at == '\n') ++at;
    } else if (*special == '\0') {
      decoded_.append(kReplacement);
    } else if (const auto reference =
                   ReadCharacterReference(View(special, end), /*in_attribute=*/true);
               reference.size != 0) {
      decoded_.append(reference.text());
      at = special + reference.size;
    } else {
      decoded_.push_back('&');
    }
  }
}

}  // namespace orbweaver
