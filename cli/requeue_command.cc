// `orbweaver requeue`: URLs that failed are tried again.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/kept_failures.h"
#include "cli/frontier/writable_log.h"
#include "cli/message.h"
#include "cli/orders/order_journal.h"
#include "cli/product_options.h"
#include "cli/requeue_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/nearest.h"
#include "common/config/schema.h"
#include "common/runtime/form.h"
#include "common/url/named_domain.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver requeue [OPTIONS]

URLs that failed for good are tried again: those that are gone, and those whose tries are used up or
that are put by because an option forbade them. Without --cause, --domain and --state all of them.
Those that were fetched since are left alone.

  --cause NAME      only those that failed by this cause, such as refused, dns, http_4xx, robots; may
                    be given several times
  --domain DOMAIN   only those of this registered domain; a host or a URL stands for its own
  --state gone|error
                    only those that are gone; or only the others
  --dry-run         say how many there are, and do nothing
  --data DIR        in the folder of `orbweaver crawl`, which must not be running: its next run tries
                    them. Without it the only crawl in ./crawl-data, or a cluster that the options
                    name
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option
  --help            this text

Exit code: 0 they are written, or there were none; 1 it failed; 2 wrong options.
)";

constexpr Duration kTimeout = std::chrono::minutes(2);

std::optional<FailureCause> CauseNamed(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(FailureCause::kHttpOther); ++i) {
    const auto cause = static_cast<FailureCause>(i);
    if (FailureCauseName(cause) == name) return cause;
  }
  return std::nullopt;
}

std::string NearestCause(const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(FailureCause::kHttpOther); ++i) {
    names.emplace_back(FailureCauseName(static_cast<FailureCause>(i)));
  }
  const std::string nearest = config::Nearest(name, names);
  return nearest.empty() ? "" : fmt::format(". Did you mean '{}'?", nearest);
}

// Returns the error, or nullopt.
std::optional<std::string> Parse(std::vector<std::string>* args, WantedFailures* wanted) {
  for (const std::string& name : TakeValues(args, "--cause")) {
    const auto cause = CauseNamed(name);
    if (!cause)
      return fmt::format("--cause {}: there is no such cause{}", name, NearestCause(name));
    wanted->causes.push_back(*cause);
  }
  if (const auto state = TakeValue(args, "--state")) {
    if (*state != "gone" && *state != "error") {
      return fmt::format("--state {}: gone or error", *state);
    }
    wanted->status = *state == "gone" ? LinkStatus::kGone : LinkStatus::kError;
  }
  wanted->domain = TakeValue(args, "--domain");
  return std::nullopt;
}

// For the journal.
FormParams ParametersOf(const WantedFailures& wanted) {
  FormParams params;
  if (wanted.domain.has_value()) params["domain"] = *wanted.domain;
  if (wanted.status.has_value()) {
    params["state"] = *wanted.status == LinkStatus::kGone ? "gone" : "error";
  }
  for (const FailureCause cause : wanted.causes) {
    std::string& causes = params["cause"];
    if (!causes.empty()) causes += ',';
    causes += FailureCauseName(cause);
  }
  return params;
}

// The registered domain of what was named. Poison: there is none.
absl::Status ResolveDomain(const ProductOptions& options, WantedFailures* wanted) {
  if (!wanted->domain.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  ASSIGN_OR_RETURN(wanted->domain, NamedDomain(*wanted->domain, options.spider.url, *suffixes));
  return absl::OkStatus();
}

absl::Status Requeue(const ProductOptions& options,
                     const std::optional<std::filesystem::path>& folder,
                     const WantedFailures& wanted, bool only_count) {
  if (only_count) {
    ASSIGN_OR_RETURN(const auto frontier, Frontier::Open(options, folder));
    ASSIGN_OR_RETURN(const FailureCounts counts,
                     CountFailures(frontier->store(), wanted, UINT64_MAX));
    Print("{} of {}\n", Count(counts.urls, "failed URL"), Count(counts.domains, "domain"));
    for (const auto& [cause, count] : counts.by_cause) {
      Print("  {:<20} {:>10}\n", FailureCauseName(cause), Count(count));
    }
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const WritableLog frontier, OpenWritableLog(options, folder));
  ASSIGN_OR_RETURN(const uint64_t written, RequeueFailures(*frontier.store, *frontier.bus,
                                                           SystemClock(), wanted, kTimeout));
  if (written == 0) {
    Print("No URL has failed so.\n");
    return absl::OkStatus();
  }
  const std::string says = fmt::format("{} will be tried again", Count(written, "failed URL"));
  KeepOrderOfCommand(options.console, folder, "requeue-failed", ParametersOf(wanted), says);
  if (folder.has_value()) {
    Print("{}: orbweaver crawl --data {}\n", says, ShellQuoted(folder->string()));
  } else {
    Print("{} once the strategy workers have read it\n", says);
  }
  return absl::OkStatus();
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  WantedFailures wanted;
  if (const auto wrong = Parse(&args, &wanted)) return Fail(kExitUsage, "requeue", *wrong);
  const bool only_count = TakeSwitch(&args, "--dry-run");
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, "requeue", MessageOf(crawl.status()));
  if (!args.empty()) {
    return Fail(kExitUsage, "requeue",
                fmt::format("argument '{}' is unknown or lacks its value. `orbweaver "
                            "requeue --help` lists the options",
                            args[0]));
  }
  const absl::Status resolved = ResolveDomain(options, &wanted);
  if (!resolved.ok()) {
    return Fail(IsPoison(resolved) ? kExitUsage : kExitFailed, "requeue", MessageOf(resolved));
  }
  crawl->Tell();
  const absl::Status done = Requeue(options, crawl->folder, wanted, only_count);
  return done.ok() ? kExitOk : Fail(kExitFailed, "requeue", MessageOf(done));
}

}  // namespace

Command RequeueCommand() {
  return {.name = "requeue", .summary = "Try URLs again that failed", .help = kHelp, .run = Run};
}

}  // namespace orbweaver
