// The cost of checking a URL, and the memory of a list.
//
// The answering side is a small server in processes of its own, at an address of loopback a host.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "cli/check/check_engine.h"
#include "cli/check/result_log.h"
#include "cli/check/url_list.h"
#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/domain.h"
#include "spider/fetch/http_fetcher.h"
#include "tests/bench/bench.h"
#include "tests/bench/heap.h"
#include "tests/bench/holding_server.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/simulated_fetcher.h"

namespace orbweaver {
namespace {

std::string UrlOf(size_t host, size_t page, int port) {
  return fmt::format("http://127.{}.{}.{}:{}/page/{}", 1 + host / 62500, host / 250 % 250,
                     1 + host % 250, port, page);
}

// A list in a file, its check with everything but the command line, the results in a file.
class Checks {
 public:
  Checks(const std::string& file, uint32_t at_once, Fetcher& fetcher, const Clock& clock)
      : clock_(clock) {
    settings_.limits.at_once = at_once;
    list_ = UrlList::Open(file, 0).value();
    log_ =
        ResultLog::Open(file + ".results", {.digest = "", .options = ""}, [](const CheckRecord&) {
        }).value();
    ListedUrls urls;
    ListCounts counts;
    CHECK_OK(list_->Read(
        resolver_, [](uint32_t) { return false; }, [](uint32_t, std::string_view, UrlError) {},
        &urls, &counts));
    engine_.emplace(
        settings_, std::move(urls), [this](const ListedUrl& url) { return list_->TextOf(url); },
        resolver_, fetcher, clock_, [this](const CheckResult& result) { Take(result); });
  }

  // To the end, or until so many are over.
  void Run(uint64_t most = UINT64_MAX) {
    while (!engine_->done() && alive_ + failed_ < most) {
      engine_->Step(clock_.Now() + std::chrono::milliseconds(200));
      CHECK_OK(log_->Flush());
    }
  }
  uint64_t alive() const { return alive_; }

 private:
  void Take(const CheckResult& result) {
    ++(result.verdict == CheckVerdict::kAlive ? alive_ : failed_);
    line_.clear();
    AppendResultLine(result, &line_);
    log_->Add(line_, RecordOf(result));
  }

