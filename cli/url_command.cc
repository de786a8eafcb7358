// `orbweaver url`: what the crawler makes of a link.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/line_reader.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/url/resolver.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver url [OPTIONS] [URL…]

Shows what the crawler makes of each URL; without a URL, of each line of standard input.
Prints, with tabs between:
  canonical URL, registered domain, reversed domain, fingerprint, slot
or `invalid: REASON`, a line each. A bad URL stops nothing and is no failure of the command.

Reasons: parse, relative, scheme, host, too-long, too-many-segments, repeated-segments.

options:
  --base URL             resolve links against this page
  --json                 an object a line: input, canonical, domain, reversed, fingerprint, slot;
                         or input and error
  --sort-query           order the query's parameters by name and value
  --drop-tracking        drop tracking parameters (utm_source, gclid, …)
  --drop-session         drop session ids (jsessionid, PHPSESSID, sid, …)
  --collapse-slashes     replace // in the path by /
  --suffix-list FILE     use this public suffix list instead of the built-in one
  --no-private-suffixes  leave out the list's private section: foo.github.io belongs to github.io
  --config FILE          read the options url.* from a file; those above come on top
  --set NAME=VALUE       set an option; `orbweaver config reference` lists them
  --                     what follows are URLs
  --help                 this text

examples:
  orbweaver url 'HTTP://Example.COM:80/a/../b?#top'
  orbweaver url --base https://example.com/dir/page.html ../img/x.png
  orbweaver url --json --drop-tracking < urls.txt
)";

struct Arguments {
  std::optional<std::string> base;
  bool json = false;
  UrlOptions url;
  PublicSuffixOptions suffixes;
  std::vector<std::string> links;
};

// Says on stderr what is wrong, and returns nothing.
std::optional<Arguments> Parse(std::span<const std::string> all_args) {
  const auto options_end = std::find(all_args.begin(), all_args.end(), "--");
  std::vector<std::string> args(all_args.begin(), options_end);
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    PrintError("orbweaver url: {}\n", MessageOf(loaded));
    return std::nullopt;
  }
  args.insert(args.end(), options_end, all_args.end());

  Arguments parsed{.url = options.spider.url, .suffixes = options.public_suffixes};
  std::optional<std::string> suffix_list;
  bool no_private_suffixes = false;
  const std::pair<std::string_view, bool*> switches[] = {
      {"--json", &parsed.json},
      {"--sort-query", &parsed.url.sort_query},
      {"--drop-tracking", &parsed.url.drop_tracking},
      {"--drop-session", &parsed.url.drop_sessions},
      {"--collapse-slashes", &parsed.url.collapse_slashes},
      {"--no-private-suffixes", &no_private_suffixes}};
  const std::pair<std::string_view, std::optional<std::string>*> values[] = {
      {"--base", &parsed.base}, {"--suffix-list", &suffix_list}};

  const auto take = [&](std::string_view arg, size_t& i) {
    for (const auto& [name, target] : switches) {
      if (arg == name) return *target = true;
    }
    for (const auto& [name, target] : values) {
      if (arg == name && i + 1 < args.size()) {
        *target = args[++i];
        return true;
      }
      if (arg.starts_with(name) && arg.substr(name.size()).starts_with('=')) {
        *target = arg.substr(name.size() + 1);
        return true;
      }
    }
    return false;
  };
  bool only_links = false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (only_links || !args[i].starts_with('-')) {
      parsed.links.push_back(args[i]);
    } else if (args[i] == "--") {
      only_links = true;
    } else if (const size_t at = i; !take(args[at], i)) {
      PrintError(
          "orbweaver url: {}. `orbweaver url --help` lists the options; put `--` before a URL that "
          "begins with a dash.\n",
          WrongOption(kHelp, args[at]));
      return std::nullopt;
    }
  }
  if (suffix_list == "") {
    PrintError("orbweaver url: --suffix-list '': no file. Name one, or leave it out.\n");
    return std::nullopt;
  }
  if (suffix_list) parsed.suffixes.file = *suffix_list;
  if (no_private_suffixes) parsed.suffixes.private_section = false;
  return parsed;
}

