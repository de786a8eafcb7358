#include "spider/parse/charset.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <uchardet/uchardet.h>

#include "common/base/utf8.h"
#include "lexbor/encoding/encoding.h"
#include "spider/parse/ascii.h"
#include "spider/parse/write_utf8.h"

namespace orbweaver {
namespace {

constexpr size_t kPrescanBytes = 1024;     // HTML standard, 13.2.3.2
constexpr size_t kDetectBytes = 16 << 10;  // detection costs, and more bytes change its mind rarely
constexpr std::string_view kUtf8 = "utf-8";
constexpr std::string_view kDefault = "windows-1252";
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

const lxb_char_t* Bytes(std::string_view text) {
  return reinterpret_cast<const lxb_char_t*>(text.data());
}

// Our names are the standard's in lower case; lexbor spells some in capitals.
std::string_view NameOf(lxb_encoding_t encoding) {
  static const auto names = [] {
    auto made = std::make_unique<char[][24]>(LXB_ENCODING_LAST_ENTRY);
    for (int i = 0; i < LXB_ENCODING_LAST_ENTRY; ++i) {
      const lxb_encoding_data_t* data = lxb_encoding_data(static_cast<lxb_encoding_t>(i));
      const auto* name =
          data == nullptr || data->name == nullptr ? "" : reinterpret_cast<const char*>(data->name);
      const size_t size = std::min(std::strlen(name), sizeof made[i] - 1);
      std::transform(name, name + size, made[i], LowerAscii);
    }
    return made;
  }();
  return names[encoding];
}

// Labels of the standard that lexbor does not have.
std::string_view NameOfFurtherLabel(std::string_view label) {
  static constexpr std::pair<std::string_view, std::string_view> kLabels[] = {
      {"csunicode", "utf-16le"},  {"iso-10646-ucs-2", "utf-16le"}, {"ucs-2", "utf-16le"},
      {"unicode", "utf-16le"},    {"unicodefeff", "utf-16le"},     {"unicodefffe", "utf-16be"},
      {"unicode11utf8", "utf-8"}, {"unicode20utf8", "utf-8"},      {"x-unicode20utf8", "utf-8"},
  };
  for (const auto& [known, name] : kLabels) {
    if (EqualsIgnoreCase(label, known)) return name;
  }
  return label;
}

const lxb_encoding_data_t* FindLabel(std::string_view label) {
  label = NameOfFurtherLabel(TrimSpace(label));
  if (label.empty()) return nullptr;
  return lxb_encoding_data_by_name(Bytes(label), label.size());
}

std::string_view SkipSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

// The value behind `charset=` in a header or a meta's content.
std::string_view CharsetParameter(std::string_view value) {
  for (size_t i = 0; i + 8 < value.size(); ++i) {
    if (!StartsWithIgnoreCase(value.substr(i), "charset")) continue;
    std::string_view rest = SkipSpace(value.substr(i + 7));
    if (!rest.starts_with('=')) continue;
    rest = SkipSpace(rest.substr(1));
    if (rest.starts_with('"') || rest.starts_with('\'')) {
      const size_t end = rest.find(rest[0], 1);
      return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
    }
    return rest.substr(0, rest.find_first_of("; \t\r\n\f"));
  }
  return {};
}

std::string_view ByteOrderMark(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) return kUtf8;
  if (bytes.starts_with("\xfe\xff")) return "utf-16be";
  if (bytes.starts_with("\xff\xfe")) return "utf-16le";
  return {};
}

// The beginning of an XML declaration in UTF-16 (HTML standard, 13.2.3.2); empty when it is none.
std::string_view Utf16OfXmlDeclaration(std::string_view bytes) {
  if (bytes.starts_with(std::string_view("<\0?\0x\0", 6))) return "utf-16le";
  if (bytes.starts_with(std::string_view("\0<\0?\0x", 6))) return "utf-16be";
  return {};
}

// A tag's attributes one by one, as the standard's prescan reads them.
class AttributeScan {
 public:
  explicit AttributeScan(std::string_view tag) : rest_(tag) {}

