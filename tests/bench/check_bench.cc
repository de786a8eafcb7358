// What checking a URL costs, and what a list takes.
//
// The answering side is a small server in processes of its own, at an address of loopback a host.
#include <fstream>
#include <memory>
#include <optional>
#include <string>

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

namespace orbweaver {
namespace {

std::string UrlOf(size_t host, size_t page, int port) {
  return fmt::format("http://127.{}.{}.{}:{}/page/{}", 1 + host / 62500, host / 250 % 250,
                     1 + host % 250, port, page);
}

// A list in a file, its check with everything but the command line, the results in a file.
class Checks {
 public:
  Checks(const std::string& file, int port, uint32_t at_once, size_t max_idle) {
    network_.allow_networks = {"127.0.0.0/8"};
    network_.ports = {std::to_string(port)};
    fetch_.max_idle = max_idle;
    fetch_.first_byte_timeout = fetch_.total_timeout = std::chrono::minutes(10);
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
    fetcher_ = HttpFetcher::Create(network_, fetch_).value();
    engine_.emplace(
        settings_, std::move(urls), [this](const ListedUrl& url) { return list_->TextOf(url); },
        resolver_, *fetcher_, SystemClock(), [this](const CheckResult& result) { Take(result); });
  }

  void RunAll() {
    while (!engine_->done()) {
      engine_->Step(SystemClock().Now() + std::chrono::milliseconds(200));
      CHECK_OK(log_->Flush());
    }
  }
  uint64_t alive() const { return alive_; }
  uint64_t failed() const { return failed_; }

 private:
  void Take(const CheckResult& result) {
    ++(result.verdict == CheckVerdict::kAlive ? alive_ : failed_);
    line_.clear();
    AppendResultLine(result, &line_);
    log_->Add(line_, RecordOf(result));
  }

  NetworkOptions network_;
  FetchOptions fetch_;
  CheckSettings settings_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  std::unique_ptr<UrlList> list_;
  std::unique_ptr<ResultLog> log_;
  std::unique_ptr<HttpFetcher> fetcher_;
  std::optional<CheckEngine> engine_;
  std::string line_;
  uint64_t alive_ = 0;
  uint64_t failed_ = 0;
};

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
  Checks checks(file, server.port(), 2000, /*max_idle=*/2000);
  checks.RunAll();
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

void CheckBench(BenchReport& report) {
  ListCase(report);
  RateCase(report);
}

ORBWEAVER_BENCH("check", CheckBench);

}  // namespace
}  // namespace orbweaver
