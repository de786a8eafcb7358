#include "common/worker/departure.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/runtime/admin_client.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "worker";
constexpr Duration kTimeout = std::chrono::seconds(2);
constexpr char kAccount[] = "/var/run/secrets/kubernetes.io/serviceaccount";

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) return RetryError("read {}: it is not there", path);
  while (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

// All of `text` as a number that is not negative.
absl::StatusOr<int> Number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return PoisonError("'{}' is no number", text);
  }
  return value;
}

absl::StatusOr<int> WantedPods(const StatefulPod& pod, Duration timeout) {
  ASSIGN_OR_RETURN(const std::string token, ReadSmallFile(pod.account + "/token"));
  ASSIGN_OR_RETURN(const std::string space, ReadSmallFile(pod.account + "/namespace"));
  const std::string target =
      fmt::format("/apis/apps/v1/namespaces/{}/statefulsets/{}/scale", space, pod.set);
  const std::string authorization = "Bearer " + token;
  ASSIGN_OR_RETURN(
      const AdminResponse answer,
      AskAdmin("https://" + pod.server,
               {.method = "GET", .target = target, .authorization = authorization}, timeout,
               {.verify = true,
                .ca_file = pod.account + "/ca.crt",
                .ca_option = "the pod's service account"}));
  if (answer.status != 200) {
    return RetryError("ask {} for {}: status {}. The pod's service account needs `get` on it",
                      pod.server, target, answer.status);
  }
  const auto replicas = ReplicasOf(answer.body);
  if (replicas.ok()) return *replicas;
  return Annotate(replicas.status(), fmt::format("ask {} for {}", pod.server, target));
}

}  // namespace

absl::StatusOr<StatefulPod> ThisPod(std::string_view name) {
  const size_t dash = name.rfind('-');
  const auto ordinal = Number(dash == std::string_view::npos ? "" : name.substr(dash + 1));
  if (!ordinal.ok() || dash == 0) {
    return FatalError(
        "worker.on_stop=kubernetes: worker.name is '{}', and a StatefulSet's pods are called "
        "NAME-0, NAME-1 and so on. Set it to the pod's name",
        name);
  }
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) {
    return FatalError(
        "worker.on_stop=kubernetes: KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set, "
        "so this is no pod of Kubernetes. Elsewhere choose `stay` or `leave`");
  }
  const bool is_v6 = std::string_view(host).find(':') != std::string_view::npos;
  const std::string address = is_v6 ? fmt::format("[{}]", host) : host;
  return StatefulPod{.set = std::string(name.substr(0, dash)),
                     .ordinal = *ordinal,
                     .server = fmt::format("{}:{}", address, port),
                     .account = kAccount};
}

absl::StatusOr<int> ReplicasOf(std::string_view scale) {
  if (scale.find(R"("kind":"Scale")") == std::string_view::npos) {
    return PoisonError("the answer is no Scale");
  }
  constexpr std::string_view kSpec = R"("spec":{)";
  const size_t spec = scale.find(kSpec);
  if (spec == std::string_view::npos) return PoisonError("the answer has no spec");
  std::string_view rest = scale.substr(spec + kSpec.size());
  const size_t end = rest.find('}');
  if (end == std::string_view::npos) return PoisonError("the answer was cut off");
  rest = rest.substr(0, end);
  // Kubernetes leaves out what is zero.
  if (rest.empty()) return 0;
  constexpr std::string_view kReplicas = R"("replicas":)";
  if (!rest.starts_with(kReplicas)) return PoisonError("the answer's spec has no replicas");
  return Number(rest.substr(kReplicas.size()));
}

Departure DepartureOf(const StatefulPod& pod, Duration timeout) {
  const auto wanted = WantedPods(pod, timeout);
  if (!wanted.ok()) {
    Log(LogLevel::kWarning, kModule,
        "cannot tell whether pod {}-{} comes back: {}. Its partitions wait for it until its "
        "session ends (worker.session_timeout)",
        pod.set, pod.ordinal, MessageOf(wanted.status()));
    return Departure::kForNow;
  }
  const bool comes_back = pod.ordinal < *wanted;
  Log(LogLevel::kInfo, kModule, "pod {}-{} {}: its StatefulSet is to have {}", pod.set, pod.ordinal,
      comes_back ? "comes back" : "goes for good, and gives its partitions up", *wanted);
  return comes_back ? Departure::kForNow : Departure::kForGood;
}

absl::StatusOr<std::function<Departure()>> DepartureOn(OnStop on_stop, const std::string& name) {
  if (on_stop != OnStop::kKubernetes) {
    return
        [on_stop] { return on_stop == OnStop::kLeave ? Departure::kForGood : Departure::kForNow; };
  }
  ASSIGN_OR_RETURN(StatefulPod pod, ThisPod(name));
  return [pod = std::move(pod)] { return DepartureOf(pod, kTimeout); };
}

}  // namespace orbweaver
