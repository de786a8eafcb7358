#include "cli/frontier/stage_shares.h"

namespace orbweaver {
namespace {

struct Stage {
  std::string_view name;
  std::string_view role;
  Vital busy;
  Vital waits_for_input;
  Vital waits_for_output;
};
constexpr Stage kStages[] = {
    {"spiders", "spider", Vital::kSpiderBusy, Vital::kSpiderWaitsForInput,
     Vital::kSpiderWaitsForOutput},
    {"strategy workers", "strategy-worker", Vital::kStrategyBusy, Vital::kStrategyWaitsForInput,
     Vital::kStrategyWaitsForOutput},
    {"db workers", "db-worker", Vital::kQueueBusy, Vital::kQueueWaitsForInput,
     Vital::kQueueWaitsForOutput},
};

}  // namespace

std::vector<StageShares> SharesOf(const WorkerBook& book,
                                  std::span<const WorkerReport* const> workers, Duration window) {
  std::vector<StageShares> shares;
  for (const Stage& stage : kStages) {
    double busy = 0, input = 0, output = 0;
    for (const WorkerReport* const worker : workers) {
      busy += book.Rate(*worker, stage.busy, window).value_or(0);
      input += book.Rate(*worker, stage.waits_for_input, window).value_or(0);
      output += book.Rate(*worker, stage.waits_for_output, window).value_or(0);
    }
    StageShares& share = shares.emplace_back();
    share.name = stage.name;
    share.role = stage.role;
    const double all = busy + input + output;
    if (all <= 0) continue;
    share.busy = busy / all;
    share.waits_for_input = input / all;
    share.waits_for_output = output / all;
  }
  return shares;
}

}  // namespace orbweaver
