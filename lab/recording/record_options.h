#pragma once

#include <string>
#include <vector>

namespace orbweaver {

namespace config {
class Schema;
}

struct RecordOptions {
  // The recording of a crawl's logs; empty: none is made.
  std::string folder;
  std::vector<std::string> topics = {"spider-log", "scoring-log"};
};

// record.*; `options` must outlive the schema.
void DeclareRecordOptions(config::Schema& schema, RecordOptions* options);

}  // namespace orbweaver
