// `orbweaver raise` and `reschedule`: orders about one URL, of a cluster or in a folder.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/writable_log.h"
#include "cli/message.h"
#include "cli/orders/order.h"
#include "cli/orders/order_journal.h"
#include "cli/orders/url_plan.h"
#include "cli/product_options.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/url/resolver.h"

namespace orbweaver {
namespace {

#define ORBWEAVER_URL_ORDER_OPTIONS \
  R"(  --data DIR        in the folder of `orbweaver crawl`: a crawl that runs there carries the order
                    out, else the next run does. Without it the only crawl in ./crawl-data, or a
                    cluster that the options name
  --dry-run         say what it would do, and do nothing
  --config FILE     read the options from a file: kafka.brokers, hbase.hosts, url.…
  --set NAME=VALUE  set an option
  --help            this text

The order is written to the spider log, and the URL's strategy worker decides by the state that the
URL has then. It queues no URL twice, however often it is given. A block, the delay between requests
and robots.txt hold as ever.

Exit code: 0 the order is written; 1 it is not, with the reason, such as a URL that does not wait; 2
wrong options.
)"

constexpr char kRaiseHelp[] =
    R"(usage: orbweaver raise URL [OPTIONS]

A URL that waits in the queue goes to the front of its registered domain's queue, or to the band of
the score that is given; one that waits for a time, such as that of its next try, waits no more. A
URL that is in as good a place stays there. One that does not wait is left alone: `reschedule`
fetches it again. Its strategy sees the new score with the outcome.

  --score S         from 0 to 1, as strategies give them: the higher, the sooner. Default: 1
)" ORBWEAVER_URL_ORDER_OPTIONS;

constexpr char kRescheduleHelp[] =
    R"(usage: orbweaver reschedule URL [OPTIONS]

A URL that is known is fetched again, though it was fetched, failed or is gone, and whatever the
strategy's rules and caps say; the patterns of the scope hold. It counts as scheduled by the
strategy, which is told its outcome and may fetch it again later as it does others. One that waits in
the queue is raised. A URL that the crawl has not heard of is given to it by `orbweaver seeds add`.

  --in TIME         not before this time has passed: 90s, 2h. Not for a URL that waits already
  --score S         from 0 to 1, as strategies give them: the higher, the sooner. Default: 1
)" ORBWEAVER_URL_ORDER_OPTIONS;

constexpr Duration kTimeout = std::chrono::minutes(2);

struct Arguments {
  Order order;
  std::optional<std::filesystem::path> folder;
  bool only_look = false;
};

absl::StatusOr<UrlPlan> Plan(Bus& bus, Store& store, const ProductOptions& options,
                             const PublicSuffixes& suffixes, const Arguments& args) {
  return PlanUrlOrder(bus, store, args.order.url, options, suffixes, args.folder.has_value(),
                      SystemClock().Wall());
}

// Looks, and says what the order would do; a crawl that runs may be looked at too.
absl::Status Preview(const ProductOptions& options, const PublicSuffixes& suffixes,
                     const Arguments& args) {
  ASSIGN_OR_RETURN(const auto look, Frontier::Open(options, args.folder));
  const auto plan = Plan(look->bus(), look->store(), options, suffixes, args);
  if (!plan.ok()) return plan.status();
  Print("It {}. Nothing was done.\n", plan->says);
  return absl::OkStatus();
}

absl::Status Give(const ProductOptions& options, const PublicSuffixes& suffixes,
                  const Arguments& args) {
  if (args.only_look) return Preview(options, suffixes, args);
  const auto log = OpenWritableLog(options, args.folder);
  if (!log.ok() && args.folder.has_value()) {
    ASSIGN_OR_RETURN(const std::string done,
                     AskCrawlInstead(log.status(), *args.folder, OrderName(args.order.action),
                                     args.order.parameters, kTimeout));
    Print("{}\n", done);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(log.status());
  ASSIGN_OR_RETURN(const UrlPlan plan, Plan(*log->bus, *log->store, options, suffixes, args));
  const auto written = WritePlan(*log->bus, SystemClock(), plan, kTimeout);
  const std::string says = fmt::format("order written: {}", plan.done);
  KeepOrderOfCommand(options.console, args.folder, OrderName(args.order.action),
                     args.order.parameters,
                     written.ok() ? absl::StatusOr<std::string>(says)
                                  : absl::StatusOr<std::string>(written.status()));
  RETURN_IF_ERROR(written.status());
  Print("{}, {}\n", says,
        args.folder.has_value()
            ? "once its crawl goes on"
            : fmt::format("once the strategy worker and the db worker of partition {} have read it",
                          written->partition));
  return absl::OkStatus();
}

// Reads the options as a form. Poison: wrong ones.
absl::StatusOr<Order> Parse(OrderAction action, std::vector<std::string> args,
                            const UrlOptions& urls, const PublicSuffixes& suffixes) {
  FormParams params;
  for (const std::string name : {"score", "in"}) {
    const bool is_taken = name == "score" || action == OrderAction::kReschedule;
    const auto value = is_taken ? TakeValue(&args, "--" + name) : std::nullopt;
    if (value.has_value()) params[name] = *value;
  }
  if (args.size() != 1 || args[0].empty() || args[0].starts_with('-')) {
    return PoisonError("expected one URL");
  }
  UrlResolver resolver(urls, suffixes);
  ResolvedUrl url;
  if (const UrlError error = ResolveSeed(args[0], resolver, &url); error != UrlError::kNone) {
    return PoisonError("'{}' is no URL that is ever fetched: {}", args[0], UrlErrorName(error));
  }
  params["url"] = args[0];
  return ReadOrder(OrderName(action), params, urls, suffixes, SystemClock().Wall());
}

int Run(OrderAction action, std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const std::string_view name = OrderName(action);
  Arguments parsed;
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, name, MessageOf(crawl.status()));
  parsed.folder = crawl->folder;
  parsed.only_look = TakeSwitch(&args, "--dry-run");
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, name, MessageOf(suffixes.status()));
  auto order = Parse(action, std::move(args), options.spider.url, **suffixes);
  if (!order.ok()) {
    return Fail(kExitUsage, name,
                fmt::format("{}. `orbweaver {} --help` lists the options",
                            MessageOf(order.status()), name));
  }
  parsed.order = *std::move(order);
  crawl->Tell();
  const absl::Status given = Give(options, **suffixes, parsed);
  return given.ok() ? kExitOk : Fail(kExitFailed, name, MessageOf(given));
}

}  // namespace

Command RaiseCommand() {
  return {.name = "raise",
          .summary = "Move a URL that waits to the front of its queue",
          .help = kRaiseHelp,
          .run = [](std::span<const std::string> args) { return Run(OrderAction::kRaise, args); }};
}

Command RescheduleCommand() {
  return {
      .name = "reschedule",
      .summary = "Fetch a URL again that was fetched or failed",
      .help = kRescheduleHelp,
      .run = [](std::span<const std::string> args) { return Run(OrderAction::kReschedule, args); }};
}

}  // namespace orbweaver
