// `orbweaver fetch`: one page as the spider would see it, without robots.txt and politeness.
#include <cstdio>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/url/resolver.h"
#include "spider/feed/journey.h"
#include "spider/fetch/failure_cause.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/http_fetcher.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] = R"(usage: orbweaver fetch URL… [OPTIONS]

Fetches each URL as the spider would, one after the other: which address, how long each step took,
the answer's headers, redirects within the registered domain followed. robots.txt is not asked and
no delay is kept: it is for looking at single pages. Hosts that are named here may be asked whatever
their address and port is.

Exits 0 when each was a page, 1 when one failed, 2 when nothing could be tried.

options:
  --json             an object a line
  --body             also the body, its content encoding undone; --json has it as text
  --config FILE      read the options network.*, spider.fetch.* and url.* from a file
  --set NAME=VALUE   set an option; `orbweaver config reference` lists them
  --help             this text

examples:
  orbweaver fetch https://example.com/
  orbweaver fetch http://localhost:8000/ --json
)";

struct Arguments {
  bool json = false;
  bool body = false;
  std::vector<std::string> urls;
};

double Milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void PrintJson(const FetchResult& result, const Journey& journey, const Arguments& arguments) {
  std::string out;
  JsonWriter json(&out);
  json.BeginObject().Key("url").Value(journey.url());
  json.Key("outcome").Value(result.failure ? FailureCauseName(*result.failure) : "answered");
  if (result.failure) json.Key("message").Value(result.message);
  json.Key("status").Value(result.status).Key("redirects").BeginArray();
  for (const Redirect& redirect : journey.redirects()) {
    json.BeginObject().Key("status").Value(redirect.status).Key("url").Value(redirect.url);
    json.EndObject();
  }
  json.EndArray().Key("address").Value(result.address.Text());
  json.Key("tls_error").Value(result.tls_error);
  json.Key("milliseconds").BeginObject();
  json.Key("dns").Value(Milliseconds(result.times.dns));
  json.Key("connect").Value(Milliseconds(result.times.connect));
  json.Key("tls").Value(Milliseconds(result.times.tls));
  json.Key("first_byte").Value(Milliseconds(result.times.first_byte));
  json.Key("total").Value(Milliseconds(result.times.total)).EndObject();
  json.Key("received_bytes").Value(result.received_bytes);
  json.Key("body_bytes").Value(result.body.size());
  json.Key("body_truncated").Value(result.body_truncated);
  json.Key("headers").BeginArray();
  for (const HttpHeader& header : result.headers) {
    json.BeginObject().Key("name").Value(header.name).Key("value").Value(header.value);
    json.EndObject();
  }
  json.EndArray();
  if (arguments.body) json.Key("body").Value(result.body);
  json.EndObject();
  Print("{}\n", out);
}

void PrintText(const FetchResult& result, const Journey& journey, const Arguments& arguments) {
  for (const Redirect& redirect : journey.redirects()) {
    Print("{:<9} {} {}\n", "redirect", redirect.status, redirect.url);
  }
  Print("{:<9} {}\n", "url", journey.url());
  if (result.failure) {
    Print("{:<9} {}: {}\n", "failed", FailureCauseName(*result.failure), result.message);
  }
  if (result.status != 0) Print("{:<9} {}\n", "status", result.status);
  if (!result.address.empty()) Print("{:<9} {}\n", "address", result.address.Text());
  if (!result.tls_error.empty()) Print("{:<9} {}\n", "tls", result.tls_error);
  Print("{:<9} dns {:.1f}, connect {:.1f}, tls {:.1f}, first byte {:.1f}, total {:.1f} ms\n",
        "took", Milliseconds(result.times.dns), Milliseconds(result.times.connect),
        Milliseconds(result.times.tls), Milliseconds(result.times.first_byte),
        Milliseconds(result.times.total));
  Print("{:<9} {} bytes, {} received{}\n", "body", result.body.size(), result.received_bytes,
        result.body_truncated ? ", cut off" : "");
  for (const HttpHeader& header : result.headers) {
    Print("  {}: {}\n", header.name, header.value);
  }
  if (!arguments.body) return;
  Print("\n");
  PrintContent(result.body);
  Print("\n");
}

