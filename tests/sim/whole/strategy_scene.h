// Strategy workers alone: the spiders' entries are drawn at random, and a db worker's reader judges
// what is scheduled.
#pragma once

#include <memory>
#include <string>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/model/spider_log.h"
#include "tests/sim/whole/scene.h"
#include "tests/support/strategy_world.h"

namespace orbweaver::sim {

inline constexpr uint64_t kSceneDomains = 6;
inline constexpr uint64_t kSceneUrls = 12;  // of each

class StrategyScene : public Scene {
 public:
  StrategyScene(SimRun& run, uint64_t seed) : run_(run), random_(seed) {}

  void Act(bool calm) override {
    if (left_ == 0 || (!calm && !random_.Chance(0.4))) return;
    --left_;
    // Each event has a time of its own.
    run_.world.clock.Advance(std::chrono::milliseconds(1));
    Append();
  }
  bool HasMore() const override { return left_ > 0; }
  SimWeb& web() override { return run_.server; }  // nobody asks it

 protected:
  virtual void Append() = 0;

  static std::string DomainName(uint64_t i) { return "d" + std::to_string(i) + ".test"; }
  static std::string UrlOf(const std::string& domain, uint64_t i) {
    return "https://" + domain + "/" + std::to_string(i);
  }
  std::string DrawDomain() { return DomainName(random_.Below(kSceneDomains)); }
  std::string DrawUrl(const std::string& domain) {
    return UrlOf(domain, random_.Below(kSceneUrls));
  }
  // A block, its end, or a purge.
  DomainOrder DrawOrder() {
    if (random_.Chance(0.5)) return {.purge = true};
    return {.blocked_until = random_.Chance(0.5)
                                 ? WallTime()
                                 : run_.world.clock.Wall() + std::chrono::minutes(1)};
  }
  void AppendNonsense(const std::string& domain) {
    run_.world.AppendRaw(run_.world.PartitionOfDomain(domain), domain, "no protobuf");
  }
  // The rules that the reader of the scoring log keeps.
  ReaderRules Rules() const {
    const PlantedFault planted = run_.shape.plan.planted;
    return {.epochs = planted != PlantedFault::kNoScoringMarkers,
            .watermarks = planted != PlantedFault::kNoSourceWatermark};
  }

  SimRun& run_;
  Random random_;

 private:
  int left_ = 90;
};

}  // namespace orbweaver::sim
