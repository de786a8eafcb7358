// Makes the bytes of a domain's record those of the strategy that runs.
#pragma once

#include "absl/status/status.h"

#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/domain_record.h"

namespace orbweaver {

// Sees that the record's bytes are `strategy`'s own: another's are given to it, and what it makes
// of them is kept under its name. Poison when it fails; the record is then as it was.
//
// To be called each time before the strategy sees a record: one that was given up by the cache and
// loaded again has its old bytes and name back.
absl::Status AdoptData(Strategy& strategy, DomainRecord* record);

}  // namespace orbweaver
