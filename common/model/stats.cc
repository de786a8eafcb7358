#include "common/model/stats.h"

#include "common/model/message_codec.h"

namespace orbweaver {
namespace wire {

template <>
struct Schema<CounterValue> {
  using Fields = FieldList<Field<1, "key", &CounterValue::key, Text<kMaxMetricNameBytes>>,
                           Field<2, "value", &CounterValue::value>>;
};

template <>
struct Schema<GaugeValue> {
  using Fields = FieldList<Field<1, "key", &GaugeValue::key, Text<kMaxMetricNameBytes>>,
                           Field<2, "value", &GaugeValue::value>>;
};

template <>
struct Schema<WorkerStats> {
  static constexpr std::string_view kName = "worker stats";
  using Fields = FieldList<
      Field<1, "worker_id", &WorkerStats::worker_id, Required<Text<kMaxWorkerIdBytes>>>,
      Field<2, "role", &WorkerStats::role, Text<kMaxRoleBytes>>,
      Field<3, "version", &WorkerStats::version, Text<kMaxWorkerVersionBytes>>,
      Field<4, "started_at_ms", &WorkerStats::started_at>,
      Field<5, "reported_at_ms", &WorkerStats::reported_at>,
      Field<6, "counters", &WorkerStats::counters, Many<Message<CounterValue>, kMaxMetrics>>,
      Field<7, "gauges", &WorkerStats::gauges, Many<Message<GaugeValue>, kMaxMetrics>>,
      Field<8, "admin_address", &WorkerStats::admin_address, Text<kMaxHostBytes>>>;
};

}  // namespace wire

absl::Status Decode(std::string_view bytes, Arena* arena, WorkerStats* stats) {
  return wire::DecodeWhole(bytes, arena, stats);
}

absl::StatusOr<std::string_view> Encode(const WorkerStats& stats, EncodeBuffer* buffer) {
  return wire::EncodeWhole(stats, buffer);
}

}  // namespace orbweaver
