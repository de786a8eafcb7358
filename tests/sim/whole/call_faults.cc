#include "tests/sim/whole/call_faults.h"

namespace orbweaver::sim {
namespace {

using std::chrono::milliseconds;

BusFaults DrawBusFaults(const Shape& shape, Random& random) {
  const FaultPlan& plan = shape.plan;
  BusFaults faults{.seed = random(),
                   .max_append_delay = milliseconds(random.Below(300)),
                   .max_ack_delay = milliseconds(random.Below(300)),
                   .lost_record = random.Unit() * 0.004 * shape.loss_rate,
                   .max_latency = milliseconds(random.Below(100)),
                   .unavailable = random.Unit() * 0.03 * shape.error_rate,
                   .lost_answer = random.Unit() * 0.05 * shape.error_rate,
                   .rebalance = random.Unit() * 0.02 * shape.loss_rate,
                   .eviction = random.Unit() * 0.01 * shape.loss_rate,
                   .mix_partitions = random.Chance(0.5),
                   .late_resume = random.Chance(0.5) ? 0.5 : 0};
  if (!plan.Has(FaultKind::kDelays)) {
    faults.max_append_delay = faults.max_ack_delay = faults.max_latency = {};
    faults.late_resume = 0;
  }
  if (!plan.Has(FaultKind::kLostRecords)) faults.lost_record = 0;
  if (!plan.Has(FaultKind::kBusErrors)) faults.unavailable = faults.lost_answer = 0;
  if (!plan.Has(FaultKind::kRebalances)) faults.rebalance = faults.eviction = 0;
  return faults;
}

StoreFaults DrawStoreFaults(const Shape& shape, Role role, Random& random) {
  const FaultPlan& plan = shape.plan;
  // A db worker's take-over of one among several partitions is hundreds of scans.
  const bool scans = role == Role::kDbWorker && shape.partitions > 1;
  const double often = (scans ? 0.01 : 1) * shape.error_rate;
  StoreFaults faults{.seed = random(),
                     .max_latency = milliseconds(random.Below(20)),
                     .row_time = milliseconds(random.Chance(0.2) ? random.Below(300) : 0),
                     .unavailable = random.Unit() * 0.03 * often,
                     .lost_answer = random.Unit() * 0.05 * often,
                     .shuffle_writes = true};
  // Reading all heads takes longer than a group waits for a silent member.
  if (role == Role::kDbWorker && random.Chance(0.05)) faults.row_time = std::chrono::seconds(8);
  if (!plan.Has(FaultKind::kDelays) || scans) faults.max_latency = {};
  if (!plan.Has(FaultKind::kDelays)) faults.row_time = {};
  if (!plan.Has(FaultKind::kStoreErrors)) faults.unavailable = 0;
  if (!plan.Has(FaultKind::kPartialWrites)) {
    faults.lost_answer = 0;
    faults.shuffle_writes = false;
  }
  return faults;
}

}  // namespace

void DrawCallFaults(const Shape& shape, Random& random, SimProcessOptions* options) {
  options->bus_faults = DrawBusFaults(shape, random);
  // Among several, a spider counts as dead only after a silence longer than a fetch: freezes and
  // sleeps cause that.
  const bool is_alone = shape.plan.component == Component::kSpider;
  if (options->role == Role::kSpider && !is_alone) options->bus_faults.eviction = 0;
  options->store_faults = DrawStoreFaults(shape, options->role, random);
  options->late_puts = random.Chance(0.5) ? 0.02 : 0;
  if (!shape.plan.Has(FaultKind::kLatePuts)) options->late_puts = 0;
}

}  // namespace orbweaver::sim
