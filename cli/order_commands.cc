// `orbweaver block`, `unblock`, `purge`, `forget`: orders about a domain, of a cluster or in a
// folder.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/writable_log.h"
#include "cli/message.h"
#include "cli/order_writer.h"
#include "cli/orders/order.h"
#include "cli/orders/order_effect.h"
#include "cli/orders/order_journal.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/config/value_text.h"
#include "common/url/named_domain.h"

namespace orbweaver {
namespace {

#define ORBWEAVER_ORDER_COMMAND_OPTIONS \
  R"(  --data DIR        in the folder of `orbweaver crawl`: a crawl that runs there carries the order
                    out, else the next run does. Without it the only crawl in ./crawl-data, or a
                    cluster that the options name
  --dry-run         say what it would touch, and do nothing
  --config FILE     read the options from a file: kafka.brokers, url.…
  --set NAME=VALUE  set an option
  --help            this text

DOMAIN may be a host or a URL: it stands for its registered domain. The order is written to the
spider log. It holds once the domain's strategy worker has read it there and passed it on, and the
db worker has read that. No worker has to be up now; orders are carried out one after the other.

Exit code: 0 the order is written; 1 it is not, with the reason; 2 wrong options.
)"

constexpr char kBlockHelp[] =
    R"(usage: orbweaver block DOMAIN --for TIME [OPTIONS]

No request to the registered domain leaves the queue from when the order is read until TIME after
now. Requests in the feed are still fetched. Nothing is lost: it waits. A block is never shortened
by another one.

  --for TIME        how long from now on: 90s, 2h
)" ORBWEAVER_ORDER_COMMAND_OPTIONS;

constexpr char kUnblockHelp[] =
    R"(usage: orbweaver unblock DOMAIN [OPTIONS]

Ends blocks of the registered domain, and its back-off.

)" ORBWEAVER_ORDER_COMMAND_OPTIONS;

constexpr char kPurgeHelp[] =
    R"(usage: orbweaver purge DOMAIN [OPTIONS]

Drops all requests to the registered domain that wait in the queue. Their URLs are as they were
before they were scheduled: the strategy may schedule them again when it sees them again, as links
or seeds. Requests in the feed are still fetched.

)" ORBWEAVER_ORDER_COMMAND_OPTIONS;

constexpr char kForgetHelp[] =
    R"(usage: orbweaver forget DOMAIN [OPTIONS]

Forgets the registered domain: the requests that wait, which of its URLs were fetched or failed, its
counts, robots.txt and back-off, the strategy's notes about it. Afterwards it is crawled as if it had
never been seen, when links or seeds lead there. Requests in the feed are still fetched; pages that
were kept stay where they are.

)" ORBWEAVER_ORDER_COMMAND_OPTIONS;

constexpr Duration kTimeout = std::chrono::minutes(2);

struct Arguments {
  std::string operand;
  DomainOrder order;
  std::optional<std::filesystem::path> folder;
  bool only_look = false;
};

// " (lag 12 and 3)", or nothing when that cannot be known now.
std::string LagText(Bus& bus, const WrittenOrder& written) {
  const auto lag = LagBefore(bus, written, kLookTimeout);
  if (!lag.ok()) return {};
  return fmt::format(" (lag {} and {})", lag->strategy_worker, lag->db_worker);
}

// A crawl that runs on the folder is asked; `unopened` says why the folder could not be opened.
absl::Status AskToOrder(OrderAction action, const Arguments& args, const std::string& domain,
                        const absl::Status& unopened) {
  FormParams params{{"domain", domain}};
  if (action == OrderAction::kBlock) {
    params["until_ms"] = fmt::to_string(args.order.blocked_until->time_since_epoch().count());
  }
  ASSIGN_OR_RETURN(const std::string done,
                   AskCrawlInstead(unopened, *args.folder, OrderName(action), params, kTimeout));
  Print("{}\n", done);
  return absl::OkStatus();
}

// A crawl that runs may be looked at too.
absl::Status Preview(OrderAction action, const ProductOptions& options, const Arguments& args,
                     const std::string& domain, const PublicSuffixes& suffixes) {
  ASSIGN_OR_RETURN(const auto look, Frontier::Open(options, args.folder));
  Order order;
  order.action = action;
  order.domain = domain;
  order.change = args.order;
  ASSIGN_OR_RETURN(const OrderEffect effect,
                   PreviewOrder({.bus = look->bus(), .store = look->store(), .queue = {}}, order,
                                options, suffixes, args.folder.has_value(), SystemClock().Wall()));
  Print("It {}. Nothing was done.\n", effect.says);
  return absl::OkStatus();
}

