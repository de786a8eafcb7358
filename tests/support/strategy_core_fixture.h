// A core on memory parts, with a strategy that each test scripts, and one domain.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {

constexpr PartitionId kOnly(0);
constexpr Duration kLong = std::chrono::minutes(1);
inline const std::string kDomain = "a.test";
inline const std::string kUrl = "https://a.test/1";

class StrategyCoreTest : public ::testing::Test {
 protected:
  StrategyCoreTest() {
    strategy_.on_event = [](ScriptedStrategy::Call call) {
      for (orbweaver_decision& decision : call.decisions) {
        decision.action = ORBWEAVER_SCHEDULE;
        decision.score = 0.5;
      }
      return absl::OkStatus();
    };
  }

  void AppendLinks(const std::vector<std::string>& urls) {
    std::vector<Link> links;
    for (const std::string& url : urls) links.push_back({.url = url});
    world_.Append(
        {.domain = kDomain,
         .event = LinksFound{.source = {.url = "https://b.test/", .depth = 3}, .links = links}});
  }
  static Request RequestOf(std::string_view url) {
    return {.url = url, .domain = kDomain, .depth = 2, .score = 0.25, .attempt = 1};
  }
  // A core on what is in the log, until it is done.
  absl::Status Run() {
    StrategyWorld::Worker worker;
    worker.options = options_;
    core_ = world_.NewCore(strategy_, std::move(worker));
    return world_.RunUntilIdle(*core_);
  }
  // Ends the core; the next one reads the log from its start, as after a crash before the first
  // commit.
  absl::Status BeginAnew() {
    ASSIGN_OR_RETURN(const auto consumer,
                     world_.bus.NewConsumer({.group = std::string(kStrategyWorkerGroup)}));
    core_.reset();
    world_.clock.Advance(std::chrono::hours(1));
    const AssignedPartition from{.partition = kOnly, .position = Offset(0)};
    RETURN_IF_ERROR(consumer->Assign(kSpiderLogTopic, {&from, 1}));
    const OffsetCommit commit{.partition = kOnly, .offset = Offset(0)};
    return consumer->Commit({&commit, 1}, kLong);
  }
  Offset Committed() {
    return world_.bus.NewOffsetReader()
        .value()
        ->Committed("strategy-workers", kSpiderLogTopic, {&kOnly, 1}, kLong)
        .value()[0]
        .value()
        .offset;
  }

  StrategyWorld world_;
  ScriptedStrategy strategy_;
  StrategyWorkerOptions options_;
  std::unique_ptr<StrategyCore> core_;
};

}  // namespace orbweaver
