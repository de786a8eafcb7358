#include "cli/orders/queue_owners.h"

#include "cli/frontier/frontier.h"
#include "cli/frontier/live_workers.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/runtime/admin_client.h"
#include "common/runtime/form.h"

namespace orbweaver {
namespace {

constexpr Duration kAskTimeout = std::chrono::seconds(30);
constexpr int kDone = 200;
constexpr int kRefused = 400;

std::string WithoutNewlines(std::string text) {
  text.resize(text.find_last_not_of('\n') + 1);
  return text;
}

absl::StatusOr<AdminResponse> Ask(const std::string& worker, const WorkerAccess& access,
                                  std::string_view action, const FormParams& params) {
  const std::string target = fmt::format("/actions/{}", action);
  const std::string authorization = fmt::format("Bearer {}", access.token);
  const std::string form = EncodeForm(params);
  ASSIGN_OR_RETURN(
      AdminResponse answer,
      AskAdmin(worker,
               {.method = "POST", .target = target, .authorization = authorization, .body = form},
               kAskTimeout, {.verify = true, .ca_file = access.ca_file}));
  answer.body = WithoutNewlines(std::move(answer.body));
  return answer;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindQueueWorkers(Bus& bus) {
  ASSIGN_OR_RETURN(const auto live, LiveWorkers(bus, "db-worker", kLookTimeout));
  std::vector<std::string> addresses;
  for (const LiveWorker& worker : live) {
    if (!worker.admin_address.empty()) addresses.push_back(worker.admin_address);
  }
  if (!addresses.empty()) return addresses;
  return RetryError("find the db workers: none has reported lately");
}

absl::StatusOr<std::string> AskQueueOwner(const std::vector<std::string>& workers,
                                          const WorkerAccess& access, const std::string& action,
                                          int partition) {
  std::string reasons;
  for (const std::string& worker : workers) {
    const auto answer = Ask(worker, access, action, {{"partition", fmt::to_string(partition)}});
    if (answer.ok() && answer->status == kDone) return answer->body;
    const std::string why = answer.ok() ? fmt::format("{}: {}", worker, answer->body)
                                        : std::string(MessageOf(answer.status()));
    reasons += "\n  " + why;
    // The owner refused it: no other may do it.
    if (answer.ok() && answer->status == kRefused) return PoisonError("{}", why);
  }
  return RetryError(
      "{} {}: no db worker did it:{}\nA partition that is changing hands is nobody's for a moment: "
      "try again",
      action, partition, reasons);
}

absl::StatusOr<std::string> DrainWorker(Bus& bus, const WorkerAccess& access,
                                        const std::string& worker) {
  for (const char* const role : {"spider", "strategy-worker", "db-worker"}) {
    ASSIGN_OR_RETURN(const auto live, LiveWorkers(bus, role, kLookTimeout));
    for (const LiveWorker& one : live) {
      if (one.id != worker) continue;
      if (one.admin_address.empty()) {
        return PoisonError("worker {} has no admin server", worker);
      }
      ASSIGN_OR_RETURN(const AdminResponse answer, Ask(one.admin_address, access, "drain", {}));
      if (answer.status == kDone) return fmt::format("worker {}: {}", worker, answer.body);
      return RetryError("drain {} at {}: {}", worker, one.admin_address, answer.body);
    }
  }
  return absl::NotFoundError(
      fmt::format("worker '{}': none of this name has reported lately", worker));
}

}  // namespace orbweaver
