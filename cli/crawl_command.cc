// `orbweaver crawl`: all workers in this process, on one folder.
// The parts of its steps stand in cli/crawl/. Past 400 lines, ninety of which are its help.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/crawl/crawl_admin.h"
#include "cli/crawl/crawl_arguments.h"
#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/crawl_mirror.h"
#include "cli/crawl/crawl_notices.h"
#include "cli/crawl/crawl_options.h"
#include "cli/crawl/crawl_outcome.h"
#include "cli/crawl/crawl_plan.h"
#include "cli/crawl/crawl_recorder.h"
#include "cli/crawl/crawl_run.h"
#include "cli/crawl/crawl_seeds.h"
#include "cli/crawl/crawl_summary.h"
#include "cli/crawl/crawl_view.h"
#include "cli/crawl/crawl_watch.h"
#include "cli/crawl/local_crawl.h"
#include "cli/crawl/network_arguments.h"
#include "cli/crawl/newly_allowed.h"
#include "cli/crawl/output_arguments.h"
#include "cli/crawl/recording_origin.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/outcomes_file.h"
#include "cli/frontier/queue_sample.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/runtime/secret.h"
#include "common/runtime/signal_watcher.h"
#include "common/scope/scope_options.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver crawl SEED… [OPTIONS]
       orbweaver crawl --seeds FILE|- [OPTIONS]

Crawls from these URLs, politely, with no server to start. Everything it knows is in one folder,
and how the crawl was made too: `orbweaver crawl --data DIR` alone goes on where it stood, in the
same way, after Ctrl-C, a crash or kill -9. Options given again count instead, and are kept; limits
of a run are not. It ends by itself when nothing is left, or nothing is due soon.

  --data DIR                 that folder; ./crawl-data/SITE, or the only crawl in ./crawl-data
  --seeds FILE               a URL a line; - for standard input
  --add                      add these seeds to the crawl that the folder has
  --strategy NAME|FILE.py|FILE.so
                             what to crawl, in which order; `orbweaver strategy list`
  --param NAME=VALUE         a parameter of it; `orbweaver strategy describe NAME`. Or behind its
                             name: --strategy NAME:PARAM=VALUE,PARAM=VALUE
  --explore 5%               this share of each domain's pages is drawn by lot from those that the
                             strategy ranks low: a recording then says what they are worth

