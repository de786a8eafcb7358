#include "cli/console/alerts_view.h"

#include "common/base/unix_ms.h"

namespace orbweaver {

void WriteAlerts(std::span<const Alert> alerts, JsonWriter& json) {
  json.BeginArray();
  for (const Alert& alert : alerts) {
    json.BeginObject().Key("name").Value(alert.rule->name);
    json.Key("severity").Value(alert.rule->is_critical ? "critical" : "warning");
    json.Key("since_ms").Value(UnixMs(alert.since)).Key("says").Value(alert.says);
    json.Key("advice").Value(alert.rule->advice).EndObject();
  }
  json.EndArray();
}

}  // namespace orbweaver
