#include "common/worker/worker_options.h"

#include <unistd.h>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"

namespace orbweaver {

void DeclareWorkerOptions(config::Schema& schema, WorkerOptions* options) {
  schema.Add("worker.name", &options->membership.member,
             {.doc = "Names this worker among those of its kind, for a restart to get its "
                     "partitions back at once; must be unique. Without one it joins anew each "
                     "time"});
  schema.Add("worker.session_timeout", &options->membership.session_timeout,
             {.min = std::chrono::seconds(6),
              .max = std::chrono::minutes(30),
              .doc = "A worker that is silent for so long loses its partitions to others"});
  schema.AddChoice(
      "worker.on_stop", &options->on_stop,
      {{"stay", OnStop::kStay}, {"leave", OnStop::kLeave}, {"kubernetes", OnStop::kKubernetes}},
      {.doc = "The partitions of a named worker that is stopped: `stay` keeps them for "
              "its return until the session timeout; `leave` gives them to others at "
              "once; `kubernetes` does so when its StatefulSet was scaled down below "
              "its pod, which worker.name names"});
  schema.AddChoice("worker.on_cut_log", &options->membership.on_cut,
                   {{"stop", OnCutLog::kStop}, {"continue", OnCutLog::kContinue}},
                   {.doc = "When retention has deleted entries of the log that it reads before "
                           "they were read: stop the worker, or count them as lost and go on "
                           "behind them"});
  schema.Renamed("strategy_worker.on_cut_log", "worker.on_cut_log");
  schema.Renamed("spider.on_cut_feed", "worker.on_cut_log");
  schema.Add("worker.stats_interval", &options->stats_interval,
             {.min = std::chrono::milliseconds(100),
              .max = std::chrono::hours(1),
              .doc = "How often it reports its counters to the console"});
}

absl::StatusOr<GroupMembership> MembershipOf(const WorkerOptions& options) {
  GroupMembership membership = options.membership;
  ASSIGN_OR_RETURN(membership.departure, DepartureOn(options.on_stop, membership.member));
  return membership;
}

std::string WorkerId(const WorkerOptions& options) {
  if (!options.membership.member.empty()) return options.membership.member;
  char host[256] = "unknown";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}:{}", host, getpid());
}

}  // namespace orbweaver
