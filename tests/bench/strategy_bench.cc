// The cost of a strategy beside the states and the bus: pages of 60 links, 54 known and 6 new,
// through the plugin boundary and the host's checks.
#include <string>
#include <vector>

#include "common/base/status.h"
#include "strategy_worker/host/loader.h"
#include "tests/bench/bench.h"

namespace orbweaver {
namespace {

constexpr size_t kLinks = 60;
constexpr size_t kKnown = 54;
constexpr size_t kPages = 200'000;

// Links of one page within its domain; the domain has been entered and its budget is not spent.
struct Page {
  std::vector<std::string> urls;
  std::vector<orbweaver_link> links{kLinks};
  std::vector<orbweaver_state> states{kLinks};
  orbweaver_domain domain{};
  orbweaver_source source{};
  orbweaver_event event{};

  Page() {
    for (size_t i = 0; i < kLinks; ++i) {
      urls.push_back("https://www.example.com/articles/2024/a-title-of-some-words-" +
                     std::to_string(i) + ".html");
    }
    for (size_t i = 0; i < kLinks; ++i) {
      links[i].url_view = {urls[i].data(), urls[i].size()};
      links[i].anchor_view = {"A title of some words", 21};
      links[i].fingerprint_low = i * 0x9e3779b97f4a7c15u;
      if (i < kKnown) states[i] = {.known = 1, .status = ORBWEAVER_CRAWLED, .fetches = 1};
    }
    domain.name_view = {"example.com", 11};
    domain.fetched = 10;
    source.same_domain = 1;
    source.link_count = kLinks;
    source.score = 0.8f;
    event.struct_size = sizeof(event);
    event.kind = ORBWEAVER_LINKS;
    event.domain_view = &domain;
    event.source_view = &source;
  }
};

void StrategyBench(BenchReport& report) {
  for (const std::string& name : ListStrategies({})) {
    StrategyOptions options{.name = name};
    if (name == "keyword") options.params["terms"] = "title:2, crawler, web frontier";
    if (name == "python") options.params["module"] = ORBWEAVER_EXAMPLES "/breadth_first.py";
    auto strategy = LoadStrategy(options, 1);
    if (!strategy.ok()) {
      report.Fail(name, MessageOf(strategy.status()));
      continue;
    }
    const Page page;
    std::vector<uint8_t> keep(kLinks);
    std::vector<orbweaver_decision> decisions(kLinks);
    absl::Status status;
    const CpuTimer timer;
    for (size_t i = 0; i < kPages && status.ok(); ++i) {
      std::fill(keep.begin(), keep.end(), uint8_t{1});
      std::fill(decisions.begin(), decisions.end(), orbweaver_decision{});
      orbweaver_output output{.struct_size = sizeof(output)};
      status = (*strategy)->Filter(page.event, page.links, keep);
      if (status.ok()) {
        status = (*strategy)->OnEvent(page.event, page.links, page.states, decisions, &output);
      }
    }
    if (!status.ok()) {
      report.Fail(name, MessageOf(status));
      continue;
    }
    report.AddRate(name, static_cast<double>(kPages * kLinks), "links/cpu_s", timer,
                   "CPU: one core, no states, no bus");
  }
}

ORBWEAVER_BENCH("strategy", StrategyBench);

}  // namespace
}  // namespace orbweaver
