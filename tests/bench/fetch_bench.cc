// The cost of fetching a page for the spider's process, without parsing and publishing.
//
// The web is served by a child process, so that CPU and memory of this one are the fetcher's alone,
// the kernel's work for its sockets included.
#include <deque>
#include <functional>
#include <string>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/url/domain.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/http_fetcher.h"
#include "tests/bench/bench.h"
#include "tests/bench/heap.h"
#include "tests/bench/served_web.h"

namespace orbweaver {
namespace {

constexpr uint32_t kHosts = 1000;
constexpr uint32_t kPagesPerHost = 100;

class Load : public FetchListener {
 public:
  Load(const ServedWeb& web, const FetchOptions& options, bool tls, bool by_proxy = false) {
    NetworkOptions network;
    network.allow_networks = {"127.0.0.0/8"};
    network.hosts["*"] = fmt::format("127.0.0.1:{}", tls ? web.tls_port() : web.port());
    if (by_proxy) network.proxy = fmt::format("http://127.0.0.1:{}", web.port());
    FetchOptions fetch = options;
    fetch.authorities_file = web.authority_file();
    fetcher_ = HttpFetcher::Create(network, fetch).value();
    Random random(1);
    while (urls_.size() < 20'000) {
      urls_.push_back(web.Url(static_cast<uint32_t>(random.Below(kHosts)),
                              static_cast<uint32_t>(random.Below(kPagesPerHost))));
      // Clients tell a server of TLS only names, and without one the web does not know its host.
      if (IsIpAddress(SplitFetchUrl(urls_.back())->host)) urls_.pop_back();
    }
  }

  // Fetches `pages` pages, so many at a time.
  void Run(size_t pages, size_t at_once) {
    left_ = pages;
    done_ = 0;
    for (size_t i = 0; i < at_once && left_ > 0; ++i) Next();
    while (done_ < pages) fetcher_->Run(SteadyTime::max(), *this);
  }
  // Only begins them.
  void Begin(size_t pages) {
    left_ = pages;
    while (left_ > 0) Next();
  }
  void RunFor(Duration duration) {
    const SteadyTime until = SystemClock().Now() + duration;
    while (SystemClock().Now() < until) fetcher_->Run(until, *this);
  }

  FetchStats stats() const { return fetcher_->stats(); }
  uint64_t failed() const { return failed_; }

 private:
  void Next() {
    --left_;
    fetcher_->Fetch(FetchId(next_), {.url = urls_[next_ % urls_.size()]});
    ++next_;
  }
  void OnResolved(const Resolution&) override {}
  void OnFetched(FetchResult& result) override {
    ++done_;
    if (result.failure || result.status != 200) ++failed_;
    if (left_ > 0) Next();
  }

  std::unique_ptr<HttpFetcher> fetcher_;
  std::vector<std::string> urls_;
  uint64_t next_ = 0;
  size_t left_ = 0;
  size_t done_ = 0;
  uint64_t failed_ = 0;
};

void Pages(BenchReport& report, std::string_view name, const ServedWeb& web,
           const FetchOptions& options, size_t pages, bool tls, bool by_proxy,
           std::string_view limit) {
  Load load(web, options, tls, by_proxy);
  load.Run(2000, 256);  // connections, sessions
  const CpuTimer timer;
  load.Run(pages, 256);
  if (load.failed() > 0) return report.Fail(name, fmt::format("{} fetches failed", load.failed()));
  report.AddRate(name, static_cast<double>(pages), "pages/cpu_s", timer, limit);
}

// The memory of a connection that waits for its host's next request.
void IdleConnection(BenchReport& report, std::string_view name, const ServedWeb& web,
                    FetchOptions options, bool tls, std::string_view what) {
  options.max_idle_per_host = 900;
  Load load(web, options, tls);
  load.Run(100, 10);
  const size_t before = HeapBytes();
  const size_t connections = load.stats().idle_connections;
  load.Run(4000, 1000);
  const size_t more = load.stats().idle_connections - connections;
  report.Add(name, static_cast<double>(HeapBytes() - before) / static_cast<double>(more), "bytes",
             0, 0, fmt::format("heap, over {} connections: {}", more, what));
}

synthetic::WebOptions Web() { return {.hosts = kHosts, .pages_per_host = kPagesPerHost}; }

void PlainBench(BenchReport& report) {
  const ServedWeb web(Web());
  const FetchOptions kept{.max_idle = 4 * kHosts};
  Pages(report, "http_20kb", web, kept, 100'000, false, false, "CPU: the kernel's side of sockets");
  Pages(report, "http_20kb_proxy", web, kept, 50'000, false, true, "CPU: likewise");
  Pages(report, "http_20kb_new_connections", web, {.max_idle = 0}, 30'000, false, false,
        "CPU: the kernel's side of connecting");
  IdleConnection(report, "http_idle_connection", web, {.max_idle = 4 * kHosts}, false,
                 "with what their fetches left");
}

void GzipBench(BenchReport& report) {
  synthetic::WebOptions options = Web();
  options.troubles.faults.Add(synthetic::Fault::kGzip);
  options.faulty_hosts = 1;
  options.faulty_pages = 1;
  const ServedWeb web(options);
  Pages(report, "http_20kb_gzip", web, {.max_idle = 4 * kHosts}, 30'000, false, false,
        "CPU: unpacking");
}

void SlowBench(BenchReport& report) {
  synthetic::WebOptions options = Web();
  options.troubles.faults.Add(synthetic::Fault::kEndlessDrip);
  options.faulty_hosts = 1;
  options.faulty_pages = 1;
  options.endless_drip_pause = std::chrono::milliseconds(500);
  const ServedWeb web(options);
  Load load(web, {.min_bytes_per_second = 0}, false);
  constexpr size_t kSlow = 1000;
  const size_t before = HeapBytes();
  load.Begin(kSlow);
  load.RunFor(std::chrono::seconds(2));
  report.Add("slow_connection", static_cast<double>(HeapBytes() - before) / kSlow, "bytes", 0, 0,
             "heap, a fetch and its connection that waits in the middle of a body");
  const CpuTimer timer;
  load.RunFor(std::chrono::seconds(4));
  report.Add("slow_1000_connections", 100 * timer.CpuSeconds() / timer.WallSeconds(), "% of a core",
             timer.CpuSeconds(), timer.WallSeconds(),
             "CPU: 2,000 single bytes a second, and the look at the deadlines");
}

void TlsBench(BenchReport& report) {
  synthetic::WebOptions options = Web();
  options.https_hosts = 1;
  const ServedWeb web(options);
  Pages(report, "https_20kb", web, {.max_idle = 4 * kHosts}, 30'000, true, false, "CPU: AES");
  Pages(report, "https_20kb_resumed", web, {.max_idle = 0, .tls_sessions = 4 * kHosts}, 5'000, true,
        false, "CPU: a key exchange a page");
  Pages(report, "https_20kb_full", web, {.max_idle = 0, .tls_sessions = 0}, 3'000, true, false,
        "CPU: a certificate a page");
  IdleConnection(report, "https_idle_connection", web, {.max_idle = 4 * kHosts, .tls_sessions = 0},
                 true, "OpenSSL, the server's certificate");
}

void FetchBench(BenchReport& report) {
  PlainBench(report);
  GzipBench(report);
  SlowBench(report);
  TlsBench(report);
}

ORBWEAVER_BENCH("fetch", FetchBench);

}  // namespace
}  // namespace orbweaver