// A URL and its redirects, until something is printed.
class OneFetch : public FetchListener {
 public:
  OneFetch(const ResolvedUrl& url, const FetchOptions& options, const Arguments& arguments,
           HttpFetcher& fetcher, UrlResolver& resolver)
      : arguments_(arguments),
        fetcher_(fetcher),
        resolver_(resolver),
        max_redirects_(options.max_redirects),
        journey_(url.url, url.domain) {}

  // Whether it was a page.
  bool Run() {
    fetcher_.Fetch(FetchId(), {.url = journey_.url()});
    while (!over_) fetcher_.Run(SteadyTime::max(), *this);
    return is_page_;
  }

 private:
  void OnResolved(const Resolution&) override {}

  void OnFetched(FetchResult& result) override {
    // Each time one connection less is kept, so this comes to an end.
    if (result.stale) return fetcher_.Fetch(FetchId(), {.url = journey_.url()});
    if (!result.failure && IsRedirect(result.status)) {
      switch (
          journey_.Follow(result.status, result.Header("location"), resolver_, max_redirects_)) {
        case Journey::Next::kFollow:
          return fetcher_.Fetch(FetchId(), {.url = journey_.url()});
        case Journey::Next::kAway:
          break;
        case Journey::Next::kFailed:
          result.failure = FailureCause::kRedirect;
          result.message = journey_.why();
          break;
      }
    }
    over_ = true;
    is_page_ = !result.failure && !FailureOfStatus(result.status);
    (arguments_.json ? PrintJson : PrintText)(result, journey_, arguments_);
  }

  const Arguments& arguments_;
  HttpFetcher& fetcher_;
  UrlResolver& resolver_;
  const uint32_t max_redirects_;
  Journey journey_;
  bool over_ = false;
  bool is_page_ = false;
};

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    return Fail(kExitUsage, "fetch", MessageOf(loaded));
  }
  Arguments arguments;
  for (const std::string& arg : args) {
    if (arg == "--json") {
      arguments.json = true;
    } else if (arg == "--body") {
      arguments.body = true;
    } else if (arg.starts_with("-")) {
      return Fail(kExitUsage, "fetch", WrongOption(kHelp, arg) + ". See `orbweaver fetch --help`.");
    } else {
      arguments.urls.push_back(arg);
    }
  }
  if (arguments.urls.empty())
    return Fail(kExitUsage, "fetch", "a URL is needed. See `orbweaver fetch --help`.");
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "fetch", MessageOf(suffixes.status()));
  UrlResolver resolver(options.spider.url, **suffixes);
  ResolvedUrl resolved;
  const auto resolve = [&](const std::string& url) {
    resolver.ClearBase();
    return ResolveSeed(url, resolver, &resolved);
  };
  for (const std::string& url : arguments.urls) {
    if (const UrlError error = resolve(url); error != UrlError::kNone) {
      return Fail(kExitUsage, "fetch",
                  fmt::format("URL '{}': {}. Give http or https URLs.", url, UrlErrorName(error)));
    }
    // The user has named them.
    const auto parts = SplitFetchUrl(resolved.url);
    if (parts) options.spider.network.allow_hosts.emplace_back(parts->authority);
  }
  const auto fetcher = HttpFetcher::Create(options.spider.network, options.spider.fetch);
  if (!fetcher.ok()) return Fail(kExitUsage, "fetch", MessageOf(fetcher.status()));

  bool all_pages = true;
  for (const std::string& url : arguments.urls) {
    if (resolve(url) != UrlError::kNone) continue;
    all_pages =
        OneFetch(resolved, options.spider.fetch, arguments, **fetcher, resolver).Run() && all_pages;
  }
  return all_pages ? kExitOk : kExitFailed;
}

}  // namespace

Command FetchCommand() {
  return {.name = "fetch",
          .summary = "Fetch single pages as the spider would, and show what came",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
