// `orbweaver page`: what is kept of a page, by the db worker's role `pages` or in WARC files.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/which_crawl.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/config/schema.h"
#include "common/store/hbase/hbase_store.h"
#include "common/url/resolver.h"
#include "db_worker/pages/page_reader.h"
#include "spider/publish/warc_lookup.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver page [OPTIONS] URL
       orbweaver page [OPTIONS] --content HASH

Shows what is kept of a page that was fetched: a JSON object. Of a crawl on this machine that is the
newest answer in the WARC files of its --out. In a cluster, db workers with the role `pages` keep
it, from the spider log.

options:
  --data DIR        the folder of `orbweaver crawl`, which may be running. Without it the only crawl
                    below ./crawl-data; where there is none, the cluster
  --body            print the page's body instead, if it is kept (in a cluster: pages.bodies)
  --same            of a cluster: list the pages that have the same content, this one included, a
                    URL a line
  --content HASH    of a cluster: list the pages whose content has this hash, 32 hexadecimal digits
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option; `orbweaver config reference` lists them
  --help            this text

Exit code: 0 shown; 1 nothing is kept, or it could not be read; 2 wrong options.
)";

constexpr Duration kTimeout = std::chrono::seconds(30);

struct Arguments {
  bool body = false;
  bool same = false;
  std::optional<Fingerprint> content;
  std::optional<std::string> url;
};

// Returns the error, or an empty text.
std::string Parse(std::vector<std::string> args, Arguments* parsed) {
  parsed->body = TakeSwitch(&args, "--body");
  parsed->same = TakeSwitch(&args, "--same");
  if (const auto hex = TakeValue(&args, "--content")) {
    const bool is_hex =
        hex->size() == 32 && hex->find_first_not_of("0123456789abcdef") == hex->npos;
    if (!is_hex) return fmt::format("--content '{}': not 32 hexadecimal digits", *hex);
    char bytes[16];
    absl::HexStringToBytes(*hex).copy(bytes, sizeof bytes);
    parsed->content = Fingerprint::FromBytes(bytes);
  }
  if (const auto unknown = UnknownOption(args)) {
    return WrongOption(kHelp, *unknown);
  }
  if (args.size() > 1) return "more than one URL";
  if (!args.empty()) parsed->url = args[0];
  if (parsed->url.has_value() == parsed->content.has_value()) return "give a URL or --content";
  if (parsed->body && parsed->same) return "give --body or --same";
  return {};
}

std::string PageJson(const StoredPage& stored) {
  const PageFetched& page = stored.page;
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("url").Value(page.request.url).Key("domain").Value(stored.domain);
  json.Key("final_url").Value(page.final_url).Key("status").Value(page.status);
  json.Key("fetched_at_ms").Value(page.fetched_at.time_since_epoch().count());
  json.Key("not_modified").Value(page.not_modified).Key("content_hash");
  json.Value(page.content_hash == Fingerprint{} ? std::string() : page.content_hash.ToHex());
  json.Key("content_type").Value(page.content_type).Key("charset").Value(page.charset);
  json.Key("title").Value(page.title).Key("language").Value(page.language);
  json.Key("canonical_url").Value(page.canonical_url);
  json.Key("robots_directives").Value(page.robots_directives);
  json.Key("etag").Value(page.etag).Key("last_modified").Value(page.last_modified);
  json.Key("body_bytes").Value(page.body_bytes).Key("text_bytes").Value(page.text_bytes);
  json.Key("links_inside").Value(page.links_inside);
  json.Key("links_outside").Value(page.links_outside);
  json.Key("depth").Value(page.request.depth).Key("total_ms").Value(page.total.count());
  json.Key("redirects").BeginArray();
  for (const Redirect& redirect : page.redirects) json.Value(redirect.url);
  json.EndArray().Key("headers").BeginArray();
  for (const HttpHeader& header : page.headers) {
    json.BeginArray().Value(header.name).Value(header.value).EndArray();
  }
  json.EndArray().EndObject();
  return text;
}

int FailedBy(const absl::Status& status) {
  return Fail(
      kExitFailed, "page",
      fmt::format(
          "{}.{}", MessageOf(status),
          IsRetry(status) ? " Is HBase up? `./run services up` starts one on this machine." : ""));
}

int List(Store& store, const Fingerprint& content) {
  int count = 0;
  const absl::Status listed =
      ForEachWithContent(store, content, kTimeout, [&count](const StoredPage& page) {
        Print("{}\n", page.page.request.url);
        ++count;
        return true;
      });
  if (!listed.ok()) return FailedBy(listed);
  return count > 0 ? kExitOk : kExitFailed;
}

int PrintBody(std::string_view body) { return PrintContent(body) ? kExitOk : kExitFailed; }

