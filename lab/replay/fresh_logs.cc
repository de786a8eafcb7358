#include "lab/replay/fresh_logs.h"

#include <string>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/protocol/topic_record.h"

namespace orbweaver::lab {

absl::Status MakeLogs(Bus& bus, Store& store, int partitions, Duration timeout) {
  const TopicSpec specs[] = {{.name = std::string(kSpiderLogTopic), .partitions = partitions},
                             {.name = std::string(kScoringLogTopic), .partitions = partitions},
                             {.name = std::string(kSpiderFeedTopic), .partitions = partitions},
                             {.name = std::string(kDeadLetterTopic), .partitions = 1}};
  RETURN_IF_ERROR(bus.EnsureTopics(specs, timeout).status());
  return SaveTopicRecord(store, {.topic_epoch = 1, .partitions = partitions}, timeout);
}

}  // namespace orbweaver::lab
