// Has the workers of a cluster do things that are theirs: their admin servers are asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/bus/bus.h"

namespace orbweaver {

// How workers' admin servers are asked.
struct WorkerAccess {
  std::string token;    // their admin.token
  std::string ca_file;  // admin.tls_ca
};

// The admin servers of the db workers that report. Retry: there is none.
absl::StatusOr<std::vector<std::string>> FindQueueWorkers(Bus& bus);

// Asks each of `workers` to pause or resume the partition until its owner has done it; the sentence
// that it answers. Poison: the owner refused it. Retry: nobody has done it; the message says what
// each of them said.
absl::StatusOr<std::string> AskQueueOwner(const std::vector<std::string>& workers,
                                          const WorkerAccess& access, const std::string& action,
                                          int partition);

// Asks the worker that reports by the name `worker` to end in good order. NotFound: none does.
absl::StatusOr<std::string> DrainWorker(Bus& bus, const WorkerAccess& access,
                                        const std::string& worker);

}  // namespace orbweaver
