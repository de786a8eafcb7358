// `orbweaver seeds`: where a crawl begins, of a cluster or on this machine.
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/crawl_seeds.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/writable_log.h"
#include "cli/message.h"
#include "cli/orders/order_journal.h"
#include "cli/product_options.h"
#include "cli/seed_lines.h"
#include "cli/seed_scope.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/config/schema.h"
#include "common/url/domain.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(2);

constexpr char kHelp[] =
    R"(usage: orbweaver seeds add FILE|- [OPTIONS]

Gives a crawl more URLs to begin at: a URL a line, `-` for standard input. A line without a scheme is
taken for http. Empty lines and those that begin with # are passed over. Lines that are no URL, and
on this machine those that the crawl's scope leaves out, are named with their number and the reason,
and the rest goes on. Seeds may be added at any time, and again.

options:
  --data DIR        the folder of `orbweaver crawl`: a crawl that runs there takes them up, else the
                    next run does. Without it the only crawl in ./crawl-data, or a cluster that the
                    options name, to whose spider log they are written
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers, url.…
  --help            this text

Exit code: 0 all are in the log; 1 some lines were refused, or the file, the folder or Kafka could not
be used; 2 wrong options.
)";

absl::StatusOr<SeedLines> Add(const std::string& file, const ProductOptions& options) {
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  UrlResolver resolver(options.spider.url, *suffixes);
  ASSIGN_OR_RETURN(const auto writer, SeedWriter::Create(*bus, SystemClock(), resolver, kTimeout));
  auto lines = AddSeedLines(file, *writer);
  // Also what was read before reading failed.
  const absl::Status finished = writer->Finish();
  if (lines.ok()) {
    Print("{} seeds added, {} lines refused\n", writer->durable(), lines->refused);
    KeepOrderOfCommand(options.console, std::nullopt, "add-seeds", {{"file", file}},
                       fmt::format("{} added", Count(writer->durable(), "seed")));
  } else if (writer->durable() > 0) {
    Print("{} seeds added until then\n", writer->durable());
  }
  RETURN_IF_ERROR(finished);
  return lines;
}

// Gives a crawl on this machine the seeds in portions, so that each is one call of the process that
// crawls.
class LocalSeeds {
 public:
  LocalSeeds(const ProductOptions& options, const PublicSuffixes& suffixes,
             std::filesystem::path folder)
      : options_(options), suffixes_(suffixes), folder_(std::move(folder)) {}

  // A crawl that runs has the folder: it is asked.
  absl::Status Open() {
    auto log = OpenWritableLog(options_, folder_.path());
    if (log.ok()) {
      log_ = *std::move(log);
      return absl::OkStatus();
    }
    if (ReadContact(folder_.path()).has_value()) return absl::OkStatus();
    return log.status();
  }

  absl::Status Add(std::string_view seed) {
    if (bytes_ > 0 && bytes_ + seed.size() > kPortionBytes) RETURN_IF_ERROR(Flush());
    portion_.emplace_back(seed);
    bytes_ += seed.size() + 1;
    return absl::OkStatus();
  }

  absl::Status Flush() {
    if (portion_.empty()) return absl::OkStatus();
    if (log_.has_value()) {
      RETURN_IF_ERROR(AddMoreSeeds(portion_, options_, folder_, *log_->bus, suffixes_).status());
    } else {
      const FormParams params{{"urls", absl::StrJoin(portion_, "\n")}};
      RETURN_IF_ERROR(AskCrawl(folder_.path(), "add-seeds", params, kTimeout).status());
    }
    added_ += portion_.size();
    portion_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

  uint64_t added() const { return added_; }
  bool is_running() const { return !log_.has_value(); }

 private:
  // As a form it is at most three times as long, and the admin server takes 64 KiB.
  static constexpr size_t kPortionBytes = 16 << 10;

  const ProductOptions& options_;
  const PublicSuffixes& suffixes_;
  const CrawlFolder folder_;
  std::optional<WritableLog> log_;  // of a crawl that rests
  std::vector<std::string> portion_;
  size_t bytes_ = 0;
  uint64_t added_ = 0;
};

// Names a line that is not added. Of many only the first ones.
class RefusedLines {
 public:
  explicit RefusedLines(const std::string& file) : file_(file == "-" ? "standard input" : file) {}

