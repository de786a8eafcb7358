// `orbweaver check`: are these URLs alive? The parts stand in cli/check/. Past 400 lines, fifty of
// which are its help.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/check/check_arguments.h"
#include "cli/check/check_engine.h"
#include "cli/check/check_summary.h"
#include "cli/check/check_tally.h"
#include "cli/check/file_limit.h"
#include "cli/check/input_copy.h"
#include "cli/check/result_log.h"
#include "cli/check/url_list.h"
#include "cli/command.h"
#include "cli/crawl/crawl_outcome.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/runtime/signal_watcher.h"
#include "spider/fetch/http_fetcher.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] = R"(usage: orbweaver check FILE|- [OPTIONS]

Are the URLs of this list alive? Asks each once, by HEAD, by GET where HEAD is refused or finds nothing,
and follows its redirects. Writes a line of JSON a URL: verdict, status, final URL, redirects, days
left of the certificate, times. No site gets more than its share of requests; the order of the list
does not matter. The same command again goes on where it stood, after Ctrl-C, a crash or kill -9.

  FILE                   a URL a line, - for standard input; what stands behind a blank is not read
  --column N             the URL is in this column of lines of CSV
  --out FILE             the results; NAME.checked.jsonl in this folder, for standard input, and with
                         -, standard output, which cannot be gone on with
  --failures-only        write only those that are not alive
  --restart              begin anew, and lose the results that are there
  --at-once N            requests at once, of all hosts; 1000
  --per-host N[,R]       of one host: N requests at once, R begun in a second; 1,1; 0: any number
  --per-domain N[,R]     of one registered domain; 2,2
  --per-address N[,R]    of one IP address; 8,8
  --timeout TIME         for the whole of a request; 30s
  --retries N            more attempts after a failure that may pass; 1
  --retry-delay TIME     how long after it; 10s
  --max-redirects N      follow so many; 10
  --robots               obey robots.txt; without it nothing is asked that is not on the list
  --certificate-days N   name the certificates that end sooner; 30
  --max-failures N       stop when more than so many are dead or unclear
  --user-agent TEXT      who you are; with an address where site owners can reach you
  --proxy URL            http://HOST:PORT
  --json                 the summary as JSON
  --config FILE          read options network.*, spider.fetch.*, url.* from a file
  --set NAME=VALUE       set an option; `orbweaver config reference` lists them
  --help                 this text

Verdicts: alive (2xx in the end), dead (404, 410 and most 4xx, no such name, connection refused,
redirects that lead nowhere), unclear (401, 403, 429, 5xx, timeouts, certificates), skipped (no URL,
or not allowed by our options or robots.txt).

Ctrl-C finishes what is being asked; a second one ends at once, which loses nothing else.

Exit code: 0 every URL is checked; 1 the program failed; 2 wrong options or list, nothing was done;
3 not one is alive; 4 it was stopped; 5 more than --max-failures.
)";

constexpr Duration kStopDeadline = std::chrono::seconds(90);
constexpr Duration kStep = std::chrono::milliseconds(200);
constexpr Duration kLineEvery = std::chrono::seconds(10);
constexpr Duration kSyncEvery = std::chrono::seconds(5);
constexpr Duration kRateOver = std::chrono::seconds(30);
constexpr uint64_t kFilesBesides = 128;
constexpr uint64_t kRefusedShown = 20;
constexpr size_t kShownBytes = 200;
constexpr size_t kHostsCounted = 250'000;

// Whether what is drawn can be drawn over.
bool CanDraw() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

// As a JSON string: a terminal is not to be written to by a list.
std::string Quoted(std::string_view text) {
  std::string shown;
  AppendJsonString(text, &shown);
  return shown;
}

void SetCheckDefaults(ProductOptions* options) {
  options->spider.fetch.total_timeout = std::chrono::seconds(30);
}

// Shows how it goes: on a terminal one line always anew, elsewhere one now and then.
class CheckProgress {
 public:
  CheckProgress() : on_terminal_(CanDraw()), start_(SystemClock().Now()), shown_(start_) {}

  SteadyTime start() const { return start_; }

