// `orbweaver log`: what stands in the topics.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/dead_letter_requeue.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/log_range_arguments.h"
#include "cli/frontier/log_reader.h"
#include "cli/frontier/message_view.h"
#include "cli/frontier/writable_log.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/orders/order_journal.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/bus/topics.h"
#include "common/config/schema.h"
#include "common/config/value_text.h"
#include "common/url/named_domain.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver log dump TOPIC [OPTIONS]
       orbweaver log dead-letter [OPTIONS]
       orbweaver log export TOPIC DIR [OPTIONS]
       orbweaver log requeue dead-letter [OPTIONS]

dump         prints the messages of a topic, decoded, a line each
dead-letter  prints the messages that could not be processed: where each came from, and why
export       writes the messages unchanged to files TOPIC-PARTITION.jsonl in DIR, which is made
requeue      puts the events among the dead letters back into the spider log, in order, once each: the
             strategy worker takes them as new. After it was mended, for those that it failed on

TOPIC: spider-log, scoring-log, spider-feed, dead-letter or stats.

  --data DIR        the folder of `orbweaver crawl`, which may be running, but not for requeue. Without it the only crawl
                    in ./crawl-data, or a cluster that the options name
  --partition N     only this one
  --from OFFSET     from this offset on
  --to OFFSET       up to this one, which is left out
  --last N          only the last N messages of each partition
  --since TIME      written since then: 2026-01-31T12:00:00Z, or ago: 90s, 2h
  --until TIME      written before then
  --domain DOMAIN   only of this registered domain, or of that of this host or URL
  --url URL         only those that name this URL, in the form in which they do
  --type TYPE       page_fetched, links_found, fetch_failed, deferred, seeds, host_facts,
                    domain_order, url_order; schedule, marker; request; worker_stats; unreadable
  --limit N         stop after N
  --json            dump: JSON objects
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers
  --help            this text

Reads what the log holds when it begins, and ends. A requeue that is killed has put up to 1,000 events
back that the next one puts back again; strategies take them for another outcome of the same request. A file of `export` has a JSON object a line: topic,
partition, offset, time_ms, and in base64 key, value and headers.

Exit code: 0 printed or written; 1 Kafka, the folder or a file could not be used; 2 wrong options.
)";

// How often a folder is opened anew because its crawl has deleted what was to be read.
constexpr int kOpenAgain = 20;

struct Arguments {
  std::string verb;
  LogRange range;
  std::filesystem::path out;  // of export
  std::optional<std::filesystem::path> folder;
  std::string domain, url, type;
  uint64_t limit = 0;
  bool json = false;
};

// Returns the error, or an empty text.
std::string Parse(std::vector<std::string> args, Arguments* parsed) {
  std::string wrong = TakeLogRange(&args, &parsed->range);
  if (!wrong.empty()) return wrong;
  if (const auto text = TakeValue(&args, "--limit");
      text && !config::ParseNumber(*text, &parsed->limit)) {
    return fmt::format("--limit {}: not understood", *text);
  }
  parsed->domain = TakeValue(&args, "--domain").value_or("");
  parsed->url = TakeValue(&args, "--url").value_or("");
  parsed->type = TakeValue(&args, "--type").value_or("");
  parsed->json = TakeSwitch(&args, "--json");
  if (const auto unknown = UnknownOption(args)) {
    return WrongOption(kHelp, *unknown);
  }
  if (args.empty()) return "expected dump, dead-letter, export or requeue";
  parsed->verb = args[0];
  const std::map<std::string, size_t> operands = {
      {"dump", 2}, {"dead-letter", 1}, {"export", 3}, {"requeue", 2}};
  const auto found = operands.find(parsed->verb);
  if (found == operands.end() || args.size() != found->second) {
    return "expected `log dump TOPIC`, `log dead-letter`, `log export TOPIC DIR` or `log requeue "
           "dead-letter`";
  }
  if (parsed->verb == "requeue" && (args[1] != kDeadLetterTopic || parsed->limit != 0)) {
    return "requeue takes dead-letter, and no --limit";
  }
  parsed->range.topic = args.size() > 1 ? args[1] : std::string(kDeadLetterTopic);
  if (args.size() > 2) parsed->out = args[2];
  return {};
}

// The same.
std::string ResolveDomain(const ProductOptions& options, std::string* domain) {
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return std::string(MessageOf(suffixes.status()));
  auto named = NamedDomain(*domain, options.spider.url, **suffixes);
  if (!named.ok()) return std::string(MessageOf(named.status()));
  *domain = *std::move(named);
  return {};
}

// The files of an export, by partition.
class Files {
 public:
  Files(std::filesystem::path folder, std::string topic)
      : folder_(std::move(folder)), topic_(std::move(topic)) {}