// Standard output in large pieces.
class Output {
 public:
  std::string* text() { return &text_; }

  // False when nothing more can be written; errno says why.
  bool Flush() {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const ssize_t count = write(STDOUT_FILENO, rest.data(), rest.size());
      if (count < 0 && errno != EINTR) return false;
      if (count > 0) rest.remove_prefix(static_cast<size_t>(count));
    }
    text_.clear();
    return true;
  }

  bool FlushIfLarge() { return text_.size() < kLarge || Flush(); }

 private:
  static constexpr size_t kLarge = 1 << 16;
  std::string text_;
};

// `json` writes to `out`, if JSON is wanted.
void Describe(std::string_view link, UrlResolver& resolver, JsonWriter* json, std::string* out) {
  ResolvedUrl url;
  const UrlError error = resolver.Resolve(link, &url);
  if (error != UrlError::kNone) {
    if (json != nullptr) {
      json->BeginObject()
          .Key("input")
          .Value(link)
          .Key("error")
          .Value(UrlErrorName(error))
          .EndObject();
    } else {
      out->append("invalid: ").append(UrlErrorName(error));
    }
  } else if (json != nullptr) {
    json->BeginObject()
        .Key("input")
        .Value(link)
        .Key("canonical")
        .Value(url.url)
        .Key("domain")
        .Value(url.domain)
        .Key("reversed")
        .Value(ReversedDomain(url.domain))
        .Key("fingerprint")
        .Value(url.fingerprint.ToHex())
        .Key("slot")
        .Value(url.slot.value())
        .EndObject();
  } else {
    out->append(url.url).append("\t").append(url.domain).append("\t");
    out->append(ReversedDomain(url.domain)).append("\t");
    out->append(url.fingerprint.ToHex()).append("\t").append(std::to_string(url.slot.value()));
  }
  out->push_back('\n');
}

// A reader that has seen enough (`| head`) is no failure.
int WriteFailed() {
  if (errno == EPIPE) return kExitOk;
  PrintError("orbweaver url: write standard output: {}.\n", std::strerror(errno));
  return kExitFailed;
}

int DescribeInput(const Arguments& arguments, UrlResolver& resolver) {
  Output output;
  JsonWriter writer(output.text());  // one for all lines: it keeps its memory
  JsonWriter* const json = arguments.json ? &writer : nullptr;
  for (const std::string& link : arguments.links) {
    Describe(link, resolver, json, output.text());
    if (!output.FlushIfLarge()) return WriteFailed();
  }
  if (!arguments.links.empty()) return output.Flush() ? kExitOk : WriteFailed();

  LineReader lines(STDIN_FILENO);
  std::string_view line;
  while (lines.Next(&line)) {
    Describe(line, resolver, json, output.text());
    // A client that sends one line and waits gets its answer at once.
    if (!(lines.HasLine() ? output.FlushIfLarge() : output.Flush())) return WriteFailed();
  }
  if (lines.error() == 0) return kExitOk;
  PrintError("orbweaver url: read standard input: {}.\n", std::strerror(lines.error()));
  return kExitFailed;
}

int Run(std::span<const std::string> args) {
  const std::optional<Arguments> arguments = Parse(args);
  if (!arguments) return kExitUsage;
  const auto suffixes = PublicSuffixes::Load(arguments->suffixes);
  if (!suffixes.ok()) {
    PrintError("orbweaver url: {}\n", MessageOf(suffixes.status()));
    return kExitUsage;
  }
  UrlResolver resolver(arguments->url, **suffixes);
  if (arguments->base) {
    if (const UrlError error = resolver.SetBase(*arguments->base); error != UrlError::kNone) {
      PrintError("orbweaver url: base '{}': {}. Give a whole http or https URL.\n",
                 *arguments->base, UrlErrorName(error));
      return kExitUsage;
    }
  }
  std::signal(SIGPIPE, SIG_IGN);  // writing fails with EPIPE instead
  return DescribeInput(*arguments, resolver);
}

}  // namespace

Command UrlCommand() {
  return {.name = "url",
          .summary = "Show what the crawler makes of URLs: canonical form, domain, slot",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
