// Where a URL stands in a mirror: as wget lays files out.
//
//   https://example.org/                     example.org/index.html
//   http://example.org:8080/a/b?c=1  (HTML)  example.org+8080/a/b?c=1.html
//   https://example.org/%7Ejoe/a%20b.css     example.org/~joe/a b.css
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// Of a Content-Type; an answer without one counts as HTML, as for browsers and wget.
bool IsHtmlType(std::string_view content_type);
bool IsCssType(std::string_view content_type);

struct MirrorPath {
  // Components between slashes, the first one the host's. Each is a name that a folder may have: of
  // 1 to 255 bytes, UTF-8 without control characters, and neither "." nor "..".
  std::string path;
  // Nothing was added that the URL does not say: no index.html, no .html.
  bool spelled = false;
};

// `url` is canonical. Some URLs have the same path, and one's file may be what another one needs as
// a folder: MirrorLayout decides between them.
MirrorPath MirrorPathOf(std::string_view url, std::string_view content_type);

// `path`, which is MirrorPathOf's of `url`, with a hash of the URL in its name: "a~HASH.html". No
// other URL has this path, and no path of MirrorPathOf ends so.
std::string UniqueMirrorPath(std::string_view path, std::string_view url);

// 32 hexadecimal digits of SHA-256: no site can make two texts that agree in it.
std::string MirrorHash(std::string_view text);

}  // namespace orbweaver
