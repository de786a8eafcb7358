#include "spider/publish/mirror_path.h"

#include <algorithm>
#include <array>
#include <memory>
#include <openssl/evp.h>

#include "common/base/check.h"
#include "common/base/utf8.h"
#include "common/url/percent.h"
#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

constexpr size_t kMaxNameBytes = 255;
constexpr size_t kHashDigits = 32;
// An extension that is longer than this is a part of the name.
constexpr size_t kMaxExtensionBytes = 16;

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = LowerAscii(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Whether `bytes`, one character, may stand in a name as they are.
bool MayStand(std::string_view bytes) {
  if (bytes.size() == 1) return bytes[0] >= 0x20 && bytes[0] != 0x7f && bytes[0] != '/';
  // The further control characters, U+0080 to U+009F.
  return !(bytes.size() == 2 && bytes[0] == '\xc2' && static_cast<unsigned char>(bytes[1]) < 0xa0);
}

void AppendEscaped(std::string_view bytes, std::string* out) {
  for (const char c : bytes) AppendPercentEscape(c, out);
}

// The character that `text` begins with, in bytes; 0 when it begins with none of UTF-8.
size_t CharacterSize(std::string_view text) {
  for (size_t size = 1; size <= std::min<size_t>(4, text.size()); ++size) {
    if (IsValidUtf8(text.substr(0, size))) return size;
  }
  return 0;
}

// A part of a URL as a name: escapes undone, but for those of bytes that no name should have.
std::string Unescaped(std::string_view part) {
  std::string bytes;
  for (size_t at = 0; at < part.size(); ++at) {
    const bool escape = part[at] == '%' && at + 2 < part.size() && HexValue(part[at + 1]) >= 0 &&
                        HexValue(part[at + 2]) >= 0;
    if (escape) {
      bytes.push_back(static_cast<char>(HexValue(part[at + 1]) * 16 + HexValue(part[at + 2])));
      at += 2;
    } else {
      bytes.push_back(part[at]);
    }
  }
  std::string name;
  for (std::string_view rest = bytes; !rest.empty();) {
    const size_t size = CharacterSize(rest);
    const std::string_view character = rest.substr(0, std::max<size_t>(size, 1));
    if (size > 0 && MayStand(character)) {
      name += character;
    } else {
      AppendEscaped(character, &name);
    }
    rest.remove_prefix(character.size());
  }
  return name;
}

// Where the extension of a name begins; its end when it has none.
size_t ExtensionOf(std::string_view name) {
  const size_t dot = name.rfind('.');
  const bool has_one =
      dot != std::string_view::npos && dot > 0 && name.size() - dot <= kMaxExtensionBytes;
  return has_one ? dot : name.size();
}

std::string WithHash(std::string_view name, std::string_view hashed) {
  const std::string_view extension = name.substr(ExtensionOf(name));
  std::string_view stem = name.substr(0, name.size() - extension.size());
  stem = ClampUtf8(stem, kMaxNameBytes - extension.size() - kHashDigits - 1);
  return std::string(stem) + "~" + MirrorHash(hashed) + std::string(extension);
}

// Whether a name looks as if WithHash had made it.
bool HasHash(std::string_view name) {
  const std::string_view stem = name.substr(0, ExtensionOf(name));
  if (stem.size() < kHashDigits + 1 || stem[stem.size() - kHashDigits - 1] != '~') return false;
  const std::string_view digits = stem.substr(stem.size() - kHashDigits);
  return std::ranges::all_of(digits, [](char c) { return HexValue(c) >= 0; });
}

// `name` made one that can stand for itself; `hashed` is hashed where it cannot.
std::string Fitting(std::string name, std::string_view hashed) {
  if (name == "." || name == "..") {
    std::string escaped;
    AppendEscaped(name, &escaped);
    return escaped;
  }
  // A name that has a hash must have it from us: then no two are the same.
  return name.size() > kMaxNameBytes || HasHash(name) ? WithHash(name, hashed) : name;
}

std::string_view EssenceOf(std::string_view content_type) {
  return TrimSpace(content_type.substr(0, content_type.find(';')));
}

bool EndsWithIgnoreCase(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && EqualsIgnoreCase(text.substr(text.size() - end.size()), end);
}

// The ending that a name lacks for browsers to know the file's type by it.
std::string_view MissingExtension(std::string_view name, std::string_view content_type) {
  if (IsCssType(content_type)) return EndsWithIgnoreCase(name, ".css") ? "" : ".css";
  if (!IsHtmlType(content_type)) return "";
  if (EndsWithIgnoreCase(name, ".html") || EndsWithIgnoreCase(name, ".htm")) return "";
  const bool is_xhtml = EqualsIgnoreCase(EssenceOf(content_type), "application/xhtml+xml");
  if (is_xhtml && (EndsWithIgnoreCase(name, ".xhtml") || EndsWithIgnoreCase(name, ".xht"))) {
    return "";
  }
  return ".html";
}

}  // namespace

