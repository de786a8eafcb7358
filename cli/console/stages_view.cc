#include "cli/console/stages_view.h"

#include <cmath>
#include <optional>
#include <string_view>

namespace orbweaver {
namespace {

void WriteShare(std::string_view name, std::optional<double> share, JsonWriter& json) {
  json.Key(name);
  if (share.has_value()) {
    json.Value(std::round(*share * 1000) / 1000);
  } else {
    json.Null();
  }
}

void WriteMembers(const StageShares& shares, JsonWriter& json) {
  WriteShare("busy", shares.busy, json);
  WriteShare("waits_for_input", shares.waits_for_input, json);
  WriteShare("waits_for_output", shares.waits_for_output, json);
}

}  // namespace

void WriteStages(std::span<const StageShares> stages, JsonWriter& json) {
  json.BeginArray();
  for (const StageShares& stage : stages) {
    json.BeginObject().Key("name").Value(stage.name);
    WriteMembers(stage, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteShares(const StageShares& shares, JsonWriter& json) {
  json.BeginObject();
  WriteMembers(shares, json);
  json.EndObject();
}

}  // namespace orbweaver
