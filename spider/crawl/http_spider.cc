#include "spider/crawl/http_spider.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "common/url/url_config.h"
#include "spider/crawl/lane.h"
#include "spider/fetch/http_fetcher.h"
#include "spider/robots/crawler_name.h"

namespace orbweaver {
namespace {

// A worker's name as a part of a file's.
std::string ForFileName(std::string name) {
  const auto special = [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_' || c == '.');
  };
  std::replace_if(name.begin(), name.end(), special, '_');
  return name;
}

absl::StatusOr<std::unique_ptr<Lane>> MakeLane(const SpiderOptions& options,
                                               const SpiderSurroundings& around, int number,
                                               std::shared_ptr<LineConverter> converter) {
  ASSIGN_OR_RETURN(auto fetcher, HttpFetcher::Create(options.network, options.fetch));
  const std::string writer = fmt::format("{}-{}", ForFileName(around.worker_id), number);
  return std::make_unique<Lane>(
      LaneParts{.fetcher = std::move(fetcher),
                .archive = std::make_unique<Archive>(options.archive, writer, around.software,
                                                     SystemClock(), std::move(converter)),
                .suffixes = around.suffixes,
                .clock = SystemClock(),
                .metrics = around.metrics.fetchers,
                .urls = options.url,
                .parse = options.parse,
                .publish = options.publish});
}

}  // namespace

void DeclareSpiderOptions(config::Schema& schema, SpiderOptions* options,
                          PublicSuffixOptions* suffixes) {
  DeclareArchiveOptions(schema, &options->archive);
  DeclareCrawlOptions(schema, &options->crawl);
  DeclareFetchOptions(schema, &options->fetch);
  DeclareNetworkOptions(schema, &options->network);
  DeclareParseOptions(schema, &options->parse);
  DeclarePolitenessOptions(schema, &options->politeness);
  DeclarePublishOptions(schema, &options->publish);
  DeclareRobotsOptions(schema, &options->robots);
  DeclareScopeOptions(schema, &options->scope);
  DeclareUrlOptions(schema, &options->url, suffixes);
}

namespace {

// Sets the options of fetching and parsing that follow from the scope.
void FollowScope(SpiderOptions* options) {
  if (options->scope.assets) {
    options->parse.embedded = options->parse.prefer_embedded = true;
    std::vector<std::string>& types = options->fetch.content_types;
    if (types == FetchOptions().content_types) {
      types.insert(types.end(), {"image/*", "audio/*", "video/*", "application/pdf"});
    }
  }
  options->robots.guess_sitemaps =
      options->scope.sitemaps == SitemapUse::kAlso || options->scope.sitemaps == SitemapUse::kOnly;
}

}  // namespace

absl::Status NameCrawler(SpiderOptions* options) {
  for (const auto& [name, value] : options->fetch.headers) {
    if (absl::EqualsIgnoreCase(name, "User-Agent")) {
      return FatalError(
          "spider.fetch.headers: '{}' has an option of its own. Set "
          "spider.fetch.user_agent",
          name);
    }
  }
  ASSIGN_OR_RETURN(options->robots.product_token,
                   CrawlerName(options->fetch.user_agent, options->robots.product_token));
  options->parse.robots_name = options->robots.product_token;
  return absl::OkStatus();
}

absl::Status CheckSpiderOptions(const SpiderOptions& options) {
  SpiderOptions named = options;
  RETURN_IF_ERROR(NameCrawler(&named));
  RETURN_IF_ERROR(CheckFetchOptions(options.network, options.fetch));
  return CheckRobotsOptions(options.robots);
}

absl::Status CompleteSpiderOptions(SpiderOptions* options) {
  RETURN_IF_ERROR(NameCrawler(options));
  FollowScope(options);
  return CheckRobotsOptions(options->robots);
}

RequestFlowOptions FlowOptionsOf(const SpiderOptions& options, const CrawlScope& scope) {
  return {.urls = options.url,
          .scope = scope,
          .politeness = options.politeness,
          .robots = options.robots,
          .publish = options.publish,
          .max_fetches = options.crawl.max_fetches,
          .max_redirects = options.fetch.max_redirects,
          .fetch_timeout = options.network.dns_timeout + options.fetch.total_timeout};
}

absl::StatusOr<std::unique_ptr<SpiderCore>> MakeHttpSpider(SpiderOptions options,
                                                           SpiderSurroundings around) {
  RETURN_IF_ERROR(CompleteSpiderOptions(&options));
  if (!options.archive.folder.empty()) {
    options.parse.text = {.text = options.archive.text,
                          .markdown = options.archive.markdown,
                          .max_bytes = options.archive.max_text_bytes};
  }
  options.fetch.error_bodies = options.archive.errors && !options.archive.folder.empty();
  options.archive.user_agent = options.fetch.user_agent;
  if (const auto from = options.fetch.headers.find("From"); from != options.fetch.headers.end()) {
    options.archive.from = from->second;
  }
  if (!options.fetch.from.empty()) options.archive.from = options.fetch.from;
  ASSIGN_OR_RETURN(const CrawlScope scope, CrawlScope::Make(options.scope, around.suffixes));
  RecoverArchives(options.archive);
  const auto converter = options.archive.line_format == LineFormat::kParquet
                             ? std::make_shared<LineConverter>()
                             : nullptr;
  around.metrics.most_fetches.Set(static_cast<double>(options.crawl.max_fetches));
  around.metrics.threads.Set(options.crawl.threads);
  std::vector<std::unique_ptr<Lane>> made;
  for (int i = 0; i < options.crawl.threads; ++i) {
    ASSIGN_OR_RETURN(auto lane, MakeLane(options, around, i, converter));
    made.push_back(std::move(lane));
  }
  std::unique_ptr<Lanes> lanes;
  if (made.size() == 1) {
    lanes = std::move(made.front());
  } else {
    lanes = std::make_unique<ThreadedLanes>(std::move(made));
  }
  auto failures =
      FailureFile::Create(options.archive, ForFileName(around.worker_id), SystemClock(), converter);
  return std::make_unique<SpiderCore>(SpiderCoreParts{.bus = around.bus,
                                                      .clock = SystemClock(),
                                                      .suffixes = around.suffixes,
                                                      .metrics = around.metrics,
                                                      .lanes = std::move(lanes),
                                                      .failures = std::move(failures),
                                                      .partitions = around.partitions,
                                                      .membership = std::move(around.membership),
                                                      .options = options.crawl,
                                                      .flow = FlowOptionsOf(options, scope)});
}

absl::StatusOr<int> SpiderPartitions(Bus& bus, Duration timeout) {
  ASSIGN_OR_RETURN(const int feed, bus.PartitionCount(kSpiderFeedTopic, timeout));
  ASSIGN_OR_RETURN(const int log, bus.PartitionCount(kSpiderLogTopic, timeout));
  if (feed == 0 || log == 0) {
    return FatalError("check the topics: '{}' does not exist. Run `orbweaver init`",
                      feed == 0 ? kSpiderFeedTopic : kSpiderLogTopic);
  }
  if (feed != log || !IsPartitionCount(log)) {
    return FatalError(
        "check the topics: '{}' has {} partitions and '{}' {}. Both need the same power of two; "
        "stop all workers and run `orbweaver init`",
        kSpiderFeedTopic, feed, kSpiderLogTopic, log);
  }
  return log;
}

}  // namespace orbweaver
