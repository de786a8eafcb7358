#include "spider/publish/publish_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclarePublishOptions(config::Schema& schema, PublishOptions* options) {
  schema.AddBytes("spider.publish.max_message_bytes", &options->max_message_bytes,
                  {.min = 64 << 10,
                   .max = 8 << 20,
                   .doc = "Links of a page that do not fit into one message of the spider log are "
                          "split, a body that does not is left out; below the brokers' "
                          "`message.max.bytes`"});
  schema.Add("spider.publish.log_body", &options->log_body,
             {.doc = "Put each page's body into the spider log, for strategies that read it and "
                     "for the `pages` table"});
  schema.Add("spider.publish.log_headers", &options->log_headers,
             {.doc = "Headers of the answer that the spider log keeps, in lower case"});
}

void DeclareArchiveOptions(config::Schema& schema, ArchiveOptions* options) {
  schema.Add("spider.archive.folder", &options->folder,
             {.doc = "Where what was fetched is kept in files; empty: nowhere"});
  schema.Add("spider.archive.warc", &options->warc,
             {.doc = "Write WARC 1.1 files there: requests, responses, revisits"});
  schema.Add("spider.archive.cdxj", &options->cdxj,
             {.doc = "Write an index beside each WARC file, `….cdxj`, by which tools find a page"});
  schema.Add("spider.archive.errors", &options->errors,
             {.doc = "Also read and keep the bodies of answers 4xx and 5xx there, of any type"});
  schema.Add(
      "spider.archive.operator", &options->operator_name,
      {.doc =
           "The crawl's operator, with an address: the `operator` in each WARC file's `warcinfo`"});
  schema.Add(
      "spider.archive.jsonl", &options->jsonl,
      {.doc = "Write `pages-….jsonl` there: a line of JSON for each page, without its body"});
  schema.Add("spider.archive.links", &options->links,
             {.doc = "Write `links-….jsonl` there: a line of JSON for each page, with its links"});
  schema.Add("spider.archive.failures", &options->failures,
             {.doc = "Write `failures-….jsonl` there: a line of JSON for each fetch that failed. "
                     "`strategy_worker.keep_referrers` lets it say which page linked there"});
  schema.Add("spider.archive.mirror", &options->mirror,
             {.doc = "Write each page there as a file of its own, `HOST/path`, as wget lays them "
                     "out. `orbweaver mirror` completes it"});
  schema.Add("spider.archive.convert_links", &options->convert_links,
             {.doc = "`orbweaver mirror`, and `orbweaver crawl` at its end, make links between "
                     "the files of the mirror relative, and all others absolute"});
  schema.AddChoice(
      "spider.archive.line_format", &options->line_format,
      {{"jsonl", LineFormat::kPlain},
       {"jsonl.zst", LineFormat::kZstd},
       {"parquet", LineFormat::kParquet}},
      {.doc = "How files of JSON lines are written: as they are, compressed by zstd "
              "(`….jsonl.zst`), or, once they are finished, as Parquet (`….parquet`)"});
  schema.Add("spider.archive.text", &options->text,
             {.doc = "Write `texts-….jsonl` there: a line of JSON for each page with the text that "
                     "people read, without navigation and the like"});
  schema.Add("spider.archive.markdown", &options->markdown,
             {.doc = "The same as Markdown: headings, lists, quotes, code, tables, links"});
  schema.AddBytes("spider.archive.max_text_bytes", &options->max_text_bytes,
                  {.min = 1 << 10,
                   .max = 16 << 20,
                   .doc = "Of a page's text so much is kept, and of its Markdown"});
  schema.Add("spider.archive.headers", &options->headers,
             {.doc = "Headers of the answer that `pages-….jsonl` has"});
  schema.AddBytes("spider.archive.max_file_bytes", &options->max_file_bytes,
                  {.min = 1 << 20,
                   .max = uint64_t{1} << 40,
                   .doc = "A file that has grown so large is finished, and another begun"});
  schema.Add(
      "spider.archive.compression", &options->compression,
      {.min = 1,
       .max = 9,
       .doc = "gzip's level: 1 takes a fifth of the time that 6 takes, for files an eighth to "
              "a quarter larger"});
  schema.Add("spider.archive.known_payloads", &options->known_payloads,
             {.min = 0,
              .max = 100'000'000,
              .unit = "payloads",
              .doc = "Contents that each thread remembers, about 200 bytes each: one that comes "
                     "again is written as `revisit`, without its body"});
}

}  // namespace orbweaver
