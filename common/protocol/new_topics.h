// Going on with logs that are not those that the store knows: for `orbweaver init`.
#pragma once

#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/protocol/log_witness.h"
#include "common/protocol/topic_record.h"
#include "common/store/store.h"

namespace orbweaver {

// Of all topics of the loop, as `record` describes them: what FindForeignLogs finds, and logs that
// end below the offset that a group of workers has committed.
absl::StatusOr<std::vector<ForeignLog>> FindAllForeignLogs(Store& store, Bus& bus,
                                                           const TopicRecord& record,
                                                           Duration timeout);

// Makes the workers' groups begin at the starts of the `foreign` logs and raises the topic epoch,
// so that old offsets in the store count as past and new puts win. Fenced when a worker is in its
// group: none may run. On any error it can be called again.
absl::StatusOr<TopicRecord> AcceptTopics(Store& store, Bus& bus, const TopicRecord& record,
                                         std::span<const ForeignLog> foreign, Duration timeout);

}  // namespace orbweaver