scope:
  --scope KIND               which links to follow: to domain (the default), host or path of a seed,
                             or everything; path: at or below a seed
  --everything               --scope everything; give it a bound, such as --max-pages
  --include PATTERN          of those only URLs that match: example.com, *.example.com, :8080,
                             /blog/*, *.pdf, https://example.com/a/*, re:EXPRESSION
  --exclude PATTERN          no URL that matches, a seed neither; each may be given again and again
  --assets                   also what these pages embed, wherever it lies (images, styles, scripts,
                             icons, fonts, media), which counts as no page; and the PDFs and images
                             that they link to
  --sitemaps only|also|no    the pages that sitemaps list and no links; sitemaps beside links; none;
                             else as the strategy does
  --depth N                  follow links so many times from a seed
  --max-pages-per-domain N   no more requests to any registered domain

speed:
  --delay TIME               between two requests to a domain; 1s
  --rate N/s                 all requests of this crawl together; also N/min, N/h
  --per-host N               requests to a registered domain at the same time; 1
  --threads N                that fetch and parse; 1

identity and network:
  --user-agent TEXT          who you are; with an address where site owners can reach you
  --from MAIL                the From header: where you can be reached
  --header HOST 'NAME: VALUE'  a header for this host alone; HOST:PORT where its URLs have a port
  --cookies FILE             cookies.txt as browsers' extensions, curl and wget write it; each cookie
                             goes to its own site only, until it expires
  --proxy URL                http://[USER:PASSWORD@]HOST:PORT; or socks5://, which is told the names
  --ports LIST               ports that URLs may have; 80,443,8080,8443
  --ignore-robots HOST       for your own site: its robots.txt forbids nothing

failures:
  --timeout TIME             for the whole of a fetch; 60s
  --max-size BYTES           read so much of a page, and cut it off there; 4MiB
  --retries N                further tries after failures that may pass; 2
  --retry-delay TIME         before the first of them; twice as long before each further one; 30s
  --keep-going               when the strategy fails on an event: keep the event in dead-letter and
                             go on, instead of stopping

limits of this run:
  --max-pages N              stop after so many pages, and those being fetched
  --duration TIME            stop after so long: 30m, 2h
  --max-failures N           stop when more than so many fetches have failed
  --max-wait TIME            end when nothing is due for longer than this: retries, revisits; 1h

output:
  --out DIR                  write there: WARC files, each with its index (CDXJ); pages-….jsonl and
                             links-….jsonl, a line for each page; failures-….jsonl, a line for each
                             fetch that failed, with the page that linked there
  --out-format FORMAT        of those lines: jsonl, jsonl.zst for compressed files, or parquet for
                             tables; jsonl
  --keep-header NAME         a header of the answer for the lines of pages, besides cache-control,
                             content-language, content-type, etag, last-modified and server
  --text                     texts-….jsonl too: what people read of each page
  --markdown                 the same as Markdown
  --mirror                   the pages as files, DIR/HOST/path as wget lays them out, instead of WARC
                             files
  --convert-links            at the end make their links lead from file to file, to read them offline
  --record DIR               record the crawl's logs there: to look at with SQL, and to replay other
                             strategies on; `orbweaver record --help`
  --archive-errors           the bodies of error pages (4xx, 5xx) too
  --operator TEXT            who crawls, for those who read the WARC files
  --json                     the closing summary as JSON

  --console ADDR             IP:PORT of the running crawl's console: a page for a browser, a JSON API,
                             /metrics and /healthz; any free port of 127.0.0.1. Commands such as
                             `orbweaver block` find it in the folder
  --no-console               answer nowhere

  --dry-run                  say what would be done, and do nothing
  --config FILE              read options from a file
  --set NAME=VALUE           any option; `orbweaver config reference` lists them
  --help                     this text

On a terminal it shows how it goes; elsewhere it says so every ten seconds on standard error. Ctrl-C
finishes what is being fetched; a second one ends at once, which loses nothing either.

Exit code: 0 nothing is left; 1 the program failed; 2 wrong options or seeds, nothing was done; 3 not
one page could be fetched; 4 a limit was reached or it was stopped; 5 more than --max-failures; 124 it
was stopped and did not end in time; 130, 143 or 129 a second Ctrl-C, SIGTERM or SIGHUP.
)";

constexpr Duration kDrawEvery = std::chrono::milliseconds(200);
constexpr Duration kLineEvery = std::chrono::seconds(10);
constexpr Duration kLookEvery = std::chrono::milliseconds(250);
// While nothing is due and nobody watches a terminal.
constexpr Duration kIdleLook = std::chrono::seconds(1);
constexpr Duration kStopDeadline = std::chrono::seconds(60);
// Of a larger queue the rest is estimated: nobody wants to wait for it.
constexpr uint64_t kMaxDomainsCounted = 20'000;
constexpr uint64_t kMaxPutByCounted = 100'000;
// Another crawl may be completing its own in the same folder.
constexpr Duration kMirrorPatience = std::chrono::minutes(10);
constexpr Duration kCountTimeout = std::chrono::minutes(1);

// Whether anything ends a crawl that follows every link.
bool IsBounded(const CrawlArguments& arguments, const ProductOptions& options) {
  const auto& params = options.strategy.params;
  return arguments.max_pages > 0 || arguments.duration > Duration::zero() ||
         params.contains("max_depth") || params.contains("max_pages") ||
         !options.spider.scope.include.empty();
}

// How much of the nearest limit is used up.
std::optional<double> DoneOf(const CrawlArguments& arguments, const CrawlTally& tally,
                             Duration elapsed) {
  std::optional<double> done;
  if (arguments.max_pages > 0) {
    done = static_cast<double>(tally.pages()) / static_cast<double>(arguments.max_pages);
  }
  if (arguments.duration > Duration::zero()) {
    const double share = std::chrono::duration<double>(elapsed).count() /
                         std::chrono::duration<double>(arguments.duration).count();
    done = std::max(done.value_or(0), share);
  }
  return done;
}

// Whether what is drawn can be drawn over.
bool CanDraw() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

// Shows how it goes: on a terminal always anew, elsewhere a line now and then.
class Progress {
 public:
  Progress() : on_terminal_(CanDraw()), view_(STDERR_FILENO) {}

  bool on_terminal() const { return on_terminal_; }

  void ShowConsole(std::string address) { console_ = std::move(address); }

  void Show(CrawlSnapshot look) {
    look.console = console_;
    run_.Set(look);
    if (on_terminal_) return view_.Draw(look);
    PrintError("{}\n", DrawLine(look));
  }
  // For the console.
  void Look(CrawlSnapshot look) { run_.Set(std::move(look)); }
  const CrawlRun& run() const { return run_; }
  // The live view shows such things by itself.
  void Tell(const std::vector<std::string>& news) const {
    for (const std::string& line : news) {
      if (!on_terminal_) PrintError("{}\n", line);
    }
  }
  Duration interval() const { return on_terminal_ ? kDrawEvery : kLineEvery; }

 private:
  const bool on_terminal_;
  LiveView view_;
  std::string console_;
  CrawlRun run_;
};

// Follows the crawl to its end; why it ended.
absl::StatusOr<std::string> Watch(const CrawlArguments& arguments, const StopRequest& stop,
                                  LocalCrawl& crawl, CrawlWatch& watch, Progress& progress,
                                  bool* finished, uint64_t* kept_back) {
  CrawlNotices notices;
  const SteadyTime start = SystemClock().Now();
  SteadyTime next_show = start + progress.interval();
  SteadyTime next_look = start + kLookEvery;
  while (true) {
    const bool rests = watch.is_idle() && !progress.on_terminal();
    if (rests) stop.WaitFor(kIdleLook);
    RETURN_IF_ERROR(watch.Follow(rests ? Duration::zero() : kDrawEvery));
    const SteadyTime now = SystemClock().Now();
    if (stop.requested()) return "it was stopped";
    if (crawl.failed().requested()) return "a worker failed";
    if (arguments.max_pages > 0 && watch.tally().pages() >= arguments.max_pages) {
      return "--max-pages is reached";
    }
    if (watch.tally().failed() > arguments.max_failures) return "--max-failures is exceeded";
    if (arguments.duration > Duration::zero() && now - start >= arguments.duration) {
      return "--duration is over";
    }
    if (now >= next_look) {
      next_look = now + kLookEvery;
      ASSIGN_OR_RETURN(const auto idle_until, watch.IdleUntil());
      *finished = idle_until == WallTime::max();
      if (*finished) return "nothing is left";
      if (idle_until.has_value() && *idle_until - SystemClock().Wall() > arguments.max_wait) {
        return "nothing is due for longer than --max-wait";
      }
      const auto no_way_out = crawl.NoWayOut();
      CrawlSnapshot look = watch.Snapshot("crawling", std::nullopt);
      progress.Tell(notices.NewsOf(look, no_way_out));
      progress.Look(std::move(look));
      if (no_way_out &&
          GivesUpWaiting(now - no_way_out->since, watch.tally().fetched(), arguments.max_wait)) {
        *kept_back = std::max<uint64_t>(1, crawl.held());
        return fmt::format("{}. {}", no_way_out->message, RemedyFor(no_way_out->side));
      }
    }
    if (now >= next_show) {
      next_show = now + progress.interval();
      progress.Show(watch.Snapshot("crawling", DoneOf(arguments, watch.tally(), now - start)));
    }
  }
}

// Counts the requests that the next run will find: in their last steps the workers have stored
// everything that was in flight between them.
absl::Status CountWhatIsLeft(LocalCrawl& crawl, CrawlWatch& watch, CrawlEnd* end) {
  ASSIGN_OR_RETURN(const QueueSample queue,
                   SampleQueue(crawl.store(), crawl.partitions(), kMaxDomainsCounted,
                               SystemClock().Wall(), kCountTimeout));
  AddQueue(queue.partitions, &end->last);
  end->queue_is_exact = queue.exact();
  ASSIGN_OR_RETURN(end->handed_out, watch.HandedOut());
  const WantedFailures put_by{
      .domain = {},
      .causes = {FailureCause::kPort, FailureCause::kPrivateAddress, FailureCause::kProxy},
      .status = {}};
  ASSIGN_OR_RETURN(end->put_by, CountFailures(crawl.store(), put_by, kMaxPutByCounted));
  return absl::OkStatus();
}

// The strategy's thread can be neither ended nor waited for.
[[noreturn]] void EndAtOnce(const absl::Status& result) {
  FlushLog();
  std::fflush(stdout);
  std::_Exit(Fail(kExitFailed, "crawl", MessageOf(result)));
}

// One that another crawl has in this folder is its own.
absl::Status FinishMirror(const ProductOptions& options, bool json) {
  ASSIGN_OR_RETURN(const std::string mirror, CompleteMirror(options, kMirrorPatience));
  if (json) {
    PrintError("{}", mirror);
  } else {
    Print("{}", mirror);
  }
  return absl::OkStatus();
}

absl::StatusOr<CrawlOutcome> Crawl(const CrawlArguments& arguments, const ProductOptions& options,
                                   const config::Schema& schema,
                                   const std::vector<OptionChange>& changes, const SeedList& seeds,
                                   StopRequest& stop) {
  const CrawlFolder folder(arguments.data);
  std::error_code unmade;  // opening says it better
  std::filesystem::create_directories(arguments.data, unmade);
  ASSIGN_OR_RETURN(const auto crawl, LocalCrawl::Open(options, arguments.data));
  ASSIGN_OR_RETURN(const uint64_t allowed, RequeueNewlyAllowed(changes, *crawl));
  if (allowed > 0) {
    PrintError("{} that waited for other options {} tried again.\n", Count(allowed, "URL"),
               allowed == 1 ? "is" : "are");
  }
  RETURN_IF_ERROR(folder.KeepOptions(schema));
  ASSIGN_OR_RETURN(const auto recorder,
                   CrawlRecorder::Start(options.record, OriginOf(options, schema, arguments.data),
                                        crawl->bus(), crawl->suffixes(), crawl->partitions()));
  ASSIGN_OR_RETURN(const auto watch,
                   CrawlWatch::Create(*crawl, recorder.get(), OutcomesFile(arguments.data)));
  RETURN_IF_ERROR(AddSeeds(arguments, options, folder, seeds, crawl->bus(), crawl->suffixes()));
  std::unique_ptr<CrawlAdmin> admin;
  Progress progress;
  RemoveContact(arguments.data);  // of a run that was killed
  if (!arguments.no_console) {
    ASSIGN_OR_RETURN(
        admin, CrawlAdmin::Start(options, schema, folder, progress.run(), watch->recent(), *crawl));
    progress.ShowConsole(admin->url());
    if (IsConfigured(schema, "admin.port")) {
      PrintError("The admin server answers on {}.\n", admin->address());
    }
  }
  crawl->Start();
  CrawlEnd end{.allowed_ports = options.spider.network.ports,
               .allowed_hosts = options.spider.network.allow_hosts,
               .data = arguments.data.string(),
               .files = options.spider.archive.folder,
               .robots_ignored_on = options.spider.robots.ignore_hosts};
  uint64_t kept_back = 0;  // requests that had no way out
  const auto why = Watch(arguments, stop, *crawl, *watch, progress, &end.finished, &kept_back);
  if (why.ok() && !end.finished) progress.Show(watch->Snapshot("draining", std::nullopt));
  absl::Status result = crawl->Stop();
  result.Update(why.status());
  // Counts the fetches that the spider finished while it was draining.
  const CrawlTally& tally = watch->tally();
  for (uint64_t before = UINT64_MAX; before != tally.fetched();) {
    before = tally.fetched();
    result.Update(watch->Follow(Duration::zero()));
  }
  watch->KeepOutcomes();
  if (recorder != nullptr) result.Update(recorder->Finish());
  result.Update(watch->Trim());
  end.last = watch->Snapshot("ended", std::nullopt);
  end.scope = options.spider.scope.kind;
  end.sitemaps = options.spider.scope.sitemaps;
  end.out_of_scope = crawl->out_of_scope();
  end.dead_letter_causes = watch->dead_letters().causes();
  result.Update(CountWhatIsLeft(*crawl, *watch, &end));
  end.why = why.ok() ? *why : "something failed";
  end.outcome = OutcomeOf({.finished = end.finished,
                           .pages = tally.fetched(),
                           .failures = tally.failed(),
                           .seeds_led_away = !tally.seed_redirects().empty(),
                           .kept_back = kept_back + tally.put_by(),
                           .max_failures = arguments.max_failures});
  if (progress.on_terminal()) progress.Show(end.last);
  Print("{}", arguments.json ? SummaryJson(end, tally) + "\n" : SummaryText(end, tally));
  if (crawl->is_stuck()) EndAtOnce(result);
  RETURN_IF_ERROR(result);
  if (options.spider.archive.mirror) RETURN_IF_ERROR(FinishMirror(options, arguments.json));
  return end.outcome;
}

// Without --data: the crawl of these seeds' site; without seeds, or with some to add, the only
// crawl that is here. `args` are those that TakeCrawlArguments left.
absl::Status NameFolder(std::vector<std::string> args, CrawlArguments* arguments) {
  if (!arguments->data.empty()) return absl::OkStatus();
  for (const std::string_view option : {"--set", "--config"}) TakeValues(&args, option);
  std::erase_if(args, [](const std::string& arg) { return arg.starts_with('-'); });
  const bool has_seeds = !args.empty() || !arguments->seed_files.empty();
  if (has_seeds && !arguments->add) {
    arguments->data = FolderForSeeds(args, arguments->seed_files);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const auto folder, OnlyCrawlHere());
  arguments->data = folder.value_or(kCrawlsFolder);
  return absl::OkStatus();
}

// Of crawls without a bound, and without a name.
void WarnOfOptions(const CrawlArguments& arguments, const ProductOptions& options,
                   const std::string& anonymous) {
  if (options.spider.scope.kind == ScopeKind::kEverything && !IsBounded(arguments, options)) {
    PrintError(
        "--scope everything follows links to every site and has no bound: --max-pages, "
        "--duration, --depth or --max-pages-per-domain is one.\n");
  }
  if (options.spider.fetch.user_agent == anonymous) {
    PrintError(
        "Site owners cannot tell who you are: give --user-agent 'NAME (+URL or mail "
        "address)'.\n");
  }
}

int Run(std::span<const std::string> all_args) {
  CrawlArguments arguments;
  std::vector<std::string> args(all_args.begin(), all_args.end());
  if (const auto wrong = TakeCrawlArguments(&args, &arguments))
    return Fail(kExitUsage, "crawl", *wrong);
  config::Schema schema;
  ProductOptions options;
  const std::string anonymous = options.spider.fetch.user_agent;
  if (const absl::Status named = NameFolder(args, &arguments); !named.ok()) {
    return Fail(kExitUsage, "crawl", MessageOf(named));
  }
  const CrawlFolder folder(arguments.data);
  const auto changes = LoadCrawlOptions(folder, arguments, &args, schema, &options);
  if (!changes.ok()) return Fail(kExitUsage, "crawl", AsGiven(MessageOf(changes.status())));
  if (const auto unknown = UnknownOption(args)) {
    return Fail(kExitUsage, "crawl",
                WrongOption(kHelp, *unknown) + ". `orbweaver crawl --help` lists the options.");
  }
  arguments.seeds = std::move(args);
  if (!arguments.has_seeds() && folder.options_file().empty()) {
    return Fail(kExitUsage, "crawl",
                fmt::format("no seed, and no crawl in {} to go on with. `orbweaver crawl "
                            "https://example.com/` begins one.",
                            arguments.data.string()));
  }
  absl::Status checked = CheckCrawlOptions(options, schema);
  checked.Update(CheckNetworkOptions(options));
  checked.Update(CheckSeeds(arguments, options));
  checked.Update(CheckOutputs(options.spider.archive));
  checked.Update(AllowSeedHosts(arguments.seeds, schema, &options));
  if (!checked.ok()) return Fail(kExitUsage, "crawl", MessageOf(checked));
  SeedList seeds;
  if (arguments.has_seeds()) {
    const auto listed = ListSeeds(arguments.seeds, arguments.seed_files);
    if (!listed.ok()) return Fail(kExitUsage, "crawl", MessageOf(listed.status()));
    seeds = *listed;
    const absl::Status belong = CheckSeedsBelong(arguments, options, folder, seeds);
    if (!belong.ok()) return Fail(kExitUsage, "crawl", fmt::format("{}.", MessageOf(belong)));
  }
  TellChanges(*changes);
  TellNetworkOptions(options);
  WarnOfOptions(arguments, options, anonymous);
  if (arguments.dry_run) {
    PrintPlan(arguments, options);
    return kExitOk;
  }
  if (!IsConfigured(schema, "log.level")) {
    // The workers' notes are for whoever asks for them.
    options.log.level = LogLevel::kWarning;
    ConfigureLog(options.log);
  }
  if (const absl::Status may = CheckConsoleOptions(options.console, options.process.admin.token,
                                                   options.process.admin.listen);
      !arguments.no_console && !may.ok()) {
    return Fail(kExitUsage, "crawl", fmt::format("--console: {}", MessageOf(may)));
  }
  if (options.process.admin.token.empty()) options.process.admin.token = NewSecret();
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  const absl::StatusOr<CrawlOutcome> result =
      Crawl(arguments, options, schema, *changes, seeds, stop);
  signals.Stop();
  FlushLog();
  return result.ok() ? ExitCodeOf(*result) : Fail(kExitFailed, "crawl", MessageOf(result.status()));
}

}  // namespace

Command CrawlCommand() {
  return {.name = "crawl",
          .summary = "Crawl from these URLs, on this machine, with no server to start",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
