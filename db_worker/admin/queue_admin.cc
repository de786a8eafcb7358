#include "db_worker/admin/queue_admin.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/base/unix_ms.h"
#include "common/config/value_text.h"
#include "common/url/named_domain.h"

namespace orbweaver {
namespace {

// Looking at all domains takes some 0.2 µs each; it gets no more than one part in so many of the
// core's time.
constexpr int kShareOfTime = 50;
constexpr Duration kSnapshotInterval = std::chrono::milliseconds(500);

absl::StatusOr<std::string> Parameter(const FormParams& params, std::string_view name) {
  const auto found = params.find(name);
  if (found == params.end() || found->second.empty()) return PoisonError("{}: missing", name);
  return found->second;
}

absl::StatusOr<uint64_t> Number(std::string_view name, std::string_view text, uint64_t most) {
  uint64_t number;
  if (!config::ParseNumber(text, &number) || number > most) {
    return PoisonError("{} '{}': not a number from 0 to {}", name, text, most);
  }
  return number;
}

void WriteReport(const PartitionReport& report, WallTime now, JsonWriter& json) {
  json.BeginObject().Key("partition").Value(report.partition.value());
  json.Key("epoch").Value(report.epoch.value()).Key("paused").Value(report.paused);
  json.Key("lag").Value(report.lag).Key("lag_state").Value(LagStateName(report.lag_state));
  json.Key("backlog").Value(report.backlog);
  json.Key("sent").Value(report.sent).Key("waiting_by_band").BeginArray();
  for (const uint64_t waiting : report.waiting) json.Value(waiting);
  json.EndArray().Key("delayed").Value(report.delayed).Key("domains").Value(report.domains);
  json.Key("ready").Value(report.ready).Key("paced").Value(report.paced);
  json.Key("blocked").Value(report.blocked);
  json.Key("oldest_seconds").Value(SecondsSince(report.oldest, now));
  json.Key("index_bytes").Value(report.index_bytes).EndObject();
}

std::string DomainJson(const DomainReport& report) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("domain").Value(report.domain);
  json.Key("partition").Value(report.partition.value()).Key("waiting_by_band").BeginArray();
  for (const uint64_t waiting : report.waiting) json.Value(waiting);
  json.EndArray().Key("delayed").Value(report.delayed);
  json.Key("next_delayed").Value(UnixMs(report.next_delayed));
  json.Key("delay_ms").Value(report.delay.count());
  json.Key("blocked_until").Value(UnixMs(report.blocked_until));
  json.Key("paced_until").Value(UnixMs(report.paced_until));
  json.Key("back_offs").Value(report.back_offs);
  json.Key("waiting_since").Value(UnixMs(report.waiting_since)).EndObject();
  return text;
}

}  // namespace

QueueAdmin::QueueAdmin(AdminSite& site, MetricRegistry& metrics, const Clock& clock,
                       const UrlOptions& urls, const PublicSuffixes& suffixes, Duration patience)
    : clock_(clock), patience_(patience), gauges_(metrics) {
  registrations_.push_back(site.AddCondition("queue", [this] { return WhyNotReady(); }));
  registrations_.push_back(
      site.AddStatus("queue", [this](JsonWriter& json) { WriteStatus(json); }));
  AddInspect(site, urls, suffixes);
  AddPartitionActions(site);
}

void QueueAdmin::AddInspect(AdminSite& site, const UrlOptions& urls,
                            const PublicSuffixes& suffixes) {
  AddAction(site, "inspect", "domain=NAME: what the queue knows of a registered domain",
            [&urls, &suffixes](const FormParams& params) -> absl::StatusOr<Act> {
              ASSIGN_OR_RETURN(const std::string name, Parameter(params, "domain"));
              ASSIGN_OR_RETURN(std::string domain, NamedDomain(name, urls, suffixes));
              return [domain](DbWorkerCore& core) -> absl::StatusOr<std::string> {
                ASSIGN_OR_RETURN(const DomainReport report, core.Inspect(domain));
                return DomainJson(report);
              };
            });
}

