#include "strategy_worker/core/adoption.h"

#include <string>
#include <utility>

#include "common/base/status.h"

namespace orbweaver {

absl::Status AdoptData(Strategy& strategy, DomainRecord* record) {
  if (record->strategy_version == strategy.version() && record->strategy_name == strategy.name()) {
    return absl::OkStatus();
  }
  std::string data;
  if (!record->strategy_data.empty()) {
    ASSIGN_OR_RETURN(data, strategy.Adopt(record->strategy_name, record->strategy_version,
                                          record->strategy_data));
  }
  record->strategy_name = strategy.name();
  record->strategy_version = strategy.version();
  record->strategy_data = std::move(data);
  return absl::OkStatus();
}

}  // namespace orbweaver
