// The links of a mirror's documents, changed in place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"

#include "common/model/arena.h"
#include "common/url/canonical.h"
#include "common/url/options.h"
#include "spider/mirror/mirror_layout.h"
#include "spider/parse/html_url_places.h"
#include "spider/parse/query_encoder.h"

namespace orbweaver {

// Place: in MirrorBuilder. A link to a file of the mirror becomes relative, another one absolute;
// fragments stay. All other bytes of a document stay as they are. Not thread-safe; keeps its
// memory.
class LinkConverter {
 public:
  // The path of the file that a canonical URL leads to, empty when there is none in the mirror.
  using FileOf = absl::FunctionRef<std::string_view(std::string_view url)>;

  // `urls`: those that the crawl has, so that a link finds what it led the crawl to.
  explicit LinkConverter(const UrlOptions& urls);

  // Whether links of such files are converted: HTML and CSS.
  static bool Converts(std::string_view content_type);

  // `body`, which is `page`'s as it was fetched, with its links converted. nullopt where nothing of
  // it can be changed in place: UTF-16 and ISO-2022-JP, whose bytes of markup mean other things.
  std::optional<std::string> Convert(const MirrorPage& page, std::string_view body, FileOf file_of);

 private:
  struct Edit {
    size_t begin = 0;
    size_t end = 0;
    std::string text;
  };
  // The document that is being converted.
  struct Document {
    const MirrorPage& page;
    std::string_view body;
    std::string_view charset;
    FileOf file_of;
    bool has_base = false;
    std::string output;
    size_t copied = 0;  // of the body
  };

  void ConvertHtml(Document* document);
  void ConvertCss(std::string_view css, size_t begin, Document* document);
  void SetBase(const std::vector<HtmlUrlPlace>& places, Document* document);
  void ConvertPlace(const HtmlUrlPlace& place, Document* document);
  // The new text of a link to `url`, which is UTF-8; nullopt: it stays.
  std::optional<std::string> LinkTo(std::string_view url, const Document& document);
  // In UTF-8.
  std::string Decoded(std::string_view text, std::string_view charset);

  static void Replace(size_t begin, size_t end, std::string_view text, Document* document);

  UrlCanonicalizer canonical_;
  UrlCanonicalizer absolute_;  // with no choice of the crawl's
  QueryEncoder queries_;
  Arena arena_;
  bool led_inside_ = false;  // the last LinkTo, to the mirror
};

}  // namespace orbweaver