void QueueAdmin::AddPartitionActions(AdminSite& site) {
  for (const bool pauses : {true, false}) {
    const std::string name = pauses ? "pause" : "resume";
    AddAction(site, name, fmt::format("partition=N: {}s its feed", name),
              [pauses, name](const FormParams& params) -> absl::StatusOr<Act> {
                ASSIGN_OR_RETURN(const std::string text, Parameter(params, "partition"));
                ASSIGN_OR_RETURN(const uint64_t number, Number("partition", text, INT32_MAX));
                const PartitionId partition(static_cast<int32_t>(number));
                return
                    [pauses, name, partition](DbWorkerCore& core) -> absl::StatusOr<std::string> {
                      if (!core.SetPaused(partition, pauses)) {
                        return absl::NotFoundError("another worker has this partition");
                      }
                      return fmt::format("partition {} is {}d", partition, name);
                    };
              });
  }
}

void QueueAdmin::AddAction(AdminSite& site, std::string name, std::string doc,
                           std::function<absl::StatusOr<Act>(const FormParams&)> make) {
  registrations_.push_back(site.AddAction(
      std::move(name), std::move(doc),
      [this, make = std::move(make)](const FormParams& params) -> absl::StatusOr<std::string> {
        ASSIGN_OR_RETURN(const Act act, make(params));
        return Ask(act);
      }));
}

absl::StatusOr<std::string> QueueAdmin::Ask(const Act& act) {
  Asked asked{.act = act, .answer = std::string()};
  absl::MutexLock lock(&mutex_);
  asked_ = &asked;
  mutex_.AwaitWithTimeout(absl::Condition(&asked.done), absl::FromChrono(patience_));
  if (asked.begun) mutex_.Await(absl::Condition(&asked.done));
  asked_ = nullptr;
  if (asked.done) return std::move(asked.answer);
  return RetryError("not done: the worker {}. Try again",
                    has_core_ ? "waits for Kafka or HBase" : "is not in its group");
}

void QueueAdmin::Serve(DbWorkerCore& core) {
  const SteadyTime began = clock_.Now();
  std::optional<std::vector<PartitionReport>> reports;
  const WallTime now = clock_.Wall();
  if (began >= snapshot_due_) {
    reports = core.Report();
    gauges_.Set(*reports, now);
    const SteadyTime ended = clock_.Now();
    snapshot_due_ = ended + std::max(kSnapshotInterval, kShareOfTime * (ended - began));
  }
  Asked* asked = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    has_core_ = true;
    coming_ = core.coming();
    heads_read_ = core.heads_read();
    step_ = core.step();
    if (reports.has_value()) {
      snapshot_ = {.at = began, .partitions = *std::move(reports)};
      reported_at_ = now;
    }
    if (asked_ == nullptr || asked_->begun) return;
    asked = asked_;
    asked->begun = true;  // Ask waits for it from here on
  }
  // Without the mutex: it may wait for the store, and what is shown is asked for meanwhile.
  absl::StatusOr<std::string> answer = asked->act(core);
  snapshot_due_ = began;  // so that it soon shows
  absl::MutexLock lock(&mutex_);
  asked->answer = std::move(answer);
  asked->done = true;
}

void QueueAdmin::Leave() {
  gauges_.Set({}, clock_.Wall());
  snapshot_due_ = SteadyTime();
  absl::MutexLock lock(&mutex_);
  has_core_ = false;
  snapshot_ = {};
}

std::string QueueAdmin::WhyNotReady() const {
  absl::MutexLock lock(&mutex_);
  if (!has_core_) return "has not joined its group";
  if (coming_ > 0) {
    return fmt::format("{} partitions are being taken over, {} domains were read so far", coming_,
                       heads_read_);
  }
  return {};
}

void QueueAdmin::WriteStatus(JsonWriter& json) const {
  absl::MutexLock lock(&mutex_);
  json.BeginObject().Key("in_group").Value(has_core_).Key("coming").Value(coming_);
  json.Key("heads_read").Value(heads_read_).Key("step").Value(step_);
  json.Key("as_of").Value(UnixMs(reported_at_)).Key("partitions").BeginArray();
  for (const PartitionReport& report : snapshot_.partitions) {
    WriteReport(report, reported_at_, json);
  }
  json.EndArray().EndObject();
}

}  // namespace orbweaver