  bool Next(std::string_view* name, std::string_view* value) {
    while (!rest_.empty() && (IsSpace(rest_[0]) || rest_[0] == '/')) rest_.remove_prefix(1);
    if (rest_.empty() || rest_[0] == '>') return false;
    size_t end = 1;
    while (end < rest_.size() && !IsSpace(rest_[end]) &&
           std::string_view("=/>").find(rest_[end]) == std::string_view::npos) {
      ++end;
    }
    *name = Take(end);
    *value = {};
    SkipSpace();
    if (!rest_.starts_with('=')) return true;
    rest_.remove_prefix(1);
    SkipSpace();
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      const size_t close = rest_.find(rest_[0], 1);
      if (close == std::string_view::npos) return false;
      *value = Take(close).substr(1);
      rest_.remove_prefix(1);
      return true;
    }
    end = 0;
    while (end < rest_.size() && !IsSpace(rest_[end]) && rest_[end] != '>') ++end;
    if (end == rest_.size()) return false;  // perhaps not all of it
    *value = Take(end);
    return true;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view Take(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  void SkipSpace() {
    while (!rest_.empty() && IsSpace(rest_[0])) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

// The charset that a <meta> with these attributes declares.
std::string_view MetaCharset(AttributeScan& attributes) {
  std::string_view name;
  std::string_view value;
  std::string_view charset;
  bool of_content = false;
  bool is_content_type = false;
  while (attributes.Next(&name, &value)) {
    if (EqualsIgnoreCase(name, "http-equiv")) {
      is_content_type = EqualsIgnoreCase(value, "content-type");
    } else if (EqualsIgnoreCase(name, "charset")) {
      charset = value;
      of_content = false;
    } else if (EqualsIgnoreCase(name, "content") && charset.empty()) {
      charset = CharsetParameter(value);
      of_content = true;
    }
  }
  if (of_content && !is_content_type) return {};
  return charset;
}

// The charset for a document's own declaration: it was read as ASCII to get here, so it cannot be
// UTF-16.
std::string_view FromDeclaration(std::string_view label) {
  const lxb_encoding_data_t* data = FindLabel(label);
  if (data == nullptr) return {};
  switch (data->encoding) {
    case LXB_ENCODING_UTF_16BE:
    case LXB_ENCODING_UTF_16LE:
      return kUtf8;
    case LXB_ENCODING_X_USER_DEFINED:
      return kDefault;
    default:
      return NameOf(data->encoding);
  }
}

// By the frequencies of its bytes; empty when they fit nothing.
std::string_view Guess(std::string_view bytes) {
  // The markup before the first byte that is not ASCII says nothing.
  const auto first = std::find_if(bytes.begin(), bytes.end(),
                                  [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  const auto skip = static_cast<size_t>(first - bytes.begin());
  const std::string_view sample = bytes.substr(skip - std::min<size_t>(skip, 64), kDetectBytes);
  const std::unique_ptr<uchardet, decltype(&uchardet_delete)> detector(uchardet_new(),
                                                                       &uchardet_delete);
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return {};
  uchardet_data_end(detector.get());
  return FromDeclaration(uchardet_get_charset(detector.get()));
}

bool IsScalarValue(lxb_codepoint_t c) { return c < 0xd800 || (c > 0xdfff && c <= 0x10ffff); }

// No charset has a byte, or a pair of them, that becomes more than three bytes each in UTF-8.
constexpr size_t kUtf8BytesPerByte = 3;
constexpr size_t kCodePoints = 1024;

}  // namespace

std::string_view CharsetOfLabel(std::string_view label) {
  const lxb_encoding_data_t* data = FindLabel(label);
  return data == nullptr ? std::string_view() : NameOf(data->encoding);
}

std::string_view DeclaredCharset(std::string_view bytes) {
  std::string_view rest = bytes.substr(0, kPrescanBytes);
  if (rest.starts_with("<?xml")) {
    AttributeScan attributes(rest.substr(5, rest.find("?>") - 5));
    std::string_view name;
    std::string_view value;
    while (attributes.Next(&name, &value)) {
      if (name == "encoding") return FromDeclaration(value);
    }
  }
  while (true) {
    const size_t open = rest.find('<');
    if (open == std::string_view::npos) return {};
    rest.remove_prefix(open + 1);
    if (rest.starts_with("!--")) {
      const size_t close = rest.find("-->", 1);
      if (close == std::string_view::npos) return {};
      rest.remove_prefix(close + 3);
    } else if (StartsWithIgnoreCase(rest, "meta") && rest.size() > 4 &&
               (IsSpace(rest[4]) || rest[4] == '/')) {
      AttributeScan attributes(rest.substr(4));
      const std::string_view charset = FromDeclaration(MetaCharset(attributes));
      if (!charset.empty()) return charset;
      rest = attributes.rest();
    } else if (!rest.empty() && (IsAsciiLetter(rest[0]) || rest[0] == '/')) {
      AttributeScan attributes(rest);
      std::string_view name;
      std::string_view value;
      while (attributes.Next(&name, &value)) {
      }
      rest = attributes.rest();
    }
  }
}

std::string_view CharsetOfMeta(std::string_view charset, std::string_view http_equiv,
                               std::string_view content) {
  if (const auto declared = FromDeclaration(charset); !declared.empty()) return declared;
  if (!EqualsIgnoreCase(http_equiv, "content-type")) return {};
  return FromDeclaration(CharsetParameter(content));
}

DetectedCharset DetectCharset(std::string_view bytes, std::string_view content_type) {
  if (const auto mark = ByteOrderMark(bytes); !mark.empty()) return {mark, /*certain=*/true};
  if (const auto header = CharsetOfLabel(CharsetParameter(content_type)); !header.empty()) {
    return {header, /*certain=*/true};
  }
  if (const auto utf16 = Utf16OfXmlDeclaration(bytes); !utf16.empty()) return {utf16};
  if (const auto declared = DeclaredCharset(bytes); !declared.empty()) return {declared};
  if (IsValidUtf8(bytes)) return {kUtf8};
  const std::string_view guess = Guess(bytes);
  // Bytes that were just seen not to be UTF-8 may still be so but for a cut or a stray byte.
  return {guess.empty() ? kDefault : guess};
}

std::string_view ToUtf8(std::string_view bytes, std::string_view charset, Arena* arena) {
  if (charset == kUtf8) {
    if (ByteOrderMark(bytes) == kUtf8) bytes.remove_prefix(3);
    if (IsValidUtf8(bytes)) return bytes;
  } else if (charset.starts_with("utf-16") && ByteOrderMark(bytes) == charset) {
    bytes.remove_prefix(2);
  }
  const lxb_encoding_data_t* data = FindLabel(charset);
  if (data == nullptr) data = lxb_encoding_data(LXB_ENCODING_WINDOWS_1252);
  // Charsets that are no longer decoded because attacks hid in them.
  if (data->encoding == LXB_ENCODING_REPLACEMENT) return kReplacement;

  lxb_codepoint_t points[kCodePoints];
  static constexpr lxb_codepoint_t kReplacementPoint = 0xfffd;
  lxb_encoding_decode_t decoder;
  lxb_encoding_decode_init(&decoder, data, points, kCodePoints);
  lxb_encoding_decode_replace_set(&decoder, &kReplacementPoint, 1);
  const size_t capacity = (bytes.size() + 2) * kUtf8BytesPerByte;
  char* const begin = static_cast<char*>(arena->Allocate(capacity));
  char* out = begin;
  const auto flush = [&] {
    const size_t count = lxb_encoding_decode_buf_used(&decoder);
    for (size_t i = 0; i < count && out + 4 <= begin + capacity; ++i) {
      out = WriteUtf8(IsScalarValue(points[i]) ? points[i] : kReplacementPoint, out);
    }
    lxb_encoding_decode_buf_used_set(&decoder, 0);
  };
  const lxb_char_t* position = Bytes(bytes);
  const lxb_char_t* const end = position + bytes.size();
  lxb_status_t status;
  do {
    status = data->decode(&decoder, &position, end);
    flush();
  } while (status == LXB_STATUS_SMALL_BUFFER);
  (void)lxb_encoding_decode_finish(&decoder);
  flush();
  return {begin, static_cast<size_t>(out - begin)};
}

}  // namespace orbweaver
