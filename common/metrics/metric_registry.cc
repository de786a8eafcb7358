#include "common/metrics/metric_registry.h"

#include <algorithm>
#include <sstream>

#include "fmt/format.h"
#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

// The index of Source's std::monostate.
constexpr size_t kNew = 0;

absl::Status CheckLabels(std::string_view name, const MetricLabels& labels) {
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    RETURN_IF_ERROR(CheckLabelName(label->first));
    if (std::any_of(labels.begin(), label,
                    [&label](const auto& earlier) { return earlier.first == label->first; })) {
      return FatalError("metric '{}': label '{}' twice", name, label->first);
    }
  }
  return absl::OkStatus();
}

bool SameLabelNames(const MetricLabels& a, const MetricLabels& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

prometheus::MetricType ToPrometheus(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return prometheus::MetricType::Counter;
    case MetricKind::kGauge:
      return prometheus::MetricType::Gauge;
    case MetricKind::kHistogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

void SetValue(MetricKind kind, double value, prometheus::ClientMetric* out) {
  if (kind == MetricKind::kCounter) {
    out->counter.value = value;
  } else {
    out->gauge.value = value;
  }
}

void SetValue(const Histogram& histogram, prometheus::ClientMetric* out) {
  const Histogram::Snapshot snapshot = histogram.Read();
  const std::vector<double>& bounds = histogram.upper_bounds();
  uint64_t cumulative = 0;
  for (size_t i = 0; i < bounds.size(); ++i) {
    cumulative += snapshot.counts[i];
    out->histogram.bucket.push_back({.cumulative_count = cumulative, .upper_bound = bounds[i]});
  }
  out->histogram.sample_count = cumulative + snapshot.counts.back();
  out->histogram.sample_sum = snapshot.sum;
}

}  // namespace

MetricRegistry::Source& MetricRegistry::Slot(MetricKind kind, std::string_view name,
                                             std::string_view help, MetricLabels labels) {
  CHECK_OK(CheckMetricName(kind, name));
  CHECK_OK(CheckLabels(name, labels));
  // prometheus-cpp prints it as it is, and the format reads a backslash as an escape.
  CHECK(!help.empty() && help.find_first_of("\\\n") == std::string_view::npos);
  auto found = families_.find(name);
  if (found == families_.end()) {
    found = families_.emplace(name, Family{kind, std::string(help), {}}).first;
  }
  Family& family = found->second;
  if (family.kind != kind || family.help != help ||
      (!family.metrics.empty() && !SameLabelNames(family.metrics[0].labels, labels))) {
    CHECK_OK(FatalError("metric '{}': added before with another type, help or labels", name));
  }
  for (Metric& metric : family.metrics) {
    if (metric.labels == labels) return metric.source;
  }
  return family.metrics.emplace_back(Metric{std::move(labels), Source()}).source;
}

Counter& MetricRegistry::AddCounter(std::string_view name, std::string_view help,
                                    MetricLabels labels) {
  absl::MutexLock lock(&mutex_);
  Source& source = Slot(MetricKind::kCounter, name, help, std::move(labels));
  if (source.index() == kNew) source = std::make_unique<Counter>();
  auto* counter = std::get_if<std::unique_ptr<Counter>>(&source);
  CHECK(counter != nullptr);
  return **counter;
}

Gauge& MetricRegistry::AddGauge(std::string_view name, std::string_view help, MetricLabels labels) {
  absl::MutexLock lock(&mutex_);
  Source& source = Slot(MetricKind::kGauge, name, help, std::move(labels));
  if (source.index() == kNew) source = std::make_unique<Gauge>();
  auto* gauge = std::get_if<std::unique_ptr<Gauge>>(&source);
  CHECK(gauge != nullptr);
  return **gauge;
}

Histogram& MetricRegistry::AddHistogram(std::string_view name, std::string_view help,
                                        std::vector<double> upper_bounds, MetricLabels labels) {
  absl::MutexLock lock(&mutex_);
  Source& source = Slot(MetricKind::kHistogram, name, help, std::move(labels));
  if (source.index() == kNew) source = std::make_unique<Histogram>(upper_bounds);
  auto* histogram = std::get_if<std::unique_ptr<Histogram>>(&source);
  CHECK(histogram != nullptr && (*histogram)->upper_bounds() == upper_bounds);
  return **histogram;
}

void MetricRegistry::AddFunction(MetricKind kind, std::string_view name, std::string_view help,
                                 std::function<double()> read, MetricLabels labels) {
  CHECK(kind != MetricKind::kHistogram && read != nullptr);
  absl::MutexLock lock(&mutex_);
  Source& source = Slot(kind, name, help, std::move(labels));
  // A function cannot be added twice: the two could read different values.
  CHECK(source.index() == kNew);
  source = std::move(read);
}

void MetricRegistry::Visit(const Visitor& visit) const {
  absl::MutexLock lock(&mutex_);
  for (const auto& [name, family] : families_) {
    for (const Metric& metric : family.metrics) {
      std::string full = name;
      for (const auto& [label, text] : metric.labels) {
        full += fmt::format("{}{}=\"{}\"", full.size() == name.size() ? "{" : ",", label, text);
      }
      if (!metric.labels.empty()) full += '}';
      if (const auto* counter = std::get_if<std::unique_ptr<Counter>>(&metric.source)) {
        visit(family.kind, full, static_cast<double>((*counter)->value()));
      } else if (const auto* gauge = std::get_if<std::unique_ptr<Gauge>>(&metric.source)) {
        visit(family.kind, full, (*gauge)->value());
      } else if (const auto* read = std::get_if<std::function<double()>>(&metric.source)) {
        visit(family.kind, full, (*read)());
      }
    }
  }
}

std::string MetricRegistry::Text() const {
  std::vector<prometheus::MetricFamily> out;
  {
    absl::MutexLock lock(&mutex_);
    out.reserve(families_.size());
    for (const auto& [name, family] : families_) {
      prometheus::MetricFamily& to = out.emplace_back();
      to.name = name;
      to.help = family.help;
      to.type = ToPrometheus(family.kind);
      for (const Metric& metric : family.metrics) {
        prometheus::ClientMetric& value = to.metric.emplace_back();
        for (const auto& [label, text] : metric.labels) value.label.push_back({label, text});
        if (const auto* counter = std::get_if<std::unique_ptr<Counter>>(&metric.source)) {
          SetValue(family.kind, static_cast<double>((*counter)->value()), &value);
        } else if (const auto* gauge = std::get_if<std::unique_ptr<Gauge>>(&metric.source)) {
          SetValue(family.kind, (*gauge)->value(), &value);
        } else if (const auto* histogram =
                       std::get_if<std::unique_ptr<Histogram>>(&metric.source)) {
          SetValue(**histogram, &value);
        } else if (const auto* read = std::get_if<std::function<double()>>(&metric.source)) {
          SetValue(family.kind, (*read)(), &value);
        }
      }
    }
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, out);
  return std::move(text).str();
}

}  // namespace orbweaver
