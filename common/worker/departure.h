// Whether a worker that is stopped is going to be back.
//
// Place: LogSession asks it when a worker leaves its group. A pod that was deleted, evicted or
// upgraded comes back under its name, and finds its partitions; one that was scaled away does not,
// and its partitions would wait for the session timeout.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/consumer.h"

namespace orbweaver {

enum class OnStop : uint8_t { kStay, kLeave, kKubernetes };

// A pod of a StatefulSet, and where it can ask about itself.
struct StatefulPod {
  std::string set;
  int ordinal;
  // HOST:PORT of the API server.
  std::string server;
  // The folder with `token`, `ca.crt` and `namespace`, as Kubernetes mounts it.
  std::string account;
};

// The pod `name` by the environment that each pod has. Fatal: this is no such pod.
absl::StatusOr<StatefulPod> ThisPod(std::string_view name);

// `replicas` of the spec of a Scale of autoscaling/v1, in JSON as the API server writes it. Poison:
// it is none.
absl::StatusOr<int> ReplicasOf(std::string_view scale);

// Asks the API server, within `timeout`, how many pods the set is to have: for good when this is
// not one of them. Also for now, with a warning, when there is no answer.
Departure DepartureOf(const StatefulPod& pod, Duration timeout);

// The answer of the worker `name` when it is stopped, as `on_stop` says. The function waits at most
// two seconds, and tells the log what it answers where it had to ask.
absl::StatusOr<std::function<Departure()>> DepartureOn(OnStop on_stop, const std::string& name);

}  // namespace orbweaver
