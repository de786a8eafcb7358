#include "strategy_worker/states/state_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareStateOptions(config::Schema& schema, StateOptions* options) {
  schema.AddBytes("strategy_worker.cache_bytes", &options->cache_bytes,
                  {.min = 1 << 20,
                   .max = uint64_t{1} << 40,
                   .doc = "Memory for link states that are kept after their last use, about 30 "
                          "bytes a URL and 400 a domain; what is not in it is read again"});
}

}  // namespace orbweaver
