// When a kind of worker is too small, and when it is too large: for `orbweaver metrics-api`.
#pragma once

#include "common/base/clock.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct ScalingRule {
  // Above `busy` in use, as a mean of its workers, a kind wants more of them, below `idle` fewer.
  // Between them is the dead band that keeps a number from going up and down: what is busy for two
  // thirds of two workers is not too much for them, and too much for one.
  double busy = 0.8;
  double idle = 0.5;
  // A log that is this far behind in time is a backlog, which is to be worked off within
  // `catch_up`.
  Duration lag = std::chrono::seconds(30);
  Duration catch_up = std::chrono::minutes(5);
};

// scaling.*; `rule` must outlive the schema.
void DeclareScalingOptions(config::Schema& schema, ScalingRule* rule);

}  // namespace orbweaver
