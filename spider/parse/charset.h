// In which charset a document is, and its text in UTF-8.
//
// Names, labels and tables are those of the Encoding Standard (https://encoding.spec.whatwg.org/),
// so a page reads as it does in browsers.
#pragma once

#include <string_view>

#include "common/model/arena.h"

namespace orbweaver {

// The WHATWG name of what `label` calls a charset ("latin1" is "windows-1252"), in lower case;
// empty when it is no label of one.
std::string_view CharsetOfLabel(std::string_view label);

// The charset that <meta charset>, <meta http-equiv=content-type> or an XML declaration names
// within the first 1,024 bytes; empty when none is known. As the HTML standard's prescan.
std::string_view DeclaredCharset(std::string_view bytes);

// The charset that a <meta> with these attributes declares, wherever it stands; empty when none is
// known. HTML standard, 13.2.6.4.4.
std::string_view CharsetOfMeta(std::string_view charset, std::string_view http_equiv,
                               std::string_view content);

struct DetectedCharset {
  std::string_view name;  // never empty; a WHATWG name
  // By a byte order mark or the header: nothing that the document has further on changes it.
  bool certain = false;
};

// A document's charset, by the first that is there: a byte order mark, the header's charset
// parameter, the document's own declaration, the bytes being UTF-8, and a guess by their
// frequencies; at last windows-1252, the web's default.
DetectedCharset DetectCharset(std::string_view bytes, std::string_view content_type);

// `bytes` as valid UTF-8 without byte order mark: what is malformed becomes U+FFFD. Points into
// `bytes` when nothing has to change, else into the arena, where it takes at most three times as
// much.
std::string_view ToUtf8(std::string_view bytes, std::string_view charset, Arena* arena);

}  // namespace orbweaver
