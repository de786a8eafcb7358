// The record of the topics in the store. It keeps watermarks and versions comparable when topics
// are made anew or get more partitions.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/store/store.h"

namespace orbweaver {

// The format of all that workers write into the store, as the first byte of this record: whatever
// follows it may differ. Raised with a change that the version before would misread, in the rows of
// any table; a worker that finds another number refuses to start.
inline constexpr uint8_t kStoreFormat = 1;

struct TopicRecord {
  uint64_t topic_epoch = 1;  // raised each time
  int partitions = 0;        // of spider log, scoring log and feed

  friend bool operator==(const TopicRecord&, const TopicRecord&) = default;
};

// Nothing when it was never written; fatal when it is of another format.
absl::StatusOr<std::optional<TopicRecord>> LoadTopicRecord(Store& store, Duration timeout);
absl::Status SaveTopicRecord(Store& store, const TopicRecord& record, Duration timeout);

// For `orbweaver init` and single-process crawls, before missing topics are made with `partitions`
// each: the record as it has to be. Its topic epoch is raised when one of the topics is missing
// (what the store remembers is then of topics that are gone) or has another number of partitions.
// Raised before they are made, so that a crash between the two raises it again, which does no harm.
// The caller saves it.
absl::StatusOr<TopicRecord> NextTopicRecord(Store& store, Bus& bus, int partitions,
                                            Duration timeout);

// For a worker's start: the record, after comparing it with the topics that there are. Fatal, with
// what to do, when there is no record, or a topic is missing or has another number of partitions.
absl::StatusOr<TopicRecord> CheckTopics(Store& store, Bus& bus, Duration timeout);

}  // namespace orbweaver