int Show(Store& store, const Arguments& args, const ResolvedUrl& url) {
  const auto found = FindPage(store, url.domain, url.fingerprint, args.body, kTimeout);
  if (!found.ok()) return FailedBy(found.status());
  if (*found == nullptr) {
    PrintError("orbweaver page: nothing is kept of {}\n", url.url);
    return kExitFailed;
  }
  const StoredPage& page = (*found)->page;
  if (args.same && page.page.content_hash != Fingerprint{}) {
    return List(store, page.page.content_hash);
  }
  if (args.same) {
    PrintError("orbweaver page: {} has no content\n", url.url);
    return kExitFailed;
  }
  if (!args.body) {
    Print("{}\n", PageJson(page));
    return kExitOk;
  }
  if (!(*found)->body.has_value()) {
    PrintError("orbweaver page: the body of {} is not kept. See pages.bodies\n", url.url);
    return kExitFailed;
  }
  return PrintBody(*(*found)->body);
}

std::string AnswerJson(const ArchivedAnswer& answer) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("url").Value(answer.url).Key("status").Value(answer.status);
  json.Key("fetched_at").Value(answer.date).Key("content_type").Value(answer.content_type);
  json.Key("digest").Value(answer.digest).Key("revisit").Value(answer.is_revisit);
  json.Key("body_bytes");
  if (answer.has_body) {
    json.Value(answer.body.size());
  } else {
    json.Null();
  }
  json.Key("file").Value(answer.file).Key("offset").Value(answer.offset);
  json.Key("length").Value(answer.length).Key("head").Value(answer.head).EndObject();
  return text;
}

// Of a crawl on this machine.
int ShowArchived(const std::string& folder, const Arguments& args, const ResolvedUrl& url) {
  const auto found = FindInArchive(folder, url.url);
  if (!found.ok()) return FailedBy(found.status());
  if (!*found) {
    PrintError("orbweaver page: nothing is kept of {} in {}\n", url.url, folder);
    return kExitFailed;
  }
  const ArchivedAnswer& answer = **found;
  if (!args.body) {
    Print("{}\n", AnswerJson(answer));
    return kExitOk;
  }
  if (!answer.has_body) {
    PrintError("orbweaver page: the body of {} is not kept in {}\n", url.url, folder);
    return kExitFailed;
  }
  return PrintBody(answer.body);
}

// The reason why a crawl on this machine cannot answer this, or an empty text.
std::string WrongForCrawl(const Arguments& args, const ProductOptions& options,
                          const std::string& folder) {
  if (args.same || args.content.has_value()) return "--same and --content need a cluster";
  const ArchiveOptions& archive = options.spider.archive;
  if (archive.mirror && !archive.warc) {
    return fmt::format(
        "the crawl in {} keeps no WARC files; {}/.mirror/files.jsonl says which file "
        "of its mirror is which URL's",
        folder, archive.folder);
  }
  if (archive.folder.empty() || !archive.warc) {
    return fmt::format(
        "the crawl in {} keeps no pages: it was made without --out. `orbweaver "
        "inspect url` shows what is known of one",
        folder);
  }
  return {};
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  Arguments parsed;
  std::string wrong;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) {
    wrong = MessageOf(crawl.status());
  } else {
    wrong = Parse(std::move(args), &parsed);
    if (wrong.empty() && crawl->folder.has_value()) {
      wrong = WrongForCrawl(parsed, options, crawl->folder->string());
    }
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (wrong.empty() && !suffixes.ok()) wrong = MessageOf(suffixes.status());
  std::optional<UrlResolver> resolver;
  ResolvedUrl url;
  if (wrong.empty() && parsed.url.has_value()) {
    resolver.emplace(options.spider.url, **suffixes);
    const UrlError error = ResolveSeed(*parsed.url, *resolver, &url);
    if (error != UrlError::kNone) wrong = fmt::format("'{}' is no URL", *parsed.url);
  }
  if (!wrong.empty()) {
    PrintError("orbweaver page: {}. `orbweaver page --help` lists the options.\n", wrong);
    return kExitUsage;
  }
  crawl->Tell();
  if (crawl->folder.has_value()) return ShowArchived(options.spider.archive.folder, parsed, url);
  const auto store = HBaseStore::Create(options.hbase);
  if (!store.ok()) return FailedBy(store.status());
  return parsed.content.has_value() ? List(**store, *parsed.content) : Show(**store, parsed, url);
}

}  // namespace

Command PageCommand() {
  return {
      .name = "page",
      .summary = "Show what is kept of a fetched page, its body, or others with the same content",
      .help = kHelp,
      .run = Run};
}

}  // namespace orbweaver