  const Clock& clock_;
  CheckSettings settings_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  std::unique_ptr<UrlList> list_;
  std::unique_ptr<ResultLog> log_;
  std::optional<CheckEngine> engine_;
  std::string line_;
  uint64_t alive_ = 0;
  uint64_t failed_ = 0;
};

// Of addresses of loopback at this port, patiently.
std::unique_ptr<HttpFetcher> NewFetcher(int port, size_t max_idle) {
  NetworkOptions network;
  network.allow_networks = {"127.0.0.0/8"};
  network.ports = {std::to_string(port)};
  FetchOptions fetch;
  fetch.max_idle = max_idle;
  fetch.first_byte_timeout = fetch.total_timeout = std::chrono::minutes(10);
  return HttpFetcher::Create(network, fetch).value();
}

// The list, sorted by host as lists are.
std::string WriteList(const ScratchFolder& folder, std::string_view name, size_t first_host,
                      size_t hosts, size_t pages, int port) {
  const std::string file = folder.path() / name;
  std::ofstream stream(file);
  for (size_t host = first_host; host < first_host + hosts; ++host) {
    for (size_t page = 0; page < pages; ++page) stream << UrlOf(host, page, port) << '\n';
  }
  return file;
}

void RateCase(BenchReport& report) {
  const ScratchFolder folder;
  HoldingServer server(1, /*hold=*/false);
  // Three URLs a host, at one a second each: the pressure of a host is kept.
  constexpr size_t kHosts = 30'000, kPages = 3;
  const std::string file = WriteList(folder, "urls", 0, kHosts, kPages, server.port());
  const CpuTimer timer;
  const auto fetcher = NewFetcher(server.port(), /*max_idle=*/2000);
  Checks checks(file, 2000, *fetcher, SystemClock());
  checks.Run();
  constexpr size_t kUrls = kHosts * kPages;
  if (checks.alive() != kUrls) {
    return report.Fail("check_urls", fmt::format("{} of {} are alive", checks.alive(), kUrls));
  }
  const double wall = timer.WallSeconds();
  report.AddRate("check_urls", kUrls, "urls/cpu_s", timer, "CPU: the kernel's side of connecting");
  report.Add("check_urls_wall", kUrls / wall, "urls/s", 0, wall,
             "wall time, beside the server on the same cores");
}

void ListCase(BenchReport& report) {
  const ScratchFolder folder;
  constexpr size_t kHosts = 100'000, kPages = 10;
  const std::string file = WriteList(folder, "urls", 0, kHosts, kPages, 80);
  const auto suffixes = PublicSuffixes::Load({}).value();
  UrlResolver resolver(UrlOptions(), *suffixes);
  const size_t before = HeapBytes();
  const CpuTimer timer;
  const auto list = UrlList::Open(file, 0).value();
  ListedUrls urls;
  ListCounts counts;
  CHECK_OK(list->Read(
      resolver, [](uint32_t) { return false; }, [](uint32_t, std::string_view, UrlError) {}, &urls,
      &counts));
  CHECK(urls.urls.size() == kHosts * kPages);
  report.AddRate("check_list", kHosts * kPages, "urls/cpu_s", timer, "CPU: parsing URLs, sorting");
  report.Add("check_list_memory",
             static_cast<double>(HeapBytes() - before) / static_cast<double>(kHosts * kPages),
             "bytes/url", 0, 0, "heap that stays, 10 URLs a host");
}

// Resident bytes of a process; the last page of what the kernel shows is enough for a bench.
double ResidentBytes(pid_t process) {
  std::ifstream statm(fmt::format("/proc/{}/statm", process));
  double pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// As many connections at once as 50,000, or as the limit of open files lets so many processes have:
// each is asked a URL of its own, and none is answered before all are held.
void HeldCase(BenchReport& report) {
  constexpr size_t kWanted = 50'000, kMostEngines = 4, kSpareFiles = 300;
  rlimit files{};
  CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = files.rlim_max;
  CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
  const size_t most = std::min<size_t>(files.rlim_max - kSpareFiles, kWanted);
  const size_t engines = std::min(kMostEngines, (kWanted + most - 1) / most);
  const size_t each = std::min(most, kWanted / engines);
  const size_t total = engines * each;
  const ScratchFolder folder;
  // The kernel deals connections out unevenly.
  HoldingServer server(static_cast<int>(engines + 2), /*hold=*/true);
  std::vector<pid_t> children;
  for (size_t i = 0; i < engines; ++i) {
    const std::string file =
        WriteList(folder, fmt::format("urls{}", i), i * each, each, 1, server.port());
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const auto fetcher = NewFetcher(server.port(), /*max_idle=*/1);
      Checks checks(file, static_cast<uint32_t>(each), *fetcher, SystemClock());
      checks.Run();
      _exit(checks.alive() == each ? 0 : 1);
    }
    children.push_back(child);
  }
  const CpuTimer timer;
  while (server.held() < total && timer.WallSeconds() < 300) usleep(20'000);
  const size_t held = server.held();
  const double wall = timer.WallSeconds();
  double resident = 0;
  for (const pid_t child : children) resident += ResidentBytes(child);
  server.Release();
  bool all_alive = true;
  for (const pid_t child : children) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    all_alive = all_alive && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  if (held < total || !all_alive) {
    return report.Fail("check_held", fmt::format("{} of {} connections were held", held, total));
  }
  const std::string limit =
      fmt::format("{} engine processes; {} open files a process", engines, files.rlim_max);
  report.Add("check_held", static_cast<double>(held), "connections", 0, wall, limit);
  report.Add("check_held_resident", resident, "bytes", 0, 0, "of all engine processes");
  report.Add("check_held_connection", resident / static_cast<double>(held), "bytes/connection", 0,
             0, "resident, the programs themselves counted");
}

// Ten million URLs whose answers cost nearly nothing, in virtual time: memory does not grow with
// what was checked.
void LongCase(BenchReport& report) {
  const ScratchFolder folder;
  constexpr size_t kHosts = 1'000'000, kPages = 10, kUrls = kHosts * kPages;
  const std::string file = WriteList(folder, "urls", 0, kHosts, kPages, 80);
  ManualClock clock;
  SimulatedFetcher fetcher(clock, [](FetchId, std::string_view) { return SimulatedAnswer(); });
  const CpuTimer timer;
  Checks checks(file, 1000, fetcher, clock);
  for (const size_t checked : {size_t{100'000}, size_t{1'000'000}, kUrls}) {
    checks.Run(checked);
    report.Add(fmt::format("check_resident_after_{}k", checked / 1000), ResidentBytes(getpid()),
               "bytes", 0, 0, "this process: the list in memory, buffers");
  }
  if (checks.alive() != kUrls) {
    return report.Fail("check_long", fmt::format("{} of {} are alive", checks.alive(), kUrls));
  }
  report.AddRate("check_long", kUrls, "urls/cpu_s", timer,
                 "CPU: the engine and its files, no network");
}

void CheckBench(BenchReport& report) {
  HeldCase(report);  // first: its processes begin with what this one has
  ListCase(report);
  RateCase(report);
  LongCase(report);
}

ORBWEAVER_BENCH("check", CheckBench);

}  // namespace
}  // namespace orbweaver
