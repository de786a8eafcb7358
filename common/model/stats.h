// Statistics that workers publish. proto/orbweaver/v1/stats.proto defines each field; lifetimes and
// limits are as in spider_feed.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"

namespace orbweaver {

struct CounterValue {
  std::string_view key;
  uint64_t value = 0;
};

struct GaugeValue {
  std::string_view key;
  double value = 0;
};

struct WorkerStats {
  std::string_view worker_id;
  std::string_view role;
  std::string_view version;
  WallTime started_at;
  WallTime reported_at;
  std::span<const CounterValue> counters;
  std::span<const GaugeValue> gauges;
  std::string_view admin_address;
  std::string_view unknown;
};

// As in spider_feed.h.
absl::Status Decode(std::string_view bytes, Arena* arena, WorkerStats* stats);
absl::StatusOr<std::string_view> Encode(const WorkerStats& stats, EncodeBuffer* buffer);

}  // namespace orbweaver
