#include "cli/console/workers_view.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/console/stages_view.h"

#include "common/base/json.h"
#include "common/base/unix_ms.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

// The group of the log that workers of the role share out.
std::string_view GroupOf(std::string_view role) {
  if (role == "strategy-worker") return kStrategyWorkerGroup;
  if (role == "db-worker") return kDbWorkerGroup;
  if (role == "spider") return kSpiderGroup;
  return {};
}

// Those that `owner` has; with nothing all.
std::vector<size_t> PartitionsOf(std::string_view role, std::optional<std::string_view> owner,
                                 const FrontierStatus& owners) {
  std::vector<size_t> partitions;
  for (const ReadTopic& read : owners.reads) {
    if (read.group != GroupOf(role)) continue;
    for (size_t i = 0; i < read.partitions.size(); ++i) {
      if (!owner.has_value() || read.partitions[i].owner == *owner) partitions.push_back(i);
    }
  }
  return partitions;
}

void WriteNumber(std::optional<double> number, JsonWriter& json) {
  if (number.has_value()) {
    json.Value(*number);
  } else {
    json.Null();
  }
}

void WriteWorker(const SampledWorker& worker, std::string_view role, bool shares_process,
                 std::span<const size_t> partitions, JsonWriter& json) {
  const WorkerReport& report = worker.report;
  json.BeginObject().Key("id").Value(report.id).Key("role").Value(role);
  json.Key("version").Value(report.version).Key("admin_address").Value(report.admin_address);
  json.Key("started_at_ms").Value(UnixMs(report.started_at));
  json.Key("reported_at_ms").Value(UnixMs(report.reported_at));
  json.Key("shares_process").Value(shares_process).Key("memory_bytes");
  WriteNumber(report.vitals[Vital::kMemoryBytes], json);
  json.Key("cpu_cores");
  WriteNumber(worker.cpu_cores, json);
  json.Key("partitions").BeginArray();
  for (const size_t partition : partitions) json.Value(partition);
  json.EndArray().Key("stages");
  const auto stage = std::ranges::find(worker.stages, role, &StageShares::role);
  WriteShares(stage == worker.stages.end() ? StageShares() : *stage, json);
  json.EndObject();
}

}  // namespace

std::string WorkersJson(std::span<const SampledWorker> workers, std::span<const std::string> roles,
                        const FrontierStatus& owners) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("workers").BeginArray();
  for (const SampledWorker& worker : workers) {
    for (const std::string& role : roles) {
      WriteWorker(worker, role, true, PartitionsOf(role, std::nullopt, owners), json);
    }
    const std::string& role = worker.report.role;
    if (roles.empty()) {
      WriteWorker(worker, role, false, PartitionsOf(role, worker.report.id, owners), json);
    }
  }
  json.EndArray().EndObject();
  return text;
}

}  // namespace orbweaver