  // False when it failed: `error` says how.
  bool Write(PartitionId partition, const std::string& line) {
    File& file = files_[partition];
    if (file == nullptr) {
      const auto path = folder_ / fmt::format("{}-{}.jsonl", topic_, partition);
      file.reset(std::fopen(path.c_str(), "w"));
      if (file == nullptr) return Failed(path);
    }
    if (std::fputs(line.c_str(), file.get()) >= 0 && std::fputc('\n', file.get()) != EOF)
      return true;
    return Failed(folder_);
  }
  bool Close() {
    for (auto& [partition, file] : files_) {
      if (std::fclose(file.release()) != 0) return Failed(folder_);
    }
    return true;
  }
  const std::string& error() const { return error_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, CloseFile>;

  bool Failed(const std::filesystem::path& path) {
    error_ = fmt::format("write {}: {}", path.string(), std::strerror(errno));
    return false;
  }

  const std::filesystem::path folder_;
  const std::string topic_;
  std::map<PartitionId, File> files_;
  std::string error_;
};

// Reads all of the range, and opens a folder anew where its crawl has deleted a file under it.
absl::Status ReadAll(const ProductOptions& options, const Arguments& args,
                     absl::FunctionRef<bool(const Message&)> visit) {
  LogReader reader(args.range);
  absl::Status status;
  for (int attempt = 0; attempt < kOpenAgain; ++attempt) {
    ASSIGN_OR_RETURN(const auto frontier, Frontier::Open(options, args.folder));
    status = reader.Read(frontier->bus(), kLookTimeout, visit);
    if (status.ok()) return status;
    status =
        absl::Status(status.code(), absl::StrCat(status.message(), ToAbsl(frontier->Hint(status))));
    if (!args.folder.has_value()) return status;
  }
  return status;
}

// Whether the options ask for `message`, which they see as one of `topic`.
bool IsAskedFor(const Arguments& args, std::string_view topic, const Message& message,
                Arena* arena) {
  if (!args.domain.empty() && message.key != args.domain) return false;
  if (args.type.empty() && args.url.empty()) return true;
  arena->Reset();
  const MessageView view = ViewMessage(topic, message, arena);
  if (!args.type.empty() && view.type != args.type) return false;
  return args.url.empty() ||
         std::find(view.urls.begin(), view.urls.end(), args.url) != view.urls.end();
}

int Requeue(const ProductOptions& options, const Arguments& args) {
  const auto log = OpenWritableLog(options, args.folder);
  if (!log.ok()) return Fail(kExitFailed, "log", MessageOf(log.status()));
  Arena arena;
  const auto counts = RequeueDeadLetters(
      *log->bus, args.range,
      [&](const Message& letter) { return IsAskedFor(args, kSpiderLogTopic, letter, &arena); },
      kLookTimeout);
  if (!counts.ok()) return Fail(kExitFailed, "log", MessageOf(counts.status()));
  const std::string says =
      fmt::format("{} put back into the spider log", Count(counts->put_back, "event"));
  if (counts->put_back > 0) {
    KeepOrderOfCommand(options.console, args.folder, "requeue-dead-letters", {}, says);
  }
  Print("{}{}\n", says,
        args.folder.has_value() && counts->put_back > 0
            ? fmt::format(". They are taken up by: orbweaver crawl --data {}",
                          ShellQuoted(args.folder->string()))
            : "");
  if (counts->before > 0) Print("{} were put back before\n", Count(counts->before));
  if (counts->unreadable > 0) {
    Print("{} left: no event of the spider log can be read in them\n", Count(counts->unreadable));
  }
  if (counts->others > 0) Print("{} left: they are of other topics\n", Count(counts->others));
  return kExitOk;
}

int PrintMessages(const ProductOptions& options, const Arguments& args) {
  const bool is_export = args.verb == "export";
  std::error_code error;
  if (is_export) std::filesystem::create_directories(args.out, error);
  if (error) {
    return Fail(kExitFailed, "log", fmt::format("make {}: {}", args.out.string(), error.message()));
  }
  Files files(args.out, args.range.topic);
  Arena arena;
  uint64_t count = 0;
  bool written = true;
  const absl::Status read = ReadAll(options, args, [&](const Message& message) {
    if (!IsAskedFor(args, args.range.topic, message, &arena)) return true;
    if (is_export) {
      written = files.Write(message.partition, MessageRecord(args.range.topic, message));
    } else {
      arena.Reset();
      const MessageView view = ViewMessage(args.range.topic, message, &arena);
      const std::string line = args.json ? MessageJson(args.range.topic, message, view)
                                         : MessageLine(args.range.topic, message, view);
      written = std::fputs(line.c_str(), stdout) >= 0 && std::fputc('\n', stdout) != EOF;
    }
    return written && ++count != args.limit;
  });
  if (!read.ok()) return Fail(kExitFailed, "log", MessageOf(read));
  if (is_export) {
    if (!written || !files.Close()) return Fail(kExitFailed, "log", files.error());
    Print("{} messages written to {}\n", count, args.out.string());
    return kExitOk;
  }
  written = std::fflush(stdout) == 0 && written;
  if (written && count == 0 && args.folder.has_value()) {
    PrintError("{}\n",
               args.range.topic == kDeadLetterTopic
                   ? "No dead letters."
                   : "No message. A crawl on this machine deletes what it has read of its logs.");
  }
  return written ? kExitOk : Fail(kExitFailed, "log", "write: the output takes no more");
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  Arguments parsed;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  std::string wrong =
      crawl.ok() ? Parse(std::move(args), &parsed) : std::string(MessageOf(crawl.status()));
  if (wrong.empty() && !parsed.domain.empty()) wrong = ResolveDomain(options, &parsed.domain);
  if (!wrong.empty()) {
    return Fail(kExitUsage, "log", fmt::format("{}. `orbweaver log --help` says more", wrong));
  }
  crawl->Tell();
  parsed.folder = crawl->folder;
  return parsed.verb == "requeue" ? Requeue(options, parsed) : PrintMessages(options, parsed);
}

}  // namespace

Command LogCommand() {
  return {
      .name = "log",
      .summary = "Print or export the messages of a topic, or those that could not be processed",
      .help = kHelp,
      .run = Run};
}

}  // namespace orbweaver
