#include "common/parquet/json_text.h"

#include <cstdint>

#include "common/base/utf8.h"

namespace orbweaver::parquet {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

size_t Digits(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return count;
}

void AppendUtf8(unsigned code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  if (code < 0x800) {
    out->push_back(static_cast<char>(0xc0 | code >> 6));
  } else {
    if (code < 0x10000) {
      out->push_back(static_cast<char>(0xe0 | code >> 12));
    } else {
      out->push_back(static_cast<char>(0xf0 | code >> 18));
      out->push_back(static_cast<char>(0x80 | (code >> 12 & 0x3f)));
    }
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
  }
  out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
}

}  // namespace

char JsonText::Peek() {
  size_t blanks = 0;
  while (blanks < text_.size() && (text_[blanks] == ' ' || text_[blanks] == '\n' ||
                                   text_[blanks] == '\t' || text_[blanks] == '\r')) {
    ++blanks;
  }
  text_.remove_prefix(blanks);
  return text_.empty() ? '\0' : text_.front();
}

bool JsonText::Take(char token) {
  if (Peek() != token || text_.empty()) return false;
  text_.remove_prefix(1);
  return true;
}

bool JsonText::TakeWord(std::string_view word) {
  Peek();
  if (!text_.starts_with(word)) return false;
  text_.remove_prefix(word.size());
  return true;
}

bool JsonText::TakeString(std::string* room, std::string_view* text) {
  if (!Take('"')) return false;
  room->clear();
  bool has_escapes = false;
  while (true) {
    size_t plain = 0;
    bool is_ascii = true;
    for (; plain < text_.size(); ++plain) {
      const auto c = static_cast<uint8_t>(text_[plain]);
      if (c == '"' || c == '\\' || c < 0x20) break;
      is_ascii &= c < 0x80;
    }
    if (plain == text_.size() || static_cast<uint8_t>(text_[plain]) < 0x20) return false;
    const std::string_view part = text_.substr(0, plain);
    if (!is_ascii && !IsValidUtf8(part)) return false;
    const bool ends = text_[plain] == '"';
    text_.remove_prefix(plain + 1);
    if (ends && !has_escapes) {
      *text = part;
      return true;
    }
    has_escapes = true;
    room->append(part);
    if (ends) {
      *text = *room;
      return true;
    }
    if (!TakeEscape(room)) return false;
  }
}

bool JsonText::TakeEscape(std::string* room) {
  if (text_.empty()) return false;
  const char c = text_.front();
  text_.remove_prefix(1);
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  if (const size_t at = kEscapes.find(c); at != std::string_view::npos) {
    room->push_back(kMeant[at]);
    return true;
  }
  unsigned code = 0;
  if (c != 'u' || !TakeHex(&code)) return false;
  if (code >= 0xd800 && code < 0xe000) {
    unsigned low = 0;
    if (code >= 0xdc00 || !text_.starts_with("\\u")) return false;
    text_.remove_prefix(2);
    if (!TakeHex(&low) || low < 0xdc00 || low >= 0xe000) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  AppendUtf8(code, room);
  return true;
}

bool JsonText::TakeHex(unsigned* value) {
  constexpr size_t kDigits = 4;
  if (text_.size() < kDigits) return false;
  *value = 0;
  for (size_t i = 0; i < kDigits; ++i) {
    const char c = text_[i];
    unsigned digit = 0;
    if (IsDigit(c)) {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return false;
    }
    *value = *value << 4 | digit;
  }
  text_.remove_prefix(kDigits);
  return true;
}

bool JsonText::TakeNumber(std::string_view* number) {
  Peek();
  size_t size = text_.starts_with('-') ? 1 : 0;
  const size_t whole = Digits(text_.substr(size));
  if (whole == 0 || (whole > 1 && text_[size] == '0')) return false;
  size += whole;
  if (size < text_.size() && text_[size] == '.') {
    const size_t fraction = Digits(text_.substr(size + 1));
    if (fraction == 0) return false;
    size += 1 + fraction;
  }
  if (size < text_.size() && (text_[size] == 'e' || text_[size] == 'E')) {
    size_t at = size + 1;
    if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
    const size_t exponent = Digits(text_.substr(at));
    if (exponent == 0) return false;
    size = at + exponent;
  }
  *number = text_.substr(0, size);
  text_.remove_prefix(size);
  return true;
}

bool JsonText::More(char closing, bool first, bool* good) {
  if (Take(closing)) return false;
  if (!first && !Take(',')) *good = false;
  return *good;
}

}  // namespace orbweaver::parquet
