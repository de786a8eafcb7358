#include "common/base/ids.h"
#include "common/bus/topics.h"
#include "common/config/schema.h"

namespace orbweaver {

void DeclareTopicOptions(config::Schema& schema, TopicOptions* options) {
  schema.Add(
      "topics.partitions", &options->partitions,
      {.min = 1,
       .max = kSlots,
       .unit = "partitions",
       .doc = "Of spider-log, scoring-log and spider-feed each: a power of two. It bounds how "
              "many workers of a kind can share the work"});
  schema.Add(
      "topics.replication", &options->replication,
      {.min = 1,
       .max = 100,
       .unit = "copies",
       .doc = "On how many brokers each message is kept, when `orbweaver init` makes a topic"});
  schema.Add("topics.retention", &options->retention,
             {.min = Duration::zero(),
              .doc = "How long messages are kept; 0: for ever. A worker that is away for longer "
                     "loses what it has not read, and says so"});
  schema.AddBytes("topics.retention_bytes", &options->retention_bytes,
                  {.min = 0,
                   .max = int64_t{1} << 50,
                   .doc = "The same by the size of a partition; 0: no bound"});
}

}  // namespace orbweaver
