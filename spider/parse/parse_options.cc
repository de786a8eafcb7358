#include "spider/parse/parse_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareParseOptions(config::Schema& schema, ParseOptions* options) {
  schema.AddChoice(
      "spider.parse.engine", &options->engine,
      {{"scanner", HtmlEngineKind::kScanner}, {"gumbo", HtmlEngineKind::kGumbo}},
      {.doc = "The reader of HTML: `scanner` goes over it once; `gumbo` builds the tree "
              "that browsers build, at twenty times the cost"});
  schema.Add("spider.parse.embedded", &options->embedded,
             {.doc = "Also take links to what pages embed: images, scripts, style sheets, audio, "
                     "video, and what style sheets name. scope.assets takes and fetches them"});
  schema.Add("spider.parse.max_page_links", &options->max_page_links,
             {.min = 1,
              .max = 1'000'000,
              .unit = "links",
              .doc = "Of a page's or feed's links to different URLs so many are taken"});
  schema.Add("spider.parse.max_sitemap_links", &options->max_sitemap_links,
             {.min = 1,
              .max = 1'000'000,
              .unit = "links",
              .doc = "The same of a sitemap, which may have 50,000"});
  schema.AddBytes("spider.parse.max_unpacked_bytes", &options->max_unpacked_bytes,
                  {.min = 1 << 10,
                   .max = size_t{1} << 30,
                   .doc = "Of a sitemap that is a compressed file (`.xml.gz`) so much is read"});
  schema.Add("spider.parse.max_compression", &options->max_compression,
             {.min = 1,
              .max = 100'000,
              .unit = "times",
              .doc = "A compressed sitemap that unpacks to more than this many times itself is not "
                     "read at all"});
}

}  // namespace orbweaver
