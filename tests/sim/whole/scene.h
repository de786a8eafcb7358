// The part of a run around its workers: a scene plays whom the run lacks, and judges what the
// workers did.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/random.h"
#include "tests/sim/whole/fault_plan.h"
#include "tests/sim/whole/sim_run.h"
#include "tests/sim/whole/sim_web.h"

namespace orbweaver::sim {

// Place: beside the driver, which calls it between two rounds and at faults that are of no process.
// Its parts of the log are always appended: faults are for the workers. Not thread-safe.
class Scene {
 public:
  virtual ~Scene() = default;

  // Before each round in which there is a bus. `calm`: no more faults.
  virtual void Act(bool calm) = 0;
  // It has more to do, whatever the workers do.
  virtual bool HasMore() const = 0;
  // Grows with everything that the workers do and that is not in the logs.
  virtual uint64_t Visits() const { return 0; }
  // Empty, or a guarantee that does not hold now. After each step of a process.
  virtual std::string Breach() { return {}; }

  // A fault of the surroundings; `tell` names what happens.
  virtual void Happen(FaultKind, Random&, const std::function<void(std::string)>& /*tell*/) {}
  // A spider has left its group in the middle of its fetches.
  virtual void SpiderLeft(int /*number*/) {}

  // Sites that spiders ask.
  virtual SimWeb& web() = 0;

  // All is at rest: empty, or the first guarantee that did not hold.
  virtual std::string Audit() = 0;
};

std::unique_ptr<Scene> NewWholeScene(SimRun& run);
// Spiders' entries for strategy workers; what they schedule and keep is compared.
std::unique_ptr<Scene> NewStrategyScene(SimRun& run, uint64_t seed);
// Strategy workers' messages for db workers, and spiders that commit; what leaves is counted.
std::unique_ptr<Scene> NewQueueScene(SimRun& run, uint64_t seed);
// A feed and sites with every trouble for a spider, an hour long; nothing may grow.
std::unique_ptr<Scene> NewSpiderScene(SimRun& run, uint64_t seed);

}  // namespace orbweaver::sim