  void Show(const CheckEngine& engine, const CheckTally& tally, const ListCounts& counts,
            std::string_view state, uint64_t checked_now) {
    const SteadyTime now = SystemClock().Now();
    if (samples_.empty() || now - samples_.back().first >= std::chrono::seconds(1)) {
      samples_.emplace_back(now, checked_now);
      while (now - samples_.front().first > kRateOver) samples_.pop_front();
    }
    if (now - shown_ < (on_terminal_ ? kStep : kLineEvery)) return;
    shown_ = now;
    const auto& [since, before] = samples_.front();
    const double seconds = std::chrono::duration<double>(now - since).count();
    const CheckSnapshot look{
        .state = state,
        .elapsed = now - start_,
        .per_second = seconds > 0 ? static_cast<double>(checked_now - before) / seconds : 0,
        .urls = counts.urls,
        .left = counts.urls - std::min(counts.urls, counts.done + checked_now),
        .asking = engine.asking(),
        .waiting = engine.waiting()};
    const std::string line = ProgressLine(look, tally);
    if (on_terminal_) std::fputs("\r", stderr);
    PrintError("{}{}", line, on_terminal_ ? "" : "\n");
    if (on_terminal_) std::fputs("\x1b[K", stderr);
    drawn_ = on_terminal_;
  }
  void Leave() {
    if (std::exchange(drawn_, false)) std::fputs("\r\x1b[K", stderr);
  }

 private:
  const bool on_terminal_;
  const SteadyTime start_;
  SteadyTime shown_;
  std::deque<std::pair<SteadyTime, uint64_t>> samples_;
  bool drawn_ = false;
};

// Everything that stands before the first request.
struct Prepared {
  std::unique_ptr<UrlList> list;
  std::unique_ptr<ResultLog> log;
  ListedUrls urls;
  ListCounts counts;
};

// Fits --at-once and the connections that are kept into the files that may be open.
absl::Status FitFileLimit(CheckArguments* arguments, FetchOptions* fetch) {
  uint32_t& at_once = arguments->settings.limits.at_once;
  const uint64_t limit = RaiseFileLimit(at_once + fetch->max_idle + kFilesBesides);
  if (limit < at_once + kFilesBesides) {
    if (arguments->at_once_given || limit <= 2 * kFilesBesides) {
      return FatalError(
          "--at-once {}: it needs {} open files, and this process may have {}. Raise the limit "
          "(`ulimit -Hn`), or ask fewer at once",
          at_once, at_once + kFilesBesides, limit);
    }
    at_once = static_cast<uint32_t>(limit - kFilesBesides);
    PrintError("{} requests at once: this process may have {} files open.\n", at_once, limit);
  }
  fetch->max_idle = std::min<size_t>(fetch->max_idle, limit - at_once - kFilesBesides);
  return absl::OkStatus();
}

absl::Status OpenList(const CheckArguments& arguments, const StopRequest& stop,
                      Prepared* prepared) {
  if (arguments.input != "-") {
    ASSIGN_OR_RETURN(prepared->list, UrlList::Open(arguments.input, arguments.column));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int fd, CopyToFile(STDIN_FILENO, stop));
  prepared->list = UrlList::Of(fd, "standard input", arguments.column);
  return absl::OkStatus();
}

absl::Status Prepare(const CheckArguments& arguments, const StopRequest& stop,
                     UrlResolver& resolver, CheckTally* tally, Prepared* prepared) {
  RETURN_IF_ERROR(OpenList(arguments, stop, prepared));
  if (arguments.results == "-") {
    prepared->log = ResultLog::To(STDOUT_FILENO, "standard output");
  } else {
    ASSIGN_OR_RETURN(const std::string digest, prepared->list->Digest());
    ASSIGN_OR_RETURN(
        prepared->log,
        ResultLog::Open(
            arguments.results,
            {.digest = digest, .options = arguments.Meaning(), .restart = arguments.restart},
            [&](const CheckRecord& record) { tally->Add(record); }));
  }
  uint64_t refused = 0;
  RETURN_IF_ERROR(prepared->list->Read(
      resolver, [&](uint32_t line) { return prepared->log->IsDone(line); },
      [&](uint32_t line, std::string_view text, UrlError why) {
        if (++refused > kRefusedShown) return;
        PrintError("{}:{}: {}: {}\n", arguments.input == "-" ? "standard input" : arguments.input,
                   line, UrlErrorName(why), Quoted(text.substr(0, kShownBytes)));
      },
      &prepared->urls, &prepared->counts));
  if (refused > kRefusedShown) {
    PrintError("{} lines more have no URL.\n", Count(refused - kRefusedShown));
  }
  if (prepared->counts.urls == 0) return FatalError("there is no URL in the list");
  return absl::OkStatus();
}

