// Messages of the scoring log. proto/orbweaver/v1/scoring_log.proto defines each field; lifetimes
// and limits are as in spider_feed.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_feed.h"

namespace orbweaver {

struct DomainUpdate {
  std::optional<std::chrono::milliseconds> crawl_delay;
  std::optional<WallTime> blocked_until;
  bool back_off = false;
  bool purge = false;
  std::string_view unknown;
};

enum class ScheduleAction : int32_t { kAdd = 0, kRaise = 1, kDelete = 2 };

struct ScheduledRequest {
  std::string_view url;
  Fingerprint fingerprint;
  uint32_t depth = 0;
  float score = 0;
  WallTime not_before;
  uint32_t attempt = 0;
  std::string_view etag;
  std::string_view last_modified;
  std::span<const Meta> meta;
  ScheduleAction action = ScheduleAction::kAdd;
  std::string_view referrer;
  std::string_view unknown;
};

struct ScheduleRequests {
  uint64_t source_topic_epoch = 0;
  Offset source_offset;
  uint32_t part = 0;
  std::string_view domain;
  std::optional<DomainUpdate> domain_update;
  std::span<const ScheduledRequest> requests;
  std::string_view unknown;
};

struct ScoringLogEntry {
  Offset epoch;
  std::variant<Marker, ScheduleRequests> entry;
  std::string_view unknown;
};

// As in spider_feed.h.
absl::Status Decode(std::string_view bytes, Arena* arena, ScoringLogEntry* entry);
absl::StatusOr<std::string_view> Encode(const ScoringLogEntry& entry, EncodeBuffer* buffer);

}  // namespace orbweaver
