// `orbweaver parse`: what the spider makes of a document, as it would log it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/read_file.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/model/split.h"
#include "common/url/resolver.h"
#include "spider/parse/link_json.h"
#include "spider/parse/page_parser.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] = R"(usage: orbweaver parse FILE --base URL [OPTIONS]

Prints what the spider would log of a document that it fetched from URL: what describes the page,
and its links by registered domain, resolved and canonical. FILE `-` is standard input.

options:
  --base URL                the page's URL, after redirects
  --engine scanner|gumbo    which HTML engine, instead of spider.parse.engine
  --json                    an object a line, as the entries of the spider log are: one with event
                            page_fetched, then those with event links_found
  --content-type TYPE       the header Content-Type; `text/html; charset=utf-8` names the charset
  --content-language LANG   the header Content-Language
  --x-robots-tag VALUE      a header X-Robots-Tag; may be given more than once
  --config FILE             read the options spider.parse.* and url.* from a file
  --set NAME=VALUE          set an option; `orbweaver config reference` lists them
  --help                    this text

examples:
  orbweaver parse page.html --base https://example.com/dir/page.html
  curl -s https://example.com/sitemap.xml | orbweaver parse - --base https://example.com/sitemap.xml --json
)";

// A body that large is no page.
constexpr size_t kMaxFileBytes = size_t{256} << 20;

struct Arguments {
  std::string file;
  std::optional<std::string> base;
  std::optional<std::string> engine;
  std::string content_type;
  std::string content_language;
  std::vector<std::string> x_robots_tags;
  bool json = false;
};

// Returns the error, or nullopt.
std::optional<std::string> Take(std::vector<std::string> args, Arguments* parsed) {
  parsed->json = TakeSwitch(&args, "--json");
  parsed->base = TakeValue(&args, "--base");
  parsed->engine = TakeValue(&args, "--engine");
  parsed->content_type = TakeValue(&args, "--content-type").value_or("");
  parsed->content_language = TakeValue(&args, "--content-language").value_or("");
  parsed->x_robots_tags = TakeValues(&args, "--x-robots-tag");
  if (const auto unknown = UnknownOption(args)) {
    return WrongOption(kHelp, *unknown);
  }
  if (args.size() != 1) return "one FILE is needed";
  if (!parsed->base) return "--base URL is needed: links are resolved against it";
  parsed->file = args[0];
  return std::nullopt;
}

void PrintJson(const ResolvedUrl& url, const ParsedPage& page, std::string* out) {
  PageFetched fetched;
  DescribeContent(page, &fetched);
  JsonWriter(out)
      .BeginObject()
      .Key("event")
      .Value("page_fetched")
      .Key("domain")
      .Value(url.domain)
      .Key("url")
      .Value(url.url)
      .Key("kind")
      .Value(DocumentKindName(page.kind))
      .Key("content_type")
      .Value(fetched.content_type)
      .Key("charset")
      .Value(fetched.charset)
      .Key("title")
      .Value(fetched.title)
      .Key("language")
      .Value(fetched.language)
      .Key("robots_directives")
      .Value(fetched.robots_directives)
      .Key("canonical_url")
      .Value(fetched.canonical_url)
      .Key("links_inside")
      .Value(fetched.links_inside)
      .Key("links_outside")
      .Value(fetched.links_outside)
      .Key("links_rejected")
      .Value(page.links_rejected)
      .Key("links_truncated")
      .Value(fetched.links_truncated)
      .Key("text_bytes")
      .Value(fetched.text_bytes)
      .EndObject();
  out->push_back('\n');
  for (const DomainLinks& domain : page.domains) {
    std::span<const Link> links = domain.links;
    for (size_t count; !links.empty(); links = links.subspan(count)) {
      count = FittingPrefix(links, kDefaultMaxMessageBytes);
      JsonWriter json(out);
      json.BeginObject().Key("event").Value("links_found").Key("domain").Value(domain.domain);
      json.Key("slot").Value(domain.slot.value()).Key("source").BeginObject();
      json.Key("url").Value(url.url).Key("fingerprint").Value(url.fingerprint.ToHex());
      json.Key("link_count").Value(page.links_inside + page.links_outside).EndObject();
      json.Key("links").BeginArray();
      for (const Link& link : links.first(count)) WriteJson(link, &json);
      json.EndArray().EndObject();
      out->push_back('\n');
    }
  }
}

