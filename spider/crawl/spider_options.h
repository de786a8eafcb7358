#pragma once

#include "absl/status/status.h"

#include "common/politeness/politeness_options.h"
#include "common/scope/scope_options.h"
#include "common/url/domain.h"
#include "common/url/options.h"
#include "spider/crawl/crawl_options.h"
#include "spider/fetch/fetch_options.h"
#include "spider/parse/parse_options.h"
#include "spider/publish/publish_options.h"
#include "spider/robots/robots_options.h"

namespace orbweaver {

// Everything about a spider that can be configured.
struct SpiderOptions {
  ArchiveOptions archive;
  CrawlOptions crawl;
  FetchOptions fetch;
  NetworkOptions network;
  ParseOptions parse;
  PolitenessOptions politeness;
  PublishOptions publish;
  RobotsOptions robots;
  ScopeOptions scope;
  UrlOptions url;
};

// Gives robots.txt and pages the name that the user agent shows. Fatal, with what to do, when it
// shows none, or another than the one chosen. Idempotent.
absl::Status NameCrawler(SpiderOptions* options);

// Everything that MakeHttpSpider refuses of the options, but for names that must be looked up and
// files that it writes. Reads the file of cookies.
absl::Status CheckSpiderOptions(const SpiderOptions& options);

// network.*, politeness.*, scope.*, spider.* and, with `suffixes`, url.*; the structs must outlive
// the schema.
void DeclareSpiderOptions(config::Schema& schema, SpiderOptions* options,
                          PublicSuffixOptions* suffixes);

}  // namespace orbweaver
