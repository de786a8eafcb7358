#include "spider/publish/page_lines.h"

#include <chrono>

#include "common/base/json.h"
#include "common/model/own_request.h"
#include "spider/parse/link_json.h"
#include "spider/publish/warc_record.h"

namespace orbweaver {
namespace {

int64_t Milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// Which lines a reader wants who asks for pages.
std::string_view KindOf(const KeptPage& kept) {
  const OwnRequest request = OwnRequestOf(kept.journey.request().meta);
  if (request.IsAsset() && !IsPage(request, kept.page.content_type)) return "asset";
  switch (kept.page.kind) {
    case DocumentKind::kSitemap:
    case DocumentKind::kSitemapIndex:
    case DocumentKind::kTextSitemap:
      return "sitemap";
    case DocumentKind::kFeed:
      return "feed";
    default:
      return "page";
  }
}

// Writes the first fields of a line, which all files of pages share.
void WritePage(const KeptPage& kept, JsonWriter* json) {
  const Journey& journey = kept.journey;
  json->Key("url").Value(journey.request().url);
  if (journey.url() != journey.request().url) json->Key("final_url").Value(journey.url());
  json->Key("domain").Value(journey.request().domain);
  json->Key("fetched_at").Value(WarcDate(kept.result.started_at));
}

void WriteHeaders(const FetchResult& result, const std::vector<std::string>& names,
                  JsonWriter* json) {
  json->Key("headers").BeginObject();
  for (const std::string& name : names) {
    std::string values;
    bool found = false;
    for (const HttpHeader& header : result.headers) {
      if (header.name != name) continue;
      if (found) values += ", ";
      values += header.value;
      found = true;
    }
    if (found) json->Key(name).Value(values);
  }
  json->EndObject();
}

}  // namespace

void WritePageLine(const KeptPage& kept, const std::vector<std::string>& headers,
                   std::string* line) {
  const auto& [journey, result, page, digest] = kept;
  line->clear();
  JsonWriter json(line);
  json.BeginObject();
  WritePage(kept, &json);
  json.Key("kind").Value(KindOf(kept));
  json.Key("referrer").Value(journey.request().referrer);
  json.Key("depth").Value(journey.request().depth);
  json.Key("status").Value(result.status);
  json.Key("content_type").Value(page.content_type);
  json.Key("charset").Value(page.charset);
  json.Key("title").Value(page.title);
  json.Key("language").Value(page.language);
  json.Key("canonical_url").Value(page.canonical_url);
  json.Key("robots").Value(page.robots_directives);
  json.Key("digest").Value(digest);
  json.Key("body_bytes").Value(result.body.size());
  json.Key("body_truncated").Value(result.body_truncated);
  json.Key("text_bytes").Value(page.text_bytes);
  json.Key("links_inside").Value(page.links_inside);
  json.Key("links_outside").Value(page.links_outside);
  json.Key("first_byte_ms").Value(Milliseconds(result.times.first_byte));
  json.Key("total_ms").Value(Milliseconds(result.times.total));
  WriteHeaders(result, headers, &json);
  json.EndObject();
  *line += '\n';
}

void WriteLinksLine(const KeptPage& kept, std::string* line) {
  line->clear();
  JsonWriter json(line);
  json.BeginObject();
  WritePage(kept, &json);
  json.Key("links_truncated").Value(kept.page.links_truncated).Key("links").BeginArray();
  for (const DomainLinks& domain : kept.page.domains) {
    for (const Link& link : domain.links) WriteJson(link, &json);
  }
  json.EndArray().EndObject();
  *line += '\n';
}

void WriteTextLine(const KeptPage& kept, bool with_text, bool with_markdown, std::string* line) {
  line->clear();
  JsonWriter json(line);
  json.BeginObject();
  WritePage(kept, &json);
  json.Key("digest").Value(kept.digest);
  json.Key("title").Value(kept.page.title);
  json.Key("language").Value(kept.page.language);
  json.Key("text_truncated").Value(kept.page.text_truncated);
  if (with_text) json.Key("text").Value(kept.page.text);
  if (with_markdown) json.Key("markdown").Value(kept.page.markdown);
  json.EndObject();
  *line += '\n';
}

}  // namespace orbweaver
