#include "cli/frontier/live_workers.h"

#include <map>
#include <utility>

#include "cli/frontier/log_reader.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/stats.h"

namespace orbweaver {
namespace {

// A worker whose last report is older counts as gone. Above any usual worker.stats_interval.
constexpr std::chrono::milliseconds kSilence = std::chrono::minutes(2);

}  // namespace

absl::StatusOr<std::vector<LiveWorker>> LiveWorkers(Bus& bus, std::string_view role,
                                                    Duration timeout) {
  std::map<std::string, LiveWorker> by_name;
  LogReader reader({.topic = std::string(kStatsTopic), .since = SystemClock().Wall() - kSilence});
  Arena arena;
  RETURN_IF_ERROR(reader.Read(bus, timeout, [&](const Message& message) {
    arena.Reset();
    WorkerStats stats;
    // Messages that are not reports are passed over.
    if (!Decode(message.value, &arena, &stats).ok() || stats.role != role) return true;
    by_name[std::string(stats.worker_id)] = {.id = std::string(stats.worker_id),
                                             .role = std::string(stats.role),
                                             .admin_address = std::string(stats.admin_address),
                                             .reported_at = stats.reported_at};
    return true;
  }));
  std::vector<LiveWorker> workers;
  for (auto& [name, worker] : by_name) workers.push_back(std::move(worker));
  return workers;
}

}  // namespace orbweaver
