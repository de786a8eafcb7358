#include "common/url/simple_url.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace orbweaver {
namespace {

// The parts of a URL in which the URL standard leaves a byte as it is. In a path, dots and percent
// signs depend on the bytes beside them.
enum ByteClass : uint8_t { kHostByte = 1, kPathByte = 2, kQueryByte = 4 };

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes{};
  const auto add = [&classes](std::string_view bytes, uint8_t bits) {
    for (const char c : bytes) classes[static_cast<uint8_t>(c)] |= bits;
  };
  add("abcdefghijklmnopqrstuvwxyz0123456789-_", kHostByte | kPathByte | kQueryByte);
  add("ABCDEFGHIJKLMNOPQRSTUVWXYZ~!$&()*+,;=:@/", kPathByte | kQueryByte);
  add(".", kHostByte | kQueryByte);
  add("'", kPathByte);  // the query of an http URL encodes it
  add("%?[]", kQueryByte);
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

bool Is(char c, uint8_t bits) { return (kClasses[static_cast<uint8_t>(c)] & bits) != 0; }

bool IsLowerAlpha(char c) { return c >= 'a' && c <= 'z'; }
bool IsAlphaNumeric(char c) {
  return IsLowerAlpha(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The length of the name at the start of `text` that the standard takes as it is; 0 if there is
// none. Names that IDNA looks into (`xn--`) and what could be an IPv4 address (a last label that
// begins with a digit) are the parser's.
size_t SimpleHostLength(std::string_view text) {
  size_t end = 0;
  size_t label = 0;
  bool punycode = false;
  for (; end < text.size() && Is(text[end], kHostByte); ++end) {
    if (text[end] == '.') label = end + 1;
    punycode |= text[end] == '-' && text.substr(0, end).ends_with("xn");
  }
  const bool ends_there =
      end == text.size() || text[end] == '/' || text[end] == '?' || text[end] == '#';
  return ends_there && label < end && IsLowerAlpha(text[label]) && !punycode ? end : 0;
}

// Sixteen bytes at a time: a vector type of GCC's and Clang's, for any CPU.
typedef uint8_t Block __attribute__((vector_size(16)));
constexpr size_t kBlock = sizeof(Block);

Block LoadBlock(const char* p) {
  Block block;
  std::memcpy(&block, p, kBlock);
  return block;
}

// Whether the block at `p`, which has a byte before it, holds only what most paths are made of,
// letters, digits and `-./_`, and no dot segment or empty one begins in it.
bool IsPlainBlock(const char* p) {
  const Block bytes = LoadBlock(p);
  const Block before = LoadBlock(p - 1);
  const auto letters = (bytes | 0x20) - 'a' < 26;
  const auto up_to_nine = bytes - '-' < 13;  // - . / and digits
  const auto odd_segments = before == '/' & bytes - '.' < 2;
  const auto plain = (letters | up_to_nine | bytes == '_') & ~odd_segments;
  uint64_t halves[2];
  std::memcpy(halves, &plain, kBlock);
  return (halves[0] & halves[1]) == ~uint64_t{0};
}

// The length of the path at the start of `text`, which the standard leaves as it is; npos when that
// is not sure. `at_slash`: what stands before `text` ends with a slash.
size_t SimplePathLength(std::string_view text, bool at_slash) {
  size_t i = 0;
  if (text.starts_with('/')) {
    for (i = 1; i + kBlock <= text.size() && IsPlainBlock(text.data() + i);) i += kBlock;
  }
  for (;; ++i) {
    while (i < text.size() && Is(text[i], kPathByte)) ++i;
    if (i == text.size()) return i;
    if (text[i] == '.') {
      // Possibly a dot segment; %2e is a dot too.
      if (i == 0 ? at_slash : text[i - 1] == '/') return std::string_view::npos;
    } else if (text[i] == '%') {
      const std::string_view escape = text.substr(i, 3);
      if (escape == "%2e" || escape == "%2E") return std::string_view::npos;
    } else {
      return i;
    }
  }
}

bool SplitPath(std::string_view text, bool at_slash, UrlParts* out) {
  size_t i = SimplePathLength(text, at_slash);
  if (i == std::string_view::npos) return false;
  out->path = text.substr(0, i);
  out->query = {};
  if (i < text.size() && text[i] == '?') {
    const size_t start = ++i;
    while (i < text.size() && Is(text[i], kQueryByte)) ++i;
    out->query = text.substr(start, i - start);
  }
  return i == text.size() || text[i] == '#';
}

bool SplitAbsolute(std::string_view scheme, std::string_view rest, UrlParts* out) {
  const size_t host_length = SimpleHostLength(rest);
  if (host_length == 0) return false;
  *out = {.scheme = scheme, .host = rest.substr(0, host_length)};
  rest.remove_prefix(host_length);
  if (!SplitPath(rest, /*at_slash=*/false, out)) return false;
  if (out->path.empty()) out->path = "/";
  return true;
}

// A link with a colon before its first slash may have a scheme.
bool MayHaveScheme(std::string_view link) {
  const size_t at = link.find_first_of(":/?#");
  return at != std::string_view::npos && link[at] == ':';
}

}  // namespace

bool IsPlainPath(std::string_view path) {
  if (path.size() <= kBlock || path[0] != '/') return false;
  for (size_t i = 1; i + kBlock < path.size(); i += kBlock) {
    if (!IsPlainBlock(path.data() + i)) return false;
  }
  return IsPlainBlock(path.data() + path.size() - kBlock);  // some bytes of it perhaps again
}

bool SplitSimplePath(std::string_view text, UrlParts* out) {
  return SplitPath(text, /*at_slash=*/false, out);
}

bool SplitSimpleUrl(std::string_view link, const UrlParts* base, UrlParts* out) {
  if (link.starts_with("https://")) return SplitAbsolute("https", link.substr(8), out);
  if (link.starts_with("http://")) return SplitAbsolute("http", link.substr(7), out);
  if (base == nullptr || link.empty()) return false;
  *out = *base;
  out->directory = {};
  if (link[0] == '/') {
    const bool another_host = link.starts_with("//");
    return !another_host && SplitPath(link, /*at_slash=*/false, out);
  }
  if (!IsAlphaNumeric(link[0]) || MayHaveScheme(link)) return false;
  out->directory = base->path.substr(0, base->path.rfind('/') + 1);
  return SplitPath(link, /*at_slash=*/true, out);
}

}  // namespace orbweaver