  void Add(uint64_t number, std::string_view line, std::string_view why) {
    if (++count_ <= kMostShown) {
      PrintError("{}:{}: {}: {}\n", file_, number, why, line.substr(0, kShownBytes));
    } else if (count_ == kMostShown + 1) {
      PrintError("{}: more lines that are refused are only counted\n", file_);
    }
  }
  uint64_t count() const { return count_; }

 private:
  static constexpr uint64_t kMostShown = 20;
  static constexpr size_t kShownBytes = 200;

  const std::string file_;
  uint64_t count_ = 0;
};

// The number of lines that were refused.
absl::StatusOr<uint64_t> AddToFolder(const std::string& file, const ProductOptions& options,
                                     const std::filesystem::path& path) {
  const CrawlFolder folder(path);
  if (folder.begins_anew()) {
    return FatalError("{} begins anew: its next run has to come first", path.string());
  }
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  UrlResolver resolver(options.spider.url, *suffixes);
  ASSIGN_OR_RETURN(const auto scope, SeedScope::Make(options.spider.scope, resolver, *suffixes));
  LocalSeeds seeds(options, *suffixes, path);
  RETURN_IF_ERROR(seeds.Open());
  RefusedLines refused(file);
  absl::Status status;
  RETURN_IF_ERROR(ForEachSeedLine(file, [&](uint64_t number, std::string_view line) {
    ResolvedUrl url;
    const UrlError error = ResolveSeed(line, resolver, &url);
    const std::string why = error == UrlError::kNone ? scope.WhyLeftOut(line) : "";
    if (error != UrlError::kNone) {
      refused.Add(number, line, UrlErrorName(error));
    } else if (!why.empty()) {
      refused.Add(number, line, "left out, " + why);
    } else {
      status = seeds.Add(line);
    }
    return status.ok();
  }));
  status.Update(seeds.Flush());
  Print("{} added{}, {} refused\n", Count(seeds.added(), "seed"), status.ok() ? "" : " until then",
        Count(refused.count(), "line"));
  if (!seeds.is_running() && seeds.added() > 0) {
    KeepOrderOfCommand(options.console, path, "add-seeds", {{"file", file}},
                       fmt::format("{} added", Count(seeds.added(), "seed")));
  }
  RETURN_IF_ERROR(status);
  if (file != "-" && seeds.added() > 0) {
    // So that `orbweaver crawl --seeds FILE` knows that they are of this crawl.
    ASSIGN_OR_RETURN(const SeedList list, ListSeeds({}, {file}));
    RETURN_IF_ERROR(folder.AddSeeds(list));
  }
  if (seeds.added() > 0 && !seeds.is_running()) {
    Print("To crawl them: orbweaver crawl --data {}\n", ShellQuoted(path.string()));
  }
  return refused.count();
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, "seeds", MessageOf(crawl.status()));
  const bool is_file = args.size() == 2 && (args[1] == "-" || !args[1].starts_with('-'));
  if (!is_file || args[0] != "add") {
    return Fail(kExitUsage, "seeds", "expected `seeds add FILE`. See `orbweaver seeds --help`.");
  }
  if (const absl::Status file = CheckSeedFile(args[1]); !file.ok()) {
    return Fail(kExitFailed, "seeds", MessageOf(file));
  }
  crawl->Tell();
  if (crawl->folder.has_value()) {
    const auto refused = AddToFolder(args[1], options, *crawl->folder);
    if (!refused.ok()) return Fail(kExitFailed, "seeds", MessageOf(refused.status()));
    return *refused == 0 ? kExitOk : kExitFailed;
  }
  const auto lines = Add(args[1], options);
  if (!lines.ok()) return Fail(kExitFailed, "seeds", MessageOf(lines.status()));
  return lines->refused == 0 ? kExitOk : kExitFailed;
}

}  // namespace

Command SeedsCommand() {
  return {
      .name = "seeds", .summary = "Give a crawl more URLs to begin at", .help = kHelp, .run = Run};
}

}  // namespace orbweaver