bool IsHtmlType(std::string_view content_type) {
  const std::string_view essence = EssenceOf(content_type);
  return essence.empty() || EqualsIgnoreCase(essence, "text/html") ||
         EqualsIgnoreCase(essence, "application/xhtml+xml");
}

bool IsCssType(std::string_view content_type) {
  return EqualsIgnoreCase(EssenceOf(content_type), "text/css");
}

MirrorPath MirrorPathOf(std::string_view url, std::string_view content_type) {
  const size_t scheme = url.find("://");
  CHECK(scheme != std::string_view::npos);  // canonical
  const std::string_view rest = url.substr(scheme + 3);
  const size_t question = rest.find('?');
  const std::string_view query = question == std::string_view::npos ? "" : rest.substr(question);
  std::string_view path = rest.substr(0, question);
  const size_t host_size = std::min(path.find('/'), path.size());
  std::string host(path.substr(0, host_size));
  // A colon within brackets is of an IPv6 address.
  if (const size_t colon = host.rfind(':');
      colon != std::string::npos && host.find(']', colon) == std::string::npos) {
    host[colon] = '+';
  }
  MirrorPath made{.path = Fitting(Unescaped(host), host), .spelled = true};
  path.remove_prefix(host_size);
  const size_t last_slash = path.rfind('/');
  for (size_t at = 0; at < path.size() && at < last_slash;) {
    const size_t end = path.find('/', at + 1);
    const std::string_view name = path.substr(at + 1, end - at - 1);
    at = end;
    if (name.empty()) continue;
    // The same for all that is below it. The one page that has this URL is an index in it.
    const std::string_view folder = url.substr(0, scheme + 3 + host_size + end + 1);
    made.path += '/' + Fitting(Unescaped(name), folder);
  }
  std::string name =
      last_slash == std::string_view::npos ? "" : Unescaped(path.substr(last_slash + 1));
  if (name.empty()) {
    name = "index.html";
    made.spelled = false;
  }
  if (!query.empty()) name += Unescaped(query);
  if (const std::string_view missing = MissingExtension(name, content_type); !missing.empty()) {
    name += missing;
    made.spelled = false;
  }
  made.path += '/' + Fitting(std::move(name), url);
  return made;
}

std::string UniqueMirrorPath(std::string_view path, std::string_view url) {
  const size_t name = path.rfind('/') + 1;
  return std::string(path.substr(0, name)) + WithHash(path.substr(name), url);
}

std::string MirrorHash(std::string_view text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  CHECK(context != nullptr);
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  CHECK(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  CHECK(EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1);
  CHECK(EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1 && size == digest.size());
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (size_t i = 0; i < kHashDigits / 2; ++i) {
    hex.push_back(kDigits[digest[i] >> 4]);
    hex.push_back(kDigits[digest[i] & 15]);
  }
  return hex;
}

}  // namespace orbweaver