// How long the largest domain takes at least.
void TellPlan(const CheckArguments& arguments, const Prepared& prepared, UrlResolver& resolver) {
  const ListCounts& counts = prepared.counts;
  PrintError("{} in {}", Count(counts.urls, "URL"), Count(counts.lines, "line"));
  if (counts.done > 0) PrintError(", {} of them checked already", Count(counts.done));
  if (!prepared.urls.groups.empty()) {
    PrintError("; {} to ask", Count(prepared.urls.groups.size(), "domain"));
    const ListedUrls::Group& largest = prepared.urls.groups.front();
    const uint32_t size = largest.end - largest.begin;
    const double rate = arguments.settings.limits.domain.per_second;
    ResolvedUrl url;
    const bool has_name = resolver.Resolve(prepared.list->TextOf(prepared.urls.urls[largest.begin]),
                                           &url) == UrlError::kNone;
    if (size > 1 && rate > 0 && has_name) {
      const auto least = std::chrono::duration<double>(size / rate);
      PrintError("; {} has {} and takes {} at least", url.domain, Count(size, "URL"),
                 Time(std::chrono::duration_cast<Duration>(least)));
    }
  }
  PrintError(".\n");
}

class Checking {
 public:
  Checking(const CheckArguments& arguments, Prepared& prepared, UrlResolver& resolver,
           Fetcher& fetcher, CheckTally& tally)
      : arguments_(arguments),
        counts_(prepared.counts),
        log_(*prepared.log),
        tally_(tally),
        engine_(
            arguments.settings, std::move(prepared.urls),
            [&list = *prepared.list](const ListedUrl& url) { return list.TextOf(url); }, resolver,
            fetcher, SystemClock(), [this](const CheckResult& result) { Take(result); }) {}

  // To the end, or until it is stopped.
  absl::Status Run(const StopRequest& stop) {
    SteadyTime next_sync = progress_.start() + kSyncEvery;
    while (!engine_.done()) {
      const SteadyTime now = SystemClock().Now();
      engine_.Step(now + kStep);
      RETURN_IF_ERROR(log_.Flush());
      if (now >= next_sync) {
        next_sync = now + kSyncEvery;
        RETURN_IF_ERROR(log_.Sync());
      }
      too_many_ = tally_.failures() > arguments_.max_failures;
      if (stop.requested() && !std::exchange(told_stop_, true)) {
        progress_.Leave();
        PrintError("Stopping: {} being asked. Ctrl-C again ends at once.\n",
                   Count(engine_.asking(), "URL"));
      }
      if (stop.requested() || too_many_) engine_.Drain();
      progress_.Show(engine_, tally_, counts_, stop.requested() ? "draining" : "checking",
                     checked_now_);
    }
    progress_.Leave();
    return log_.Sync();
  }

  CheckEnd End(const std::string& go_on) const {
    CheckEnd end{.elapsed = SystemClock().Now() - progress_.start(),
                 .checked_now = checked_now_,
                 .counts = counts_};
    end.left = counts_.urls - std::min(counts_.urls, counts_.done + checked_now_);
    end.outcome = OutcomeOf({.finished = end.left == 0,
                             .pages = tally_.count(CheckVerdict::kAlive),
                             .failures = tally_.failures(),
                             .max_failures = arguments_.max_failures});
    // Lines that are all skipped are no success either.
    if (end.outcome == CrawlOutcome::kComplete && tally_.total() > 0 &&
        tally_.count(CheckVerdict::kAlive) == 0) {
      end.outcome = CrawlOutcome::kNothingFetched;
    }
    end.why = too_many_       ? "--max-failures is exceeded"
              : end.left == 0 ? "every URL is checked"
                              : "it was stopped";
    if (arguments_.results != "-") {
      end.results = arguments_.results;
      if (end.left > 0) end.go_on = go_on;
    }
    return end;
  }

