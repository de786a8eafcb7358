// `orbweaver pause`, `resume`: what operators do to the partitions of a queue, of a cluster or of a
// crawl that runs on this machine. Orders about a domain are in order_commands.cc.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/message.h"
#include "cli/orders/order_journal.h"
#include "cli/orders/queue_owners.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/config/schema.h"
#include "common/config/value_text.h"

namespace orbweaver {
namespace {

#define ORBWEAVER_QUEUE_COMMAND_OPTIONS \
  R"(
  --data DIR        the folder of a crawl that runs on this machine. Without it the only crawl in
                    ./crawl-data, or a cluster that the options name
  --workers ADDR,…  of a cluster: admin servers of the db workers, HOST:PORT; by default those that
                    report
  --token TEXT      their admin.token
  --config FILE     read the options from a file: admin.token, admin.tls_ca, kafka.brokers
  --set NAME=VALUE  set an option
  --help            this text

The db worker that owns a partition does it: each is asked until one says that it has done it.

Exit code: 0 done; 1 not done, with the reason; 2 wrong options.
)"

constexpr char kPauseHelp[] =
    R"(usage: orbweaver pause PARTITION|all [OPTIONS]

Stops the feed of a partition: its spiders finish what they have and get nothing more. Ends with
`orbweaver resume`, and when the partition goes to another db worker: a crawl on this machine that
is started anew is not paused.
)" ORBWEAVER_QUEUE_COMMAND_OPTIONS;

constexpr char kResumeHelp[] =
    R"(usage: orbweaver resume PARTITION|all [OPTIONS]

Lets a partition's feed go on that `orbweaver pause` has stopped.
)" ORBWEAVER_QUEUE_COMMAND_OPTIONS;

constexpr Duration kAskTimeout = std::chrono::seconds(30);

struct Arguments {
  std::string operand;
  std::vector<std::string> workers;
  std::string token;
  std::optional<std::filesystem::path> folder;
};

// The partitions that the operand means.
absl::StatusOr<std::vector<int>> PartitionsOf(Bus& bus, const std::string& operand) {
  ASSIGN_OR_RETURN(const int count, bus.PartitionCount(kSpiderFeedTopic, kLookTimeout));
  std::vector<int> partitions;
  int64_t number = -1;
  if (operand == "all") {
    for (int i = 0; i < count; ++i) partitions.push_back(i);
    return partitions;
  }
  if (!config::ParseNumber(operand, &number) || number < 0 || number >= count) {
    return PoisonError("partition '{}': expected `all`, or a number from 0 to {}", operand,
                       count - 1);
  }
  return std::vector<int>{static_cast<int>(number)};
}

// The same; says which crawl is meant, if any is unnamed, unless the operand is wrong.
absl::StatusOr<std::vector<int>> PartitionsOf(Bus& bus, const Arguments& args,
                                              const MeantCrawl& crawl) {
  auto partitions = PartitionsOf(bus, args.operand);
  if (!IsPoison(partitions.status())) crawl.Tell();
  return partitions;
}

// Has the crawl that runs on the folder do it.
absl::Status DoInFolder(const std::string& action, const ProductOptions& options,
                        const MeantCrawl& crawl, const Arguments& args) {
  ASSIGN_OR_RETURN(const auto frontier, Frontier::Open(options, args.folder));
  ASSIGN_OR_RETURN(const std::vector<int> partitions, PartitionsOf(frontier->bus(), args, crawl));
  if (!ReadContact(*args.folder).has_value()) {
    return FatalError(
        "no crawl runs in {}, or it was told --no-console: there is nothing to {}. `orbweaver "
        "crawl` "
        "goes on with it",
        args.folder->string(), action);
  }
  for (const int partition : partitions) {
    ASSIGN_OR_RETURN(
        const std::string says,
        AskCrawl(*args.folder, action, {{"partition", std::to_string(partition)}}, kAskTimeout));
    Print("{}\n", says);
  }
  return absl::OkStatus();
}

absl::Status Do(const std::string& action, const ProductOptions& options, const MeantCrawl& crawl,
                Arguments args) {
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  ASSIGN_OR_RETURN(const std::vector<int> partitions, PartitionsOf(*bus, args, crawl));
  if (args.workers.empty()) {
    auto found = FindQueueWorkers(*bus);
    if (!found.ok()) {
      return RetryError("{}. Start one, or name them by --workers HOST:PORT,…",
                        MessageOf(found.status()));
    }
    args.workers = *std::move(found);
  }
  absl::Status result;
  for (const int partition : partitions) {
    const auto says =
        AskQueueOwner(args.workers, {.token = args.token, .ca_file = options.process.admin.tls_ca},
                      action, partition);
    if (says.ok()) Print("{}\n", *says);
    result.Update(says.status());
    KeepOrderOfCommand(options.console, std::nullopt, action,
                       {{"partition", fmt::to_string(partition)}}, says);
  }
  return result;
}

int Run(const std::string& action, std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, action, MessageOf(crawl.status()));
  Arguments parsed{.operand = {},
                   .workers = {},
                   .token = TakeValue(&args, "--token").value_or(options.process.admin.token),
                   .folder = crawl->folder};
  if (const auto workers = TakeValue(&args, "--workers")) {
    parsed.workers = absl::StrSplit(*workers, ',', absl::SkipEmpty());
  }
  if (args.size() != 1 || args[0].starts_with('-')) {
    return Fail(
        kExitUsage, action,
        fmt::format("wrong or missing arguments. `orbweaver {} --help` lists them", action));
  }
  parsed.operand = args[0];
  // A token is a cluster's.
  if (parsed.folder.has_value() && parsed.token.empty()) {
    const absl::Status done = DoInFolder(action, options, *crawl, parsed);
    if (done.ok()) return kExitOk;
    return Fail(IsPoison(done) ? kExitUsage : kExitFailed, action, MessageOf(done));
  }
  if (parsed.token.empty()) {
    crawl->Tell();
    return Fail(kExitUsage, action,
                "no token. Give --token, or set admin.token as the db workers "
                "have it");
  }
  const absl::Status done = Do(action, options, *crawl, std::move(parsed));
  if (done.ok()) return kExitOk;
  return Fail(IsPoison(done) ? kExitUsage : kExitFailed, action, MessageOf(done));
}

}  // namespace

Command PauseCommand() {
  return {.name = "pause",
          .summary = "Stop the feed of a partition, or of all",
          .help = kPauseHelp,
          .run = [](std::span<const std::string> args) { return Run("pause", args); }};
}

Command ResumeCommand() {
  return {.name = "resume",
          .summary = "Let a paused partition go on",
          .help = kResumeHelp,
          .run = [](std::span<const std::string> args) { return Run("resume", args); }};
}

}  // namespace orbweaver
