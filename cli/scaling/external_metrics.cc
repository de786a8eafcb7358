#include "cli/scaling/external_metrics.h"

#include <chrono>
#include <ctime>
#include <string>

#include "fmt/chrono.h"
#include "fmt/format.h"

#include "common/base/json.h"

namespace orbweaver {
namespace {

constexpr std::string_view kRoot = "/apis/external.metrics.k8s.io/v1beta1";
constexpr std::string_view kGroupVersion = "external.metrics.k8s.io/v1beta1";

struct Metric {
  WorkerKind kind;
  std::string_view name;
  std::string_view short_name;
};
// Short names are those of the Helm chart's values.
constexpr Metric kMetrics[] = {
    {WorkerKind::kSpider, "orbweaver_wanted_spiders", "spider"},
    {WorkerKind::kStrategyWorker, "orbweaver_wanted_strategy_workers", "strategyWorker"},
    {WorkerKind::kDbWorker, "orbweaver_wanted_db_workers", "dbWorker"},
};

AdminResponse Json(std::string body, int status = 200) {
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

AdminResponse ListOfMetrics() {
  std::string body;
  JsonWriter json(&body);
  json.BeginObject().Key("kind").Value("APIResourceList").Key("apiVersion").Value("v1");
  json.Key("groupVersion").Value(kGroupVersion).Key("resources").BeginArray();
  for (const Metric& metric : kMetrics) {
    json.BeginObject().Key("name").Value(metric.name).Key("singularName").Value("");
    json.Key("namespaced").Value(true).Key("kind").Value("ExternalMetricValueList");
    json.Key("verbs").BeginArray().Value("get").EndArray().EndObject();
  }
  json.EndArray().EndObject();
  return Json(std::move(body));
}

AdminResponse ValueOf(const Metric& metric, const WantedByKind& wanted, WallTime now) {
  std::string body;
  JsonWriter json(&body);
  json.BeginObject().Key("kind").Value("ExternalMetricValueList");
  json.Key("apiVersion").Value(kGroupVersion);
  json.Key("metadata").BeginObject().EndObject().Key("items").BeginArray();
  if (const auto found = wanted.find(metric.kind); found != wanted.end()) {
    json.BeginObject().Key("metricName").Value(metric.name);
    json.Key("metricLabels").BeginObject().EndObject();
    const auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(now);
    const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
    json.Key("timestamp").Value(fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time)));
    json.Key("value").Value(std::to_string(found->second)).EndObject();
  }
  json.EndArray().EndObject();
  return Json(std::move(body));
}

AdminResponse AllWanted(const WantedByKind& wanted) {
  std::string body;
  JsonWriter json(&body);
  json.BeginObject();
  for (const Metric& metric : kMetrics) {
    const auto found = wanted.find(metric.kind);
    if (found != wanted.end()) json.Key(metric.short_name).Value(found->second);
  }
  json.EndObject();
  return Json(std::move(body));
}

// As Kubernetes says so.
AdminResponse NotFound(std::string_view path) {
  std::string body;
  JsonWriter json(&body);
  json.BeginObject().Key("kind").Value("Status").Key("apiVersion").Value("v1");
  json.Key("status").Value("Failure").Key("reason").Value("NotFound").Key("code").Value(404);
  json.Key("message").Value(fmt::format("{}: there is no such metric", path)).EndObject();
  return Json(std::move(body), 404);
}

}  // namespace

AdminResponse AnswerMetrics(const AdminRequest& request, const WantedByKind& wanted, WallTime now) {
  if (!request.is_read()) {
    return {.status = 405, .body = "metrics are only read\n", .headers = {{"Allow", "GET, HEAD"}}};
  }
  const std::string_view path = request.path();
  if (path == "/healthz") return {.body = "ok\n"};
  if (path == "/wanted") return AllWanted(wanted);
  if (path == kRoot) return ListOfMetrics();
  constexpr std::string_view kNamespaces = "/namespaces/";
  if (path.starts_with(kRoot) && path.substr(kRoot.size()).starts_with(kNamespaces)) {
    const std::string_view rest = path.substr(kRoot.size() + kNamespaces.size());
    const size_t slash = rest.find('/');
    for (const Metric& metric : kMetrics) {
      if (slash != std::string_view::npos && rest.substr(slash + 1) == metric.name) {
        return ValueOf(metric, wanted, now);
      }
    }
  }
  return NotFound(path);
}

}  // namespace orbweaver