 private:
  void Take(const CheckResult& result) {
    ++checked_now_;
    const CheckRecord record = RecordOf(result);
    tally_.Add(record);
    line_.clear();
    const bool is_wanted = !arguments_.failures_only || result.verdict != CheckVerdict::kAlive;
    if (is_wanted) AppendResultLine(result, &line_);
    log_.Add(line_, record);
  }

  const CheckArguments& arguments_;
  const ListCounts counts_;
  ResultLog& log_;
  CheckTally& tally_;
  CheckEngine engine_;
  CheckProgress progress_;
  std::string line_;
  uint64_t checked_now_ = 0;
  bool too_many_ = false;
  bool told_stop_ = false;
};

int Check(CheckArguments& arguments, ProductOptions& options, const std::string& go_on,
          const StopRequest& stop) {
  CheckTally tally(static_cast<int64_t>(arguments.certificate_days), kHostsCounted);
  if (const absl::Status fits = FitFileLimit(&arguments, &options.spider.fetch); !fits.ok()) {
    return Fail(kExitUsage, "check", fmt::format("{}.", MessageOf(fits)));
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "check", MessageOf(suffixes.status()));
  const auto fetcher = HttpFetcher::Create(options.spider.network, options.spider.fetch);
  if (!fetcher.ok()) return Fail(kExitUsage, "check", MessageOf(fetcher.status()));
  UrlResolver resolver(options.spider.url, **suffixes);
  Prepared prepared;
  if (const absl::Status ready = Prepare(arguments, stop, resolver, &tally, &prepared);
      !ready.ok()) {
    return Fail(stop.requested() ? kExitFailed : kExitUsage, "check",
                fmt::format("{}.", MessageOf(ready)));
  }
  TellPlan(arguments, prepared, resolver);
  Checking checking(arguments, prepared, resolver, **fetcher, tally);
  if (const absl::Status run = checking.Run(stop); !run.ok()) {
    return Fail(kExitFailed, "check", fmt::format("{}.", MessageOf(run)));
  }
  const CheckEnd end = checking.End(go_on);
  // Results that go to standard output are alone there.
  const std::string summary =
      arguments.json ? SummaryJson(end, tally) + "\n" : SummaryText(end, tally);
  if (arguments.results == "-") {
    PrintError("{}", summary);
  } else {
    Print("{}", summary);
  }
  return ExitCodeOf(end.outcome);
}

int Run(std::span<const std::string> all_args) {
  CheckArguments arguments;
  std::vector<std::string> args(all_args.begin(), all_args.end());
  if (const auto wrong = TakeCheckArguments(&args, &arguments)) {
    return Fail(kExitUsage, "check", *wrong + ".");
  }
  config::Schema schema;
  ProductOptions options;
  const std::string anonymous = options.spider.fetch.user_agent;
  SetCheckDefaults(&options);
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    return Fail(kExitUsage, "check", MessageOf(loaded));
  }
  if (const auto unknown = UnknownOption(args)) {
    return Fail(kExitUsage, "check",
                WrongOption(kHelp, *unknown) + ". `orbweaver check --help` lists the options.");
  }
  if (args.size() != 1) {
    return Fail(kExitUsage, "check",
                "one list of URLs is needed: a file, or - for standard input.");
  }
  arguments.input = args[0];
  if (arguments.results.empty()) {
    arguments.results =
        arguments.input == "-"
            ? "-"
            : std::filesystem::path(arguments.input).filename().string() + ".checked.jsonl";
  }
  SpiderOptions named = options.spider;
  if (const absl::Status name = NameCrawler(&named); !name.ok()) {
    return Fail(kExitUsage, "check", MessageOf(name));
  }
  arguments.settings.robots = named.robots;
  arguments.settings.limits.back_off = options.spider.politeness.back_off;
  if (options.spider.fetch.user_agent == anonymous) {
    PrintError(
        "Site owners cannot tell who you are: give --user-agent 'NAME (+URL or mail "
        "address)'.\n");
  }
  std::string go_on = "orbweaver check";
  for (const std::string& arg : all_args) {
    if (arg != "--restart") go_on += " " + ShellQuoted(arg);
  }
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  const int code = Check(arguments, options, go_on, stop);
  signals.Stop();
  FlushLog();
  return code;
}

}  // namespace

Command CheckCommand() {
  return {.name = "check",
          .summary = "Are these URLs alive? A list of any length, and no site suffers",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
