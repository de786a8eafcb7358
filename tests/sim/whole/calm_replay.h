// One strategy worker reads a run's spider log without any fault: the strategy workers of the run
// must have scheduled and kept the same.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/sim/whole/sim_run.h"
#include "tests/support/strategy_world.h"

namespace orbweaver::sim {

// Of a run whose strategy decides the same when it is asked again. After a swap of strategies only
// what all of them decide alike is compared.
class CalmReplay {
 public:
  // Reads all of `run`'s spider log. `run` must outlive it.
  explicit CalmReplay(SimRun& run);

  // Empty, or the first message of the scoring log, as `rules` read it, that is missing or too
  // many.
  std::string ScheduledOtherwise(const ReaderRules& rules = {});
  // Empty, or the first record or link state that is another: of all domains that were scheduled,
  // of `domains`, and of `urls`, which are by URL the domain.
  std::string KeptOtherwise(const std::vector<std::string>& domains,
                            std::map<std::string, std::string> urls = {});

 private:
  std::map<std::string, int> Lines(StrategyWorld& world, const ReaderRules& rules) const;
  std::string Text(const DomainRecord& record) const;
  std::string Text(const std::optional<LinkState>& state) const;

  SimRun& run_;
  StrategyWorld calm_;
};

// By key, how often it is there against how often it should be: empty, or the first difference.
std::string Difference(const std::map<std::string, int>& is,
                       const std::map<std::string, int>& should, std::string_view lost,
                       std::string_view repeated);

}  // namespace orbweaver::sim
