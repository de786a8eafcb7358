#include "common/base/json.h"

#include <cmath>
#include <iterator>

#include "fmt/format.h"

#include "common/base/check.h"

namespace orbweaver {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// The bytes that begin at a byte that is not ASCII: their length, and whether they are a whole
// character. When they are not, the length is that of the longest beginning of a character there,
// at least 1 (Unicode 15.0, section 3.9, table 3-7 and "maximal subpart").
struct Sequence {
  size_t length;
  bool whole;
};

Sequence ReadSequence(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  size_t length = 0;
  // The second byte's bounds exclude overlong forms, surrogates and what lies past U+10FFFF.
  uint8_t low = 0x80;
  uint8_t high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return {1, false};
  }
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {length, true};
}

void AppendEscaped(char c, std::string* out) {
  switch (c) {
    case '"':
      *out += "\\\"";
      break;
    case '\\':
      *out += "\\\\";
      break;
    case '\n':
      *out += "\\n";
      break;
    case '\r':
      *out += "\\r";
      break;
    case '\t':
      *out += "\\t";
      break;
    default:
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

bool IsPlain(char c) {
  const auto byte = static_cast<uint8_t>(c);
  // Without branches, for PlainBytes.
  return (byte >= 0x20) & (byte < 0x7f) & (c != '"') & (c != '\\');
}

// How many bytes from the first one on stand for themselves. By blocks, which the compiler turns
// into vector instructions: JSON is mostly such bytes.
size_t PlainBytes(std::string_view text) {
  constexpr size_t kBlock = 16;
  size_t count = 0;
  for (; count + kBlock <= text.size(); count += kBlock) {
    bool all_plain = true;
    for (size_t i = 0; i < kBlock; ++i) all_plain &= IsPlain(text[count + i]);
    if (!all_plain) break;
  }
  while (count < text.size() && IsPlain(text[count])) ++count;
  return count;
}

// U+0080 to U+009F: some terminals do with them what ESC does, and JSON is looked at, too.
bool IsC1(std::string_view character) {
  return character[0] == '\xc2' && static_cast<uint8_t>(character[1]) < 0xa0;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const size_t plain = PlainBytes(text);
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<uint8_t>(text[0]) < 0x80) {
      AppendEscaped(text[0], out);
      text.remove_prefix(1);
      continue;
    }
    const Sequence sequence = ReadSequence(text);
    if (sequence.whole && IsC1(text)) {
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<uint8_t>(text[1]));
      text.remove_prefix(sequence.length);
      continue;
    }
    out->append(sequence.whole ? text.substr(0, sequence.length) : kReplacement);
    text.remove_prefix(sequence.length);
  }
  out->push_back('"');
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  CHECK(levels_.back().closing == ']');
  if (!levels_.back().empty) out_->push_back(',');
  levels_.back().empty = false;
}

JsonWriter& JsonWriter::Begin(char opening, char closing) {
  BeforeValue();
  out_->push_back(opening);
  levels_.push_back({.closing = closing, .empty = true});
  return *this;
}

JsonWriter& JsonWriter::End(char closing) {
  CHECK(!after_key_ && !levels_.empty() && levels_.back().closing == closing);
  levels_.pop_back();
  out_->push_back(closing);
  return *this;
}

JsonWriter& JsonWriter::BeginObject() { return Begin('{', '}'); }
JsonWriter& JsonWriter::EndObject() { return End('}'); }
JsonWriter& JsonWriter::BeginArray() { return Begin('[', ']'); }
JsonWriter& JsonWriter::EndArray() { return End(']'); }

JsonWriter& JsonWriter::Key(std::string_view name) {
  CHECK(!after_key_ && !levels_.empty() && levels_.back().closing == '}');
  if (!levels_.back().empty) out_->push_back(',');
  levels_.back().empty = false;
  AppendJsonString(name, out_);
  out_->push_back(':');
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view text) {
  BeforeValue();
  AppendJsonString(text, out_);
  return *this;
}

JsonWriter& JsonWriter::Value(double number) {
  if (!std::isfinite(number)) return Null();
  return Raw(fmt::format("{}", number));
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  BeforeValue();
  out_->append(json);
  return *this;
}

}  // namespace orbweaver
