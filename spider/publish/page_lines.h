// The lines about a page in the files pages.jsonl, links.jsonl and texts.jsonl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spider/fetch/fetch_result.h"
#include "spider/parse/page.h"
#include "spider/publish/outcome_encoder.h"

namespace orbweaver {

// A page that was fetched, and its parsed content.
struct KeptPage {
  const Journey& journey;
  const FetchResult& result;
  const ParsedPage& page;
  // Of the body, as in the WARC files; empty without a body.
  std::string_view digest;
};

// Replaces *line, which ends with its line break. `headers`: names in lower case of those that are
// kept; of one that comes more than once the values are joined by commas.
void WritePageLine(const KeptPage& kept, const std::vector<std::string>& headers,
                   std::string* line);
void WriteLinksLine(const KeptPage& kept, std::string* line);
void WriteTextLine(const KeptPage& kept, bool with_text, bool with_markdown, std::string* line);

}  // namespace orbweaver
