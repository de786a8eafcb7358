#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/model/limits.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct PublishOptions {
  // Of one message of the spider log; lists are split at it, and a body that exceeds it is left
  // out.
  size_t max_message_bytes = kDefaultMaxMessageBytes;
  bool log_body = false;
  // Names of the answer's headers that PageFetched keeps, in lower case.
  std::vector<std::string> log_headers = {"cache-control", "expires", "server"};
};

// spider.publish.*; `options` must outlive the schema.
void DeclarePublishOptions(config::Schema& schema, PublishOptions* options);

enum class LineFormat : uint8_t { kPlain, kZstd, kParquet };

struct ArchiveOptions {
  // Where WARC files and files of JSON lines go; empty: none are written.
  std::string folder;
  bool warc = true;
  bool cdxj = true;     // an index beside each WARC file
  bool errors = false;  // the bodies of 4xx and 5xx too
  // The operator of the crawl, for readers of the WARC files; empty: left out.
  std::string operator_name;
  // Of every request, likewise. No options of their own: the fetcher's decide.
  std::string user_agent;
  std::string from;
  bool jsonl = false;
  bool links = false;
  bool failures = false;
  // The files of the site as wget lays them out, and whether their links are made to lead to one
  // another.
  bool mirror = false;
  bool convert_links = false;
  LineFormat line_format = LineFormat::kPlain;
  // Of each page in texts.jsonl.
  bool text = false;
  bool markdown = false;
  size_t max_text_bytes = size_t{1} << 20;
  // Headers of the answer that pages.jsonl has.
  std::vector<std::string> headers = {"cache-control", "content-language", "content-type",
                                      "etag",          "last-modified",    "server"};
  // A file that has grown so large is finished, and another begun.
  uint64_t max_file_bytes = uint64_t{1} << 30;
  // Of gzip, 1 to 9.
  int compression = 1;
  // Contents remembered, to write `revisit` for one that comes again.
  size_t known_payloads = 100'000;
};

// spider.archive.*; `options` must outlive the schema.
void DeclareArchiveOptions(config::Schema& schema, ArchiveOptions* options);

}  // namespace orbweaver
