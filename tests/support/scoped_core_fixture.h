// A fixture of StrategyCore with a scope: seeds go in, requests and counts come out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/scope/scope_options.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"

namespace orbweaver {

class ScopedCoreTest : public StrategyCoreTest {
 protected:
  // A new owner of all partitions, with this scope.
  void Begin(const ScopeOptions& options) {
    StrategyWorld::Worker worker;
    worker.options = options_;
    worker.scope = CrawlScope::Make(options, *world_.suffixes).value();
    core_ = world_.NewCore(strategy_, std::move(worker));
  }
  void Step() { ASSERT_OK(world_.RunUntilIdle(*core_)); }
  void AppendSeeds(const std::string& domain, const std::vector<std::string>& urls) {
    std::vector<Seed> seeds;
    for (const std::string& url : urls) seeds.push_back({.url = url});
    world_.Append({.domain = domain, .event = Seeds{.seeds = seeds}});
  }
  // The URLs of all requests in the scoring log, in their order.
  std::vector<std::string> Requested() {
    std::vector<std::string> urls;
    for (const ReadRequest& request : world_.ReadRequests()) urls.push_back(request.url);
    return urls;
  }
  // Links and seeds that met this fate, such as `beyond_seeds`.
  uint64_t CountOf(const std::string& fate) {
    uint64_t count = 0;
    world_.metrics.Visit([&](MetricKind, const std::string& name, double value) {
      if (name == "orbweaver_strategy_links_total{fate=\"" + fate + "\"}") count = value;
    });
    return count;
  }
};

}  // namespace orbweaver