void PrintText(const ParsedPage& page, std::string* out) {
  const auto line = [out](std::string_view name, std::string_view value) {
    if (!value.empty()) out->append(fmt::format("{:<10} {}\n", name, value));
  };
  line("kind", DocumentKindName(page.kind));
  line("charset", page.charset);
  line("title", page.title);
  line("language", page.language);
  line("robots", page.robots_directives);
  line("canonical", page.canonical_url);
  line("text", fmt::format("{} bytes", page.text_bytes));
  line("links",
       fmt::format("{} inside, {} outside, {} rejected{}", page.links_inside, page.links_outside,
                   page.links_rejected, page.links_truncated ? ", others left out" : ""));
  for (const DomainLinks& domain : page.domains) {
    out->append(fmt::format("\n{}\n", domain.domain));
    for (const Link& link : domain.links) {
      out->append(fmt::format("  {}", link.url));
      if (link.kind != LinkKind::kAnchor)
        out->append(fmt::format(" [{}]", LinkKindName(link.kind)));
      if (link.rel != 0) out->append(fmt::format(" [{}]", RelNames(link.rel, ", ")));
      if (!link.anchor.empty()) out->append(fmt::format(" {}", link.anchor));
      out->push_back('\n');
    }
  }
}

int UsageError(std::string_view message) {
  PrintError("orbweaver parse: {}. `orbweaver parse --help` shows how.\n", message);
  return kExitUsage;
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    PrintError("orbweaver parse: {}\n", MessageOf(loaded));
    return kExitUsage;
  }
  Arguments arguments;
  if (const auto wrong = Take(args, &arguments)) return UsageError(*wrong);
  if (arguments.engine == "scanner") {
    options.spider.parse.engine = HtmlEngineKind::kScanner;
  } else if (arguments.engine == "gumbo") {
    options.spider.parse.engine = HtmlEngineKind::kGumbo;
  } else if (arguments.engine) {
    return UsageError(fmt::format("engine '{}': expected scanner or gumbo", *arguments.engine));
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) {
    PrintError("orbweaver parse: {}\n", MessageOf(suffixes.status()));
    return kExitUsage;
  }
  UrlResolver own(options.spider.url, **suffixes);
  ResolvedUrl url;
  if (const UrlError error = own.Resolve(*arguments.base, &url); error != UrlError::kNone) {
    return UsageError(fmt::format("base '{}': {}. Give a whole http or https URL", *arguments.base,
                                  UrlErrorName(error)));
  }
  const absl::StatusOr<std::string> body = ReadFileOrStdin(arguments.file, kMaxFileBytes);
  if (!body.ok()) {
    PrintError("orbweaver parse: {}\n", MessageOf(body.status()));
    return kExitFailed;
  }

  UrlResolver resolver(options.spider.url, **suffixes);
  PageParser parser(options.spider.parse, &resolver);
  const std::vector<std::string_view> robots_tags(arguments.x_robots_tags.begin(),
                                                  arguments.x_robots_tags.end());
  ParsedPage page;
  parser.Parse({.url = url.url,
                .body = *body,
                .content_type = arguments.content_type,
                .content_language = arguments.content_language,
                .x_robots_tags = robots_tags},
               &page);
  std::string out;
  if (arguments.json) {
    PrintJson(url, page, &out);
  } else {
    PrintText(page, &out);
  }
  Print("{}", out);
  if (std::fflush(stdout) != 0) {
    PrintError("orbweaver parse: write standard output: {}.\n", std::strerror(errno));
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace

Command ParseCommand() {
  return {.name = "parse",
          .summary = "Show what the spider would log of a document: its links, title, charset",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