absl::Status Give(OrderAction action, const ProductOptions& options, const Arguments& args,
                  const std::string& domain, const PublicSuffixes& suffixes) {
  if (domain != args.operand) Print("{} belongs to {}\n", args.operand, domain);
  if (args.only_look) return Preview(action, options, args, domain, suffixes);
  const auto log = OpenWritableLog(options, args.folder);
  if (!log.ok() && args.folder.has_value()) return AskToOrder(action, args, domain, log.status());
  RETURN_IF_ERROR(log.status());
  const auto given = GiveOrder(*log->bus, *log->store, SystemClock(), domain, args.order, kTimeout);
  if (!given.ok()) {
    KeepOrderOfCommand(options.console, args.folder, OrderName(action), {{"domain", domain}},
                       given.status());
    return given.status();
  }
  const std::string says = OrderText(domain, args.order);
  KeepOrderOfCommand(options.console, args.folder, OrderName(action), {{"domain", domain}}, says);
  Print("{}{}\n", says,
        args.folder.has_value()
            ? ", once its crawl goes on"
            : fmt::format(", once the strategy worker and the db worker of partition {} have "
                          "read it{}",
                          given->written.partition, LagText(*log->bus, given->written)));
  if (given->forgotten > 0) {
    Print("forgot by name {} of it that had failed\n", Count(given->forgotten, "URL"));
  }
  return absl::OkStatus();
}

// The end of a block that begins now; false when `text` is no time.
bool ParseFor(const std::string& text, DomainOrder* order) {
  Duration duration;
  if (!config::ParseDuration(text, &duration) || duration <= Duration::zero()) return false;
  order->blocked_until = TimeAfter(SystemClock().Wall(), duration);
  return true;
}

// Returns the error, or an empty text.
std::string Parse(OrderAction action, std::vector<std::string> args, Arguments* parsed) {
  if (action == OrderAction::kBlock) {
    const auto duration = TakeValue(&args, "--for");
    if (!duration.has_value()) return "--for TIME is missing: how long, such as 2h";
    if (!ParseFor(*duration, &parsed->order)) {
      return fmt::format("--for {}: expected a time such as 90s, 30m or 2h", *duration);
    }
  } else if (action == OrderAction::kUnblock) {
    parsed->order.blocked_until = WallTime();
  } else {
    parsed->order.purge = action == OrderAction::kPurge;
    parsed->order.forget = action == OrderAction::kForget;
  }
  parsed->only_look = TakeSwitch(&args, "--dry-run");
  if (args.size() != 1 || args[0].starts_with('-')) return "expected one domain";
  parsed->operand = args[0];
  return {};
}

int Run(OrderAction action, std::span<const std::string> all_args) {
  const std::string_view name = OrderName(action);
  std::vector<std::string> args(all_args.begin(), all_args.end());
  Arguments parsed;
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, name, MessageOf(crawl.status()));
  parsed.folder = crawl->folder;
  if (const std::string wrong = Parse(action, std::move(args), &parsed); !wrong.empty()) {
    return Fail(kExitUsage, name,
                fmt::format("{}. `orbweaver {} --help` lists the options", wrong, name));
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, name, MessageOf(suffixes.status()));
  const auto domain = NamedDomain(parsed.operand, options.spider.url, **suffixes);
  if (!domain.ok()) return Fail(kExitUsage, name, MessageOf(domain.status()));
  crawl->Tell();
  const absl::Status given = Give(action, options, parsed, *domain, **suffixes);
  if (given.ok()) return kExitOk;
  return Fail(IsPoison(given) ? kExitUsage : kExitFailed, name, MessageOf(given));
}

}  // namespace

Command BlockCommand() {
  return {.name = "block",
          .summary = "Keep a domain's requests in the queue for a while",
          .help = kBlockHelp,
          .run = [](std::span<const std::string> args) { return Run(OrderAction::kBlock, args); }};
}

Command ForgetCommand() {
  return {.name = "forget",
          .summary = "Forget all that is known of a domain",
          .help = kForgetHelp,
          .run = [](std::span<const std::string> args) { return Run(OrderAction::kForget, args); }};
}

Command UnblockCommand() {
  return {
      .name = "unblock",
      .summary = "End a domain's blocks and back-off",
      .help = kUnblockHelp,
      .run = [](std::span<const std::string> args) { return Run(OrderAction::kUnblock, args); }};
}

Command PurgeCommand() {
  return {.name = "purge",
          .summary = "Drop a domain's requests from the queue",
          .help = kPurgeHelp,
          .run = [](std::span<const std::string> args) { return Run(OrderAction::kPurge, args); }};
}

}  // namespace orbweaver
