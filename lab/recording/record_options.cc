#include "lab/recording/record_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareRecordOptions(config::Schema& schema, RecordOptions* options) {
  schema.Add("record.folder", &options->folder,
             {.doc = "Where `orbweaver crawl` records its logs, as `orbweaver record` does; empty: "
                     "nowhere. Entries that are not recorded yet are not deleted from the crawl's "
                     "folder"});
  schema.Add("record.topics", &options->topics,
             {.doc = "The logs that it records: spider-log, scoring-log, spider-feed"});
}

}  // namespace orbweaver
